import { type Column, type FileColumn, numberColumn, textColumn } from '../../base/columns.ts';
import { csvPieces } from '../../base/csv.ts';
import { jsonPieces } from '../../base/pieces.ts';
import { FLOW_NAMES } from './flow-names.ts';
import type { Statement, StatementLine } from './statements.ts';

/** What an account had, got, gave and has. */
export const BALANCE_SHEET_COLUMNS = {
  opening: numberColumn('opening (quarters)', 'Opening', ({ opening }) => opening),
  totalIn: numberColumn('total in (quarters)', 'In', ({ totalIn }) => totalIn),
  totalOut: numberColumn('total out (quarters)', 'Out', ({ totalOut }) => totalOut),
  closing: numberColumn('closing (quarters)', 'Closing', ({ closing }) => closing),
} satisfies Record<string, FileColumn<Pick<Statement, 'opening' | 'totalIn' | 'totalOut' | 'closing'>>>;

const IN = ['payment', 'reward', 'issue', 'deposit'] as const;
const OUT = ['payout', 'refund', 'withdrawal'] as const;

/** The sum of one direction's lines whose kind is chosen. */
function part(way: 'in' | 'out', name: string, chosen: (kind: StatementLine['kind']) => boolean) {
  return numberColumn(`${name.toLowerCase()} (quarters)`, name, (statement: Statement) =>
    statement[way].reduce((sum, { kind, quarters }) => (chosen(kind) ? sum + quarters : sum), 0n),
  );
}

const partOf = (way: 'in' | 'out') => (kind: StatementLine['kind']) =>
  part(way, FLOW_NAMES[kind], (one) => one === kind);

const COLUMNS: readonly FileColumn<Statement>[] = [
  textColumn('month', 'Month', ({ period }) => period.name),
  textColumn('app id', 'App id', ({ app }) => app.id),
  textColumn('app', 'App', ({ app }) => app.name),
  BALANCE_SHEET_COLUMNS.opening,
  ...IN.map(partOf('in')),
  part('in', 'Other in', (kind) => !IN.some((usual) => usual === kind)),
  BALANCE_SHEET_COLUMNS.totalIn,
  ...OUT.map(partOf('out')),
  part('out', 'Other out', (kind) => !OUT.some((usual) => usual === kind)),
  ...[BALANCE_SHEET_COLUMNS.totalOut, BALANCE_SHEET_COLUMNS.closing],
  numberColumn('counted up to block', 'Counted up to block', ({ counted }) => counted.block),
  textColumn('final', 'Final', ({ isFinal }) => isFinal),
];

/** Statements as the lines of a CSV file, one for each app. Amounts out are positive too: opening + total in − total out = closing. */
export function statementLines(statements: readonly Statement[]): AsyncGenerator<string> {
  return csvPieces(COLUMNS, [statements]);
}

/** The same as the text of one JSON value, `{"statements": […]}`. */
export function statementJsonLines(statements: readonly Statement[]): AsyncGenerator<string> {
  return jsonPieces('statements', [statements], statementJson);
}

/** A line, or a sum, which has no `count`. */
type StatementRow = Pick<StatementLine, 'name' | 'quarters'> & { readonly count: number | null };

/** A statement line by line. Each group adds up, and all together. */
export function statementGroups({ opening, totalIn, totalOut, closing, ...lines }: Statement) {
  const sum = (name: string, quarters: bigint): StatementRow => ({ name, count: null, quarters });
  return [
    { rows: [sum('Opening balance', opening)] },
    { title: 'In', rows: [...lines.in, sum('Total in', totalIn)] },
    { title: 'Out', rows: [...lines.out, sum('Total out', totalOut)] },
    { rows: [sum('Closing balance', closing)] },
  ];
}

export const STATEMENT_COLUMNS = {
  kind: { label: 'Kind', value: ({ name }) => name },
  count: { label: 'Transfers', kind: 'number', value: ({ count }) => count },
  quarters: { label: 'Quarters', kind: 'number', value: ({ quarters }) => quarters },
} satisfies Record<string, Column<StatementRow>>;

/** A statement for programs. No amount exceeds 2^53−1, so none loses digits. */
export function statementJson({ app, period, counted, isFinal, ...statement }: Statement) {
  const line = ({ name, kind, count, quarters }: StatementLine) => ({
    ...{ kind, name, transfers: count, quarters: Number(quarters) },
  });
  return {
    month: period.name,
    app: { id: app.id, name: app.name },
    opening: Number(statement.opening),
    in: statement.in.map(line),
    totalIn: Number(statement.totalIn),
    out: statement.out.map(line),
    totalOut: Number(statement.totalOut),
    closing: Number(statement.closing),
    final: isFinal,
    countedUpTo: { block: counted.block === null ? null : Number(counted.block), at: counted.at },
  };
}
