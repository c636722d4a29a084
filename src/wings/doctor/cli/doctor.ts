import { type CliCommand, type OutputOptions, print } from '../../../cli/command.ts';
import { parseEmail, parseHttpUrl } from '../../../cli/values.ts';

type DoctorOptions = OutputOptions & {
  readonly sendMailTo?: string;
  readonly chain?: string;
  readonly goingLive?: true;
};

export function addDoctorCommand(program: CliCommand): void {
  program
    .command('doctor')
    .description(
      'Check whether this configuration works, before a first start or beside a running service. Changes nothing. Exits with 1 if there is a fault.',
    )
    .option('--send-mail-to <address>', 'send a test mail there', parseEmail)
    .option(
      '--chain <url>',
      'look at a node of a chain that is only considered, and at nothing else: whether the service would run there, and what a transfer would cost',
      parseHttpUrl,
    )
    .option('--going-live', 'go through the list for going live, item by item: done, not done, or ask yourself')
    .json()
    .examples(
      'doctor',
      'doctor --going-live',
      'doctor --send-mail-to me@studio.example',
      'doctor --chain https://rpc.example',
    )
    .action(async ({ sendMailTo, chain, goingLive, ...options }: DoctorOptions) => {
      const { foundParts } = await import('../../../cli/findings-text.ts');
      const { withProgress } = await import('../../../cli/progress.ts');
      const { context } = program;
      if (chain !== undefined) {
        const { considerChain, CONSIDERED_PARTS } = await import('../diagnostics/consider-chain.ts');
        const { readSettings } = await import('../../../config/read-settings.ts');
        const found = await withProgress(context, 'Looking', (report) => {
          let done = 0;
          return considerChain(chain, readSettings({}), () => report(++done, CONSIDERED_PARTS));
        });
        return print(context, options, foundParts(found, 'of all'));
      }
      const { examine, PARTS } = await import('../diagnostics/examine.ts');
      const subject = await context.findSubject!();
      if (goingLive) {
        const { goThroughLiveItems } = await import('../diagnostics/going-live.ts');
        const { liveText } = await import('./live-text.ts');
        const found = await withProgress(context, 'Checking', (report) => {
          let done = 0;
          return goThroughLiveItems(subject, () => report(++done, PARTS));
        });
        return print(context, options, liveText(found));
      }
      const findings = await withProgress(context, 'Checking', (report) => {
        let done = 0;
        return examine(subject, { sendMailTo: sendMailTo ?? null }, () => report(++done, PARTS));
      });
      print(context, options, foundParts(findings));
    });
}
