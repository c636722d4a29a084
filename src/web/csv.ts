/** One cell: text and dates are written as they are, numbers in digits, what is not there as nothing. */
export type Cell = string | bigint | number | boolean | Date | null;

/**
 * One record of a CSV file (RFC 4180), its line break included. Every cell is quoted, so that no text can begin a new one,
 * whatever separator a spreadsheet takes.
 *
 * Text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, CSV Injection): games write names and
 * descriptions. Numbers never are text here, so that none is spoilt.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map((cell) => `"${textOf(cell).replaceAll('"', '""')}"`).join(',')}\r\n`;
}

/** Also in full width, which spreadsheets in some languages take for the same. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

function textOf(cell: Cell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell !== 'string') return String(cell);
  const text = cell.toWellFormed();
  return FORMULA.test(text) ? `'${text}` : text;
}
