import { InvalidArgumentError } from 'commander';
import { withThousands } from '../base/quarters.ts';
import type { RestoreReport } from '../features/restore/restore.ts';
import { nameProcesses } from '../membership/take-in.ts';
import { type CliCommand, type CliContext, type OutputOptions, print, withService } from './command.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from './confirm.ts';
import { CommandEnd } from './exit-codes.ts';
import { formatFacts } from './format.ts';
import { withProgress } from './progress.ts';

const WHAT = `
The database was restored from a backup. What happened since is read from the chain:
  - accounts that were paid since, with their keys and quarters
  - payments, and which requests and refunds they were
  - what a call paid, so that a game that repeats it gets its answer

Lost since the backup are names, e-mail addresses, passwords and settings. If you have a newer copy of the database, stop the service and
restore that copy instead. Revoke again what was revoked since.

One service process must be running.
`;

type RestoreOptions = OutputOptions & ConfirmOptions & { readonly since?: Date };

export function addRestoreCommand(program: CliCommand, context: CliContext): void {
  program
    .command('restore')
    .description('After an older backup was restored: read from the chain what it lacks, and resume payments.')
    .option(
      '--since <time>',
      'read payments from this time on, by default from what the backup knew; also if payments are not suspended',
      parseTime,
    )
    .option(...YES_OPTION)
    .json()
    .examples('restore', 'restore --since 2026-11-01')
    .action(async (options: RestoreOptions) => {
      const { restoreFromChain } = await import('../features/restore/restore.ts');
      const report = await withService(context, async (service) => {
        await confirm(context, options, { what: WHAT, question: 'Read it from the chain?' });
        return withProgress(context, 'Restoring', (show) =>
          restoreFromChain(service, options.since ?? null, (step, done = 0, total) => show(done, total ?? null, step)),
        );
      });
      const { differences } = report.audit;
      print(context, options, describe(report), reportText(report, options.since !== undefined));
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

function parseTime(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('Use a time such as 2026-11-01 or 2026-11-01T12:00Z.');
  return time;
}

function describe({ first, last, quarters, audit, late, ...counts }: RestoreReport): object {
  const { differences } = audit;
  return {
    first: Number(first),
    last: Number(last),
    quarters: Number(quarters),
    ...counts,
    differences: differences.length,
    late: late.map(({ host, pid }) => ({ host, pid })),
  };
}

function reportText(report: RestoreReport, isSinceGiven: boolean): string {
  const count = (number: number) => withThousands(BigInt(number));
  const facts = formatFacts([
    ['Blocks', `${report.first} to ${report.last}`],
    ['Payments that the database lacked', `${count(report.payments)}, of ${withThousands(report.quarters)} quarters`],
    ['Accounts found, with their keys', count(report.accounts)],
    ['Requests found paid', count(report.requests)],
    ['Refunds found', count(report.refunds)],
    ['Cancelled on the chain', count(report.cancellations)],
    ['Paid to addresses of others', count(report.toOthers)],
    ['Payments on their way that were made before', count(report.settled)],
  ]);
  const waiting =
    report.waiting > 0
      ? `\n${report.waiting} payments from before are not mined, or have too few blocks above them. When they have, run: npx quarters restore${isSinceGiven ? ' --since <the same time>' : ''}\n`
      : '';
  const unpayable =
    report.unpayable.length > 0
      ? `\nThese transfers wait, because their payers have spent the quarters elsewhere. Cancel each (npx quarters transfers cancel <id>), or wait until its payer has enough:\n${report.unpayable.map((id) => `  ${id}\n`).join('')}`
      : '';
  const end =
    report.audit.differences.length === 0 ? `\nLedger and chain are equal. ${acceptedText(report.late)}\n` : '';
  const claims =
    report.accounts > 0
      ? `\nAn account that was found belongs to nobody until its game asks for its tokens (POST /v1/guests/{id}/tokens).\n`
      : '';
  return `${facts}${waiting}${unpayable}${claims}${end}`;
}

/** Whether payments are accepted, once they are resumed. `late`: processes that have not read it yet. */
export function acceptedText(late: RestoreReport['late']): string {
  if (late.length === 0) return 'Payments are accepted.';
  return `Payments are resumed, but ${nameProcesses(late)} still refuses them: its log says why.`;
}
