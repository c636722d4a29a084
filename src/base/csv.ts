import type { Cell, FileColumn } from './columns.ts';
import { inPieces, type Pages } from './pieces.ts';

/**
 * One record of a CSV file (RFC 4180), with its line break. A date is in ISO 8601. Every cell is quoted, so that no text can start a new one, whatever
 * separator a spreadsheet uses.
 *
 * Text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, CSV Injection), since games write names and
 * descriptions. Numbers are never passed as text, so they stay unchanged.
 */
export function csvLine(cells: readonly (Cell | boolean)[]): string {
  return `${cells.map((cell) => `"${textOf(cell).replaceAll('"', '""')}"`).join(',')}\r\n`;
}

/** A CSV file in pieces of text: the names of its columns, and a line for each row. Other work runs between the pieces. */
export async function* csvPieces<Row>(columns: readonly FileColumn<Row>[], pages: Pages<Row>): AsyncGenerator<string> {
  yield csvLine(columns.map(({ name }) => name));
  yield* inPieces(pages, (rows) => rows.map((row) => csvLine(columns.map(({ value }) => value(row)))).join(''));
}

/** Full-width signs too, which spreadsheets in some languages treat the same. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

function textOf(cell: Cell | boolean): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell !== 'string') return String(cell);
  const text = cell.toWellFormed();
  return FORMULA.test(text) ? `'${text}` : text;
}
