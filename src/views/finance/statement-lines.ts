import { type Cell, csvPieces } from '../../base/csv.ts';
import { jsonPieces } from '../../base/pieces.ts';
import type { Statement, StatementLine } from './statements.ts';

const COLUMNS = [
  ...['month', 'app id', 'app', 'opening (quarters)', 'payments (quarters)', 'rewards spent (quarters)'],
  ...['issued (quarters)', 'deposits (quarters)', 'other in (quarters)', 'total in (quarters)', 'payouts (quarters)'],
  ...['refunds (quarters)', 'withdrawals (quarters)', 'other out (quarters)', 'total out (quarters)'],
  ...['closing (quarters)', 'counted up to block', 'final'],
];

const IN = ['payment', 'reward', 'issue', 'deposit'] as const;
const OUT = ['payout', 'refund', 'withdrawal'] as const;

/** Statements as the lines of a CSV file, one for each app. Amounts out are positive too: opening + total in − total out = closing. */
export function statementLines(statements: readonly Statement[]): AsyncGenerator<string> {
  return csvPieces(COLUMNS, [statements], cellsOf);
}

/** The same as the text of one JSON value, `{"statements": […]}`. */
export function statementJsonLines(statements: readonly Statement[]): AsyncGenerator<string> {
  return jsonPieces('statements', [statements], statementJson);
}

function cellsOf({ app, period, counted, isFinal, ...statement }: Statement): Cell[] {
  const amounts = (lines: readonly StatementLine[], kinds: readonly StatementLine['kind'][]) => {
    const of = (holds: (line: StatementLine) => boolean) =>
      lines.filter(holds).reduce((sum, { quarters }) => sum + quarters, 0n);
    return [...kinds.map((kind) => of((line) => line.kind === kind)), of((line) => !kinds.includes(line.kind))];
  };
  return [
    ...[period.name, app.id, app.name, statement.opening],
    ...[...amounts(statement.in, IN), statement.totalIn],
    ...[...amounts(statement.out, OUT), statement.totalOut],
    ...[statement.closing, counted.block, isFinal],
  ];
}

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
