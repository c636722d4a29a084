import { InvalidArgumentError } from 'commander';
import { type CliCommand, type CliContext, type OutputOptions, print, withService } from './command.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from './confirm.ts';
import { CommandEnd } from './exit-codes.ts';
import { withProgress } from './progress.ts';
import { rehearsalText, restoreJson, restoreText } from './restore-text.ts';

const WHAT = `
The database was restored from a backup. What happened since is read from the chain:
  - accounts that were paid since, with their keys and quarters
  - payments, and which requests and refunds they were
  - what a call paid, so that a game that repeats it gets its answer

Lost since the backup are names, e-mail addresses, passwords and settings. If you have a newer copy of the database, stop the service and
restore that copy instead. Revoke again what was revoked since.

One service process must be running.
`;

const WHAT_IS_REHEARSED = `
This database is a copy, made from a backup. What a restore does is done to it. Nothing is sent to the chain, to games or to players.
The copy is changed. Drop it afterwards, and never start a service on it.
`;

type RestoreOptions = OutputOptions & ConfirmOptions & { readonly since?: Date; readonly rehearse?: true };

export function addRestoreCommand(program: CliCommand, context: CliContext): void {
  program
    .command('restore')
    .description('After an older backup was restored: read from the chain what it lacks, and resume payments.')
    .option(
      '--since <time>',
      'read payments from this time on, by default from what the backup knew; also if payments are not suspended',
      parseTime,
    )
    .option(
      '--rehearse',
      'on a copy of the database, on which no service runs: say what a restore would find, and how long it takes',
    )
    .option(...YES_OPTION)
    .json()
    .examples('restore', 'restore --since 2026-11-01', 'restore --rehearse')
    .action(async (options: RestoreOptions) => {
      if (options.rehearse) return rehearse(context, options);
      const { restoreFromChain } = await import('../features/restore/restore.ts');
      const report = await withService(context, async (service) => {
        await confirm(context, options, { what: WHAT, question: 'Read it from the chain?' });
        return withProgress(context, 'Restoring', (show) =>
          restoreFromChain(service, options.since ?? null, (step, done = 0, total) => show(done, total ?? null, step)),
        );
      });
      const { differences } = report.audit;
      const late = report.late.map(({ host, pid }) => ({ host, pid }));
      print(context, options, { ...restoreJson(report), late }, restoreText(report, options.since !== undefined));
      if (differences.length > 0) {
        const kinds = [...new Set(differences.map(({ kind }) => kind))].join(', ');
        const payments = report.resumed ? 'Payments are accepted meanwhile' : 'Payments stay suspended';
        throw new CommandEnd(
          'failed',
          `The audit found ${differences.length} differences (${kinds}). ${payments}. See them with: npx quarters audit`,
        );
      }
    });
}

async function rehearse(context: CliContext, options: RestoreOptions): Promise<void> {
  const { rehearseRestore } = await import('../features/restore/rehearse.ts');
  const report = await withService(context, async (service) => {
    await confirm(context, options, { what: WHAT_IS_REHEARSED, question: 'Rehearse a restore on it?' });
    return withProgress(context, 'Rehearsing', (show) =>
      rehearseRestore(service, options.since ?? null, (step, done = 0, total) => show(done, total ?? null, step)),
    );
  });
  print(context, options, { rehearsal: true, ...restoreJson(report) }, rehearsalText(report));
  const { differences } = report.audit;
  if (differences.length > 0)
    throw new CommandEnd('failed', `The audit found ${differences.length} differences: a restore would end with them.`);
}

function parseTime(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('Use a time such as 2026-11-01 or 2026-11-01T12:00Z.');
  return time;
}
