import { printable } from '../base/printable.ts';
import { type Quarters, withThousands } from '../base/quarters.ts';

/** A column of a table. Amounts and other numbers are aligned to the right. */
export type TableColumn = { readonly title: string; readonly align?: 'right' };

/** Formats rows as aligned columns under a header: two spaces between columns, none at the end of a line. */
export function formatTable(columns: readonly TableColumn[], rows: readonly (readonly string[])[]): string {
  const lines = [columns.map(({ title }) => title), ...rows].map((row) => row.map(printable));
  const widths = columns.map((_, i) => Math.max(...lines.map((row) => width(row[i] ?? ''))));
  const line = (row: readonly string[]) =>
    columns
      .map(({ align }, i) => {
        const cell = row[i] ?? '';
        const padding = ' '.repeat((widths[i] ?? 0) - width(cell));
        return align === 'right' ? padding + cell : cell + padding;
      })
      .join('  ')
      .trimEnd();
  return `${lines.map(line).join('\n')}\n`;
}

/** Formats facts about one thing as lines of `name  value`. */
export function formatFacts(facts: readonly (readonly [name: string, value: string])[]): string {
  const widest = Math.max(...facts.map(([name]) => width(name)));
  return facts.map(([name, value]) => `${name.padEnd(widest)}  ${printable(value)}\n`).join('');
}

/** Marks and joiners take no column of their own. */
function width(text: string): number {
  return [...text.replace(/[\p{M}\u200c\u200d]/gu, '')].length;
}

/** Converts an amount without loss: none exceeds 2^53−1. */
export const jsonAmount = (amount: Quarters): number => Number(amount);

/** Formats an amount for people: `1,234 quarters`. */
export const readableAmount = (amount: Quarters): string =>
  `${withThousands(amount)} ${amount === 1n ? 'quarter' : 'quarters'}`;

/** Formats a time for tables: `2026-01-31 12:00:00Z`. */
export function readableTime(time: Date): string {
  return time.toISOString().replace('T', ' ').replace(/\.\d+/, '');
}
