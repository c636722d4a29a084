import { Problem } from '../../../base/problems.ts';
import { withThousands } from '../../../base/quarters.ts';
import type { Printed } from '../../../cli/command.ts';
import { formatFacts, formatTable, readableAmount, readableTime } from '../../../cli/format.ts';
import { available } from '../../../ledger/accounts.ts';
import { shellWord } from '../base/shell-word.ts';
import type { Overlap } from '../features/overlaps.ts';
import type { BatchPlan, PlannedRow } from '../features/pay-batch.ts';
import type { BatchOutcome, RowOutcome } from '../features/pay-rows.ts';
import { namesShown } from '../features/payment-columns.ts';

const ROWS_SHOWN = 3;
const REFUSALS_SHOWN = 20;

/** What paying a file will do. `rowsShown`: how many rows are shown at most; of a longer file, the first and the last. */
export function planText(plan: BatchPlan, path: string, { rowsShown = 2 * ROWS_SHOWN } = {}): string {
  const { name, file, batch, overlaps, app, payer, rows, left } = plan;
  const free = available(payer);
  const refused = rows.filter(({ refusal, paid }) => refusal !== null && !paid);
  const paid = rows.filter((row) => row.paid).length;
  const recipients = new Set(rows.map(({ recipient, to }) => to?.address ?? recipient)).size;
  const facts = formatFacts([
    ['File', path],
    ['SHA-256', file.hash.toString('hex')],
    ['Columns', readColumns(file)],
    ['Left out', file.leftOut.length > 0 ? `the columns ${namesShown(file.leftOut)}` : null],
    ['Batch', batch ? `${name}, begun ${readableTime(batch.createdAt)}` : `${name}, new`],
    ['CAUTION', overlaps.map((overlap) => overlapText(overlap, plan))],
    ['From', app ? `${app.name} (${app.id})` : 'the treasury'],
    [
      'Rows',
      `${count(rows.length)} for ${count(recipients)} ${recipients === 1 ? 'recipient' : 'recipients'}, ${readableAmount(file.quarters)}`,
    ],
    ['Paid before', rowsOf(paid)],
    ['Not payable', rowsOf(refused.length)],
    ['Left to pay', `${count(left.rows)} rows, ${readableAmount(left.quarters)}`],
    [
      app ? 'Its account' : 'Treasury',
      `${withThousands(free)} free now, ${withThousands(free - left.quarters)} afterwards`,
    ],
  ]);
  return [facts, rowsText(rows, rowsShown), refusalsText(refused)].filter((text) => text !== '').join('\n');
}

/** Rows that another batch has paid, as a sentence. */
export function overlapText({ name, rows, at, isWhole }: Overlap, { left }: Pick<BatchPlan, 'left'>): string {
  const others = isWhole ? ` --batch ${shellWord(name)} pays only the others.` : '';
  return `${count(rows)} of ${count(left.rows)} rows were paid on ${readableDay(at)}, as the batch ${name}.${others}`;
}

const readableDay = (time: Date) =>
  time.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** How the columns are read, unless they have the names that are expected. */
function readColumns({ columns }: BatchPlan['file']): string | null {
  const read = Object.entries(columns).flatMap(([role, { name }]) => (name === role ? [] : [`${role} is ${name}`]));
  return read.join(', ') || null;
}

const rowsOf = (number: number) => (number > 0 ? `${count(number)} rows` : null);

function rowsText(rows: readonly PlannedRow[], most: number): string {
  const half = most >> 1;
  const shown = rows.length > most ? [...rows.slice(0, half), null, ...rows.slice(-half)] : rows;
  return formatTable(
    [
      { label: 'Line', kind: 'number', value: (row) => (row ? `${row.line}` : '…') },
      { label: 'Recipient', value: (row) => row?.recipient ?? '…' },
      { label: 'Quarters', kind: 'number', value: (row) => row?.amount ?? '…' },
      { label: 'Note', value: (row) => row?.note ?? '' },
      { label: 'State', value: (row) => (row ? stateOf(row) : '') },
    ],
    shown,
  );
}

const stateOf = ({ paid, refusal }: PlannedRow) => (paid ? 'paid before' : refusal === null ? 'to pay' : 'not payable');

/** What `--dry-run` says to programs. */
export function planJson({ name, batch, file, app, rows, left, overlaps }: BatchPlan) {
  return {
    batch: name,
    isNew: batch === null,
    sha256: file.hash.toString('hex'),
    from: app?.id ?? null,
    columns: Object.fromEntries(Object.entries(file.columns).map(([role, { name: column }]) => [role, column])),
    leftOut: file.leftOut,
    left: { rows: left.rows, quarters: left.quarters },
    overlaps: overlaps.map((overlap) => ({ batch: overlap.name, rows: overlap.rows, at: overlap.at })),
    rows: rows.map((row) => ({
      line: row.line,
      recipient: row.recipient,
      quarters: row.amount,
      note: row.note,
      status: row.paid ? 'paid' : row.refusal === null ? 'due' : 'refused',
      reason: row.paid ? null : row.refusal,
    })),
  };
}

function refusalsText(refused: readonly PlannedRow[]): string {
  if (refused.length === 0) return '';
  const lines = refused.slice(0, REFUSALS_SHOWN).map(({ line, refusal }) => [`Line ${line}`, refusal ?? ''] as const);
  const more = refused.length - lines.length;
  return `${formatFacts(lines)}${more > 0 ? `and ${count(more)} more\n` : ''}`;
}

/** What became of all rows. `resultFile`: where each is. */
export function printedOutcome(
  plan: BatchPlan,
  { outcomes, stopped }: BatchOutcome,
  resultFile: string | null,
): Printed {
  const { paid, paidNow, refused, unpaid, unknown, quarters } = countsOf(outcomes);
  const now = paidNow < paid ? `, ${count(paidNow)} of them now` : '';
  const facts = formatFacts([
    ['Batch', plan.name],
    ['Paid', `${count(paid)} rows, ${withThousands(quarters)} quarters${now}`],
    ['Refused', rowsOf(refused.length)],
    ['Not paid yet', rowsOf(unpaid)],
    ['Not known yet', rowsOf(unknown)],
    ['Each row', resultFile],
  ]);
  const lines = refused.slice(0, REFUSALS_SHOWN).map(({ row, reason }) => [`Line ${row.line}`, reason ?? ''] as const);
  const json = {
    batch: plan.name,
    sha256: plan.file.hash.toString('hex'),
    from: plan.app?.id ?? null,
    rows: outcomes.length,
    paid,
    paidNow,
    quarters,
    unpaid,
    unknown,
    refused: refused.map(({ row, reason }) => ({
      line: row.line,
      recipient: row.recipient,
      quarters: row.amount,
      reason,
    })),
    stopped: stopped instanceof Error ? (stopped instanceof Problem ? stopped.code : 'internal') : stopped,
    resultFile,
  };
  return { json, text: refused.length === 0 ? facts : `${facts}\n${formatFacts(lines)}` };
}

function countsOf(outcomes: readonly RowOutcome[]) {
  const paid = outcomes.filter(({ status }) => status === 'paid');
  return {
    paid: paid.length,
    paidNow: paid.filter(({ isPaidNow }) => isPaidNow).length,
    refused: outcomes.filter(({ status }) => status === 'refused'),
    unpaid: outcomes.filter(({ status }) => status === 'unpaid').length,
    unknown: outcomes.filter(({ status }) => status === 'unknown').length,
    quarters: paid.reduce((sum, { row }) => sum + row.amount, 0n),
  };
}

function count(number: number): string {
  return withThousands(BigInt(number));
}
