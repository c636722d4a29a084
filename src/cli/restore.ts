import type { Service } from '../service/service.ts';
import type { CliCommand, CliContext, Printed } from './command.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from './confirm.ts';
import { CommandEnd } from './exit-codes.ts';
import { withProgress } from './progress.ts';
import { rehearsalText, restoreJson, restoreText } from './restore-text.ts';
import { parseTime } from './values.ts';

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

type RestoreOptions = ConfirmOptions & { readonly since?: Date; readonly rehearse?: true };

export function addRestoreCommand(program: CliCommand): void {
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
    .examples('restore', 'restore --since 2026-11-01', 'restore --rehearse')
    .changes(async (service, options: RestoreOptions) => {
      const { context } = program;
      if (options.rehearse) return rehearse(context, service, options);
      const { restoreFromChain } = await import('../features/restore/restore.ts');
      await confirm(context, options, { what: WHAT, question: 'Read it from the chain?' });
      const report = await withProgress(context, 'Restoring', (show) =>
        restoreFromChain(service, options.since ?? null, (step, done = 0, total) => show(done, total ?? null, step)),
      );
      const { differences } = report.audit;
      const kinds = [...new Set(differences.map(({ kind }) => kind))].join(', ');
      const payments = report.resumed ? 'Payments are accepted meanwhile' : 'Payments stay suspended';
      const fault = `The audit found ${differences.length} differences (${kinds}). ${payments}. See them with: npx quarters audit`;
      return {
        json: { ...restoreJson(report), late: report.late.map(({ host, pid }) => ({ host, pid })) },
        text: restoreText(report, options.since !== undefined),
        end: differences.length > 0 ? new CommandEnd('failed', fault) : undefined,
      };
    });
}

async function rehearse(context: CliContext, service: Service, options: RestoreOptions): Promise<Printed> {
  const { rehearseRestore } = await import('../features/restore/rehearse.ts');
  await confirm(context, options, { what: WHAT_IS_REHEARSED, question: 'Rehearse a restore on it?' });
  const report = await withProgress(context, 'Rehearsing', (show) =>
    rehearseRestore(service, options.since ?? null, (step, done = 0, total) => show(done, total ?? null, step)),
  );
  const { length } = report.audit.differences;
  const fault = `The audit found ${length} differences: a restore would end with them.`;
  return {
    json: { rehearsal: true, ...restoreJson(report) },
    text: rehearsalText(report),
    end: length > 0 ? new CommandEnd('failed', fault) : undefined,
  };
}
