import {
  EXPECTED_HEADER,
  findColumns,
  isRow,
  namesColumn,
  namesShown,
  namesSomebody,
  type Role,
} from './payment-columns.ts';
import { type CsvFault, type CsvRecord, readCsv, separatorOf } from './read-csv.ts';

/** A title has a few lines. */
const LINES_LOOKED_AT = 20;
const CHARACTERS_LOOKED_AT = 100_000;

type Line = Pick<CsvRecord, 'line' | 'fields'> & { readonly cells: readonly string[] };

/**
 * Says of a file whose first line is no header that it is a title or a comment, and what to do. Null: it does not look like one. `isBroken`: the
 * first line is not CSV. Then only a header below shows that it is a title.
 */
export function titleFault(
  text: string,
  given: Readonly<Partial<Record<Role, string>>>,
  { isBroken = false } = {},
): CsvFault | null {
  const [first, ...below] = linesOf(text);
  if (!first) return null;
  const at = below.findIndex((one) => !('fault' in findColumns(one, separatorOf(one.text), given)));
  const isClear = at !== -1 && ![first, ...below.slice(0, at)].some(({ cells }) => cells.some(namesSomebody));
  const next = isClear ? below[at] : !isBroken && isTitle(first) && below.find((one) => !isTitle(one));
  if (!next) return null;
  const what = `${namesShown([first.cells[0]!], JSON.stringify)} looks like a title or a comment`;
  const fault = isRow(next)
    ? `${what}, and line ${next.line} like a row: put the header in its place, such as ${EXPECTED_HEADER.join(separatorOf(next.text))}`
    : `${what}, and line ${next.line} like the header, which must come first: delete what is above it`;
  return { line: first.line, fault };
}

const isTitle = ({ cells }: Line) => /^(?:#|\/\/)/.test(cells[0]!) || (cells.length === 1 && !namesColumn(cells[0]!));

/** The first lines that are not blank, each read by itself: a title has other separators than the table, or quotes of its own. */
function linesOf(text: string): (Line & { readonly text: string })[] {
  const lines = text.slice(0, CHARACTERS_LOOKED_AT).split(/\r\n|\n|\r/, LINES_LOOKED_AT);
  return lines.flatMap((line, i) => {
    if (i === 0 && /^sep=.$/i.test(line)) return [];
    const { records } = readCsv(line, separatorOf(line));
    const fields = (records[0]?.fields ?? [line]).map((field) => field.trim());
    const cells = fields.filter((field) => field !== '');
    return cells.length === 0 ? [] : [{ line: i + 1, text: line, fields, cells }];
  });
}
