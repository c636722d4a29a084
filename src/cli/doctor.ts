import { InvalidArgumentError } from 'commander';
import { type CliCommand, type CliContext, type OutputOptions, print } from './command.ts';

type DoctorOptions = OutputOptions & { readonly sendMailTo?: string };

export function addDoctorCommand(program: CliCommand, context: CliContext): void {
  program
    .command('doctor')
    .description(
      'Check whether this configuration can work and keep its promises, before a first start or beside a running service. Changes nothing. Exits with 1 if there is a fault.',
    )
    .option('--send-mail-to <address>', 'send a test mail there', parseMailAddress)
    .json()
    .examples('doctor', 'doctor --send-mail-to me@studio.example')
    .action(async ({ sendMailTo, ...options }: DoctorOptions) => {
      const { examine, PARTS } = await import('../diagnostics/doctor/examine.ts');
      const { failOnFaults, findingsText } = await import('./findings-text.ts');
      const { withProgress } = await import('./progress.ts');
      const subject = await context.findSubject!();
      const findings = await withProgress(context, 'Checking', (report) => {
        let done = 0;
        return examine(subject, { sendMailTo: sendMailTo ?? null }, () => report(++done, PARTS));
      });
      print(context, options, findings, findingsText(findings));
      failOnFaults(findings);
    });
}

function parseMailAddress(text: string): string {
  if (/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(text)) return text;
  throw new InvalidArgumentError('Use one e-mail address.');
}
