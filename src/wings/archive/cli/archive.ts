import { InvalidArgumentError } from 'commander';
import type { CliCommand, CliContext } from '../../../cli/command.ts';
import { type ConfirmOptions, confirm, YES_OPTION } from '../../../cli/confirm.ts';
import { formatFacts, formatTable } from '../../../cli/format.ts';
import { withProgress } from '../../../cli/progress.ts';
import type { Service } from '../../../service/service.ts';
import type { MovedMonth } from '../features/move-months.ts';
import type { PlannedMonth } from '../features/plan-months.ts';

export function addArchiveCommands(program: CliCommand): void {
  const archive = program.command('archive').description('Move past months out of the live tables, and to files.');
  addStatus(archive);
  addMove(archive);
  addDetach(archive);
  addAttach(archive);
}

function parseMonth(text: string): string {
  if (!/^20\d\d-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('Use a month such as 2026-03.');
  return text;
}

function addStatus(archive: CliCommand): void {
  archive
    .command('status')
    .description('List archived months, and count rows that stay for ever.')
    .examples('archive status')
    .prints(async (service) => {
      const { MONTH_COLUMNS, monthJson, readArchiveStatus } = await import('../views/archive-status.ts');
      const { months, kept } = await readArchiveStatus(service);
      const table = months.length === 0 ? 'No month is archived.\n' : formatTable(MONTH_COLUMNS, months);
      const stays = formatFacts([
        ['Stay for ever, so that nothing is paid twice', ''],
        ['  payments whose keys never end', Number(kept.untimedTransfers)],
        ['  payments with a reward', Number(kept.rewardTransfers)],
        ['  rewards', Number(kept.rewards)],
        ['  rows of paid files', Number(kept.fileRows)],
        ['  payments that a restore has found', Number(kept.recoveredPayments)],
      ]);
      return { json: { months: months.map(monthJson), kept }, text: `${table}\n${stays}` };
    });
}

type MoveCommandOptions = ConfirmOptions & { readonly month?: string; readonly tablespace?: string };

function addMove(archive: CliCommand): void {
  archive
    .command('move')
    .description('Move months that ended 31 days ago out of the live tables.')
    .option('--month <month>', 'only this one, such as 2026-03', parseMonth)
    .option('--tablespace <name>', 'where PostgreSQL puts the tables of these months')
    .option(...YES_OPTION)
    .examples('archive move', 'archive move --month 2026-03 --yes')
    .changes(async (service, options: MoveCommandOptions) => {
      const { planMonths } = await import('../features/plan-months.ts');
      const { context } = archive;
      const months = await planMonths(service, options.month ?? null);
      if (months.length === 0) {
        return { json: { months: [] }, text: 'There is nothing to archive yet.\n', changesNothing: true };
      }
      await confirm(context, options, { what: planText(months), question: 'Move them?' });
      const moved = await moveAll(service, context, months, options.tablespace ?? null);
      return { json: { months: moved }, text: moved.map(movedText).join('') };
    });
}

const planText = (months: readonly PlannedMonth[]): string =>
  `${months.map(({ month, lastBlock }) => `${month}, up to block ${lastBlock}\n`).join('')}Their rows go to tables of their own, which PostgreSQL reads together with the live ones.\n`;

async function moveAll(
  service: Service,
  context: CliContext,
  months: readonly PlannedMonth[],
  tablespace: string | null,
): Promise<MovedMonth[]> {
  const { moveMonth } = await import('../features/move-months.ts');
  const signal = context.untilStopped?.() ?? new AbortController().signal;
  const moved: MovedMonth[] = [];
  for (const month of months) {
    if (signal.aborted) break;
    const one = await withProgress(context, `Moving ${month.month}`, (report) =>
      moveMonth(service, month, { tablespace, signal, report }),
    );
    moved.push(one);
  }
  return moved;
}

function movedText({ month, counts }: MovedMonth): string {
  if (!counts) return `${month}: not finished. The next run goes on.\n`;
  const { requests, transfers, transactions, postings } = counts;
  return `${month}: ${requests} requests, ${transfers} transfers, ${transactions} transactions, ${postings} postings are archived.\n`;
}

type FileCommandOptions = ConfirmOptions & { readonly month: string; readonly folder: string };

function addDetach(archive: CliCommand): void {
  archive
    .command('detach')
    .description('Write the oldest archived month to a file, and drop its tables.')
    .requiredOption('--month <month>', 'such as 2026-03', parseMonth)
    .requiredOption('--folder <path>', 'where the file goes')
    .option(...YES_OPTION)
    .examples('archive detach --month 2026-03 --folder /backup/quarters')
    .changes(async (service, { month, folder, ...options }: FileCommandOptions) => {
      const { detachMonth } = await import('../features/detach-month.ts');
      const { context } = archive;
      const what = `${month} goes to a file in ${folder}. Its payments can then neither be read nor refunded.\n`;
      await confirm(context, options, { what, question: 'Detach it?' });
      const { path, sha256, rows, balances } = await withProgress(context, `Detaching ${month}`, (report) =>
        detachMonth(service, month, folder, (step, done = 0) => report(done, null, step)),
      );
      const facts = formatFacts([
        ['File', path],
        ['SHA-256', sha256],
        ['Rows', Object.entries(rows).map(([kind, count]) => `${count} ${kind}`)],
        ['Accounts with postings', balances.size],
      ]);
      const hint = '\nNow compare every balance with the chain: npx quarters audit\n';
      return { json: { month, path, sha256, rows, accounts: balances.size }, text: facts, hint };
    });
}

function addAttach(archive: CliCommand): void {
  archive
    .command('attach')
    .description('Read the newest detached month back.')
    .requiredOption('--month <month>', 'such as 2026-03', parseMonth)
    .requiredOption('--folder <path>', 'where the file is')
    .examples('archive attach --month 2026-03 --folder /backup/quarters')
    .changes(async (service, { month, folder }: FileCommandOptions) => {
      const { attachMonth } = await import('../features/attach-month.ts');
      const { context } = archive;
      const file = await withProgress(context, `Attaching ${month}`, (report) =>
        attachMonth(service, month, folder, (step, done = 0) => report(done, null, step)),
      );
      const text = file ? `${month} is in the database again.\n` : `${month} was in the database all the time.\n`;
      return { json: { month, ...(file && { rows: file.rows, sha256: file.sha256 }) }, text };
    });
}
