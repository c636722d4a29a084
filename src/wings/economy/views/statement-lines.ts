import { type Column, type FileColumn, fileColumns, numberColumn } from '../../../base/columns.ts';
import { csvPieces } from '../../../base/csv.ts';
import { jsonPieces } from '../../../base/pieces.ts';
import { FLOW_NAMES } from './flow-names.ts';
import { STATEMENT_KINDS, type Statement, type StatementLine, sumOfLines } from './statements.ts';

/** What an account had, got, gave and has. */
export const BALANCE_SHEET_COLUMNS = {
  opening: numberColumn('opening (quarters)', 'Opening', ({ opening }) => opening),
  totalIn: numberColumn('total in (quarters)', 'In', ({ totalIn }) => totalIn),
  totalOut: numberColumn('total out (quarters)', 'Out', ({ totalOut }) => totalOut),
  closing: numberColumn('closing (quarters)', 'Closing', ({ closing }) => closing),
} satisfies Record<string, FileColumn<Pick<Statement, 'opening' | 'totalIn' | 'totalOut' | 'closing'>>>;

/** The lines of one direction by their kinds, and what is of another kind. */
function partsOf(way: 'in' | 'out'): FileColumn<Statement>[] {
  const kinds = STATEMENT_KINDS[way];
  const part = (name: string, holds: (kind: StatementLine['kind']) => boolean) => ({
    name: `${name} (quarters)`,
    value: (statement: Statement) => sumOfLines(statement[way].filter(({ kind }) => holds(kind))),
  });
  const named = kinds.map((kind) => part(FLOW_NAMES[kind].toLowerCase(), (one) => one === kind));
  return [...named, part(`other ${way}`, (kind) => !kinds.includes(kind))];
}

const { opening, totalIn, totalOut, closing } = BALANCE_SHEET_COLUMNS;
const COLUMNS: readonly FileColumn<Statement>[] = [
  ...fileColumns<Statement>({
    month: ({ period }) => period.name,
    'app id': ({ app }) => app.id,
    app: ({ app }) => app.name,
  }),
  ...[opening, ...partsOf('in'), totalIn],
  ...[...partsOf('out'), totalOut, closing],
  ...fileColumns<Statement>({ 'counted up to block': ({ counted }) => counted.block, final: ({ isFinal }) => isFinal }),
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
export function statementGroups(statement: Statement) {
  const sum = (name: string, quarters: bigint): StatementRow => ({ name, count: null, quarters });
  return [
    { rows: [sum('Opening balance', statement.opening)] },
    { title: 'In', rows: [...statement.in, sum('Total in', statement.totalIn)] },
    { title: 'Out', rows: [...statement.out, sum('Total out', statement.totalOut)] },
    { rows: [sum('Closing balance', statement.closing)] },
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
