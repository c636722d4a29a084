import type { Cell, Column } from '../base/columns.ts';
import { printable } from '../base/printable.ts';
import { withThousands } from '../base/quarters.ts';

/** Formats rows as aligned columns under their labels: two spaces between columns, none at the end of a line. */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = rows.map((row) => columns.map((column) => cellText(column, row)));
  const lines = [columns.map(({ label }) => label.toUpperCase()), ...cells].map((line) => line.map(printable));
  const widths = columns.map((_, i) => lines.reduce((widest, line) => Math.max(widest, width(line[i] ?? '')), 0));
  const aligned = (line: readonly string[]) =>
    columns
      .map(({ kind }, i) => {
        const cell = line[i] ?? '';
        const padding = ' '.repeat((widths[i] ?? 0) - width(cell));
        return kind ? padding + cell : cell + padding;
      })
      .join('  ')
      .trimEnd();
  return `${lines.map(aligned).join('\n')}\n`;
}

function cellText<Row>({ kind, value }: Column<Row>, row: Row): string {
  const cell = value(row);
  if (cell === null) return '-';
  if (cell instanceof Date) return readableTime(cell);
  if (typeof cell === 'string') return cell;
  return `${kind === 'signed' && cell > 0 ? '+' : ''}${withThousands(BigInt(cell))}`;
}

/** Formats facts about one thing as lines of `name  value`: a whole amount with its unit, several lines for a list, none for null. */
export function formatFacts(facts: readonly (readonly [name: string, value: Cell | readonly string[]])[]): string {
  const lines = facts.flatMap(([name, value]) => factLines(value).map((line) => [name, line] as const));
  const widest = Math.max(...lines.map(([name]) => width(name)));
  return lines.map(([name, line]) => `${name.padEnd(widest)}  ${printable(line)}\n`).join('');
}

function factLines(value: Cell | readonly string[]): readonly string[] {
  if (value === null) return [];
  if (value instanceof Date) return [readableTime(value)];
  if (typeof value === 'bigint') return [readableAmount(value)];
  if (typeof value === 'number') return [withThousands(BigInt(value))];
  return typeof value === 'string' ? [value] : value;
}

/** Marks and joiners take no column of their own. */
function width(text: string): number {
  return [...text.replace(/[\p{M}\u200c\u200d]/gu, '')].length;
}

/** Formats an amount for people: `1,234 quarters`. */
export const readableAmount = (amount: bigint): string =>
  `${withThousands(amount)} ${amount === 1n ? 'quarter' : 'quarters'}`;

/** Formats a time for tables: `2026-01-31 12:00:00Z`. */
export function readableTime(time: Date): string {
  return time.toISOString().replace('T', ' ').replace(/\.\d+/, '');
}
