/** A record of a CSV file. `line`: where it begins, from 1. */
export type CsvRecord = { readonly line: number; readonly fields: readonly string[] };

export type CsvFault = { readonly line: number; readonly fault: string };

const SEPARATORS = [',', ';', '\t', '|'] as const;
export type Separator = (typeof SEPARATORS)[number];

/** The first line by which a spreadsheet says its separator. */
const SEPARATOR_LINE = /^sep=([,;\t|])(?:\r\n|\n|\r|$)/i;

/** So much of a header is enough to see what separates its fields. */
const SEEN_OF_HEADER = 100_000;

/** What separates the fields of a file: what its `sep=` line says, or which one the next line has most of. */
export function separatorOf(text: string): Separator {
  const said = SEPARATOR_LINE.exec(text)?.[1];
  if (said) return said as Separator;
  const [line = ''] = text
    .trimStart()
    .slice(0, SEEN_OF_HEADER)
    .split(/[\r\n]/, 1);
  const header = line.replaceAll(/"[^"]*"/g, '');
  const count = (separator: Separator) => header.split(separator).length;
  return SEPARATORS.reduce((most, separator) => (count(separator) > count(most) ? separator : most));
}

/** Spreadsheets have no more columns, and no longer cells. */
const MOST_FIELDS = 16_384;
const LONGEST_FIELD = 100_000;

const [LF, CR, SPACE, QUOTE] = [0x0a, 0x0d, 0x20, 0x22] as const;

/**
 * Reads CSV as RFC 4180 defines it, with any separator. Lines may end in LF or CR too. A record that is not well formed is a fault, and
 * reading continues with the next line. Empty lines and a `sep=` line are left out.
 *
 * `most`: reading ends when there are more records and faults than that, so that memory is bounded whatever a file contains.
 */
export function readCsv(
  text: string,
  separator: Separator = ',',
  { most = Number.POSITIVE_INFINITY }: { readonly most?: number } = {},
): { readonly records: CsvRecord[]; readonly faults: CsvFault[] } {
  const records: CsvRecord[] = [];
  const faults: CsvFault[] = [];
  let place = SEPARATOR_LINE.exec(text)?.[0].length ?? 0;
  let line = 1 + lineBreaks(text, 0, place);
  while (place < text.length && records.length + faults.length <= most) {
    const read = readRecord(text, place, separator.charCodeAt(0));
    if ('fault' in read) {
      // What is wrong may begin on a later line than the record.
      faults.push({ line: line + lineBreaks(text, place, read.at), fault: read.fault });
    } else if (read.fields.some((one) => one !== '')) {
      records.push({ line, fields: read.fields });
    }
    line += lineBreaks(text, place, read.end);
    place = read.end;
  }
  return { records, faults };
}

/** `end`: where the next line begins. `at`: where what is wrong begins. */
type ReadRecord =
  | { readonly fields: readonly string[]; readonly end: number }
  | { readonly fault: string; readonly at: number; readonly end: number };

function readRecord(text: string, begin: number, separator: number): ReadRecord {
  const fields: string[] = [];
  for (let place = begin; ; place++) {
    const field = readField(text, place, separator);
    if ('fault' in field || fields.length === MOST_FIELDS) {
      const fault = 'fault' in field ? field.fault : `it has more than ${MOST_FIELDS} fields`;
      return { fault, at: place, end: nextLine(text, place) };
    }
    fields.push(field.value);
    place = field.end;
    if (text.charCodeAt(place) !== separator) return { fields, end: nextLine(text, place) };
  }
}

/** `end`: the place behind it, where a separator or a line break is, or the end of the text. */
type Field = { readonly value: string; readonly end: number };

function readField(text: string, begin: number, separator: number): Field | { readonly fault: string } {
  let opened = skipSpaces(text, begin);
  // Spreadsheets write ="…" around what they would take for a number otherwise.
  if (text.startsWith('="', opened)) opened++;
  const isQuoted = text.charCodeAt(opened) === QUOTE;
  const close = isQuoted ? closingQuote(text, opened + 1) : -1;
  if (isQuoted && close === -1)
    return { fault: 'a quote (") opens here and is never closed: close it, or take it out' };
  const end = isQuoted ? skipSpaces(text, close + 1) : endOfPlain(text, begin, separator);
  if (end < text.length && !endsField(text.charCodeAt(end), separator)) {
    return { fault: 'a quote (") inside a field must be doubled, and the field be in quotes' };
  }
  if (end - begin > LONGEST_FIELD) return { fault: `a field has more than ${LONGEST_FIELD} characters` };
  return { value: isQuoted ? text.slice(opened + 1, close).replaceAll('""', '"') : text.slice(begin, end), end };
}

function skipSpaces(text: string, begin: number): number {
  let place = begin;
  while (text.charCodeAt(place) === SPACE) place++;
  return place;
}

/** The next quote that is not doubled; -1 if there is none. */
function closingQuote(text: string, begin: number): number {
  let close = text.indexOf('"', begin);
  while (close !== -1 && text.charCodeAt(close + 1) === QUOTE) close = text.indexOf('"', close + 2);
  return close;
}

function endOfPlain(text: string, begin: number, separator: number): number {
  let place = begin;
  while (place < text.length) {
    const code = text.charCodeAt(place);
    if (code === QUOTE || endsField(code, separator)) break;
    place++;
  }
  return place;
}

const endsField = (code: number, separator: number) => code === separator || code === LF || code === CR;

function nextLine(text: string, begin: number): number {
  let place = begin;
  while (place < text.length && text.charCodeAt(place) !== LF && text.charCodeAt(place) !== CR) place++;
  return Math.min(text.length, place + (text.startsWith('\r\n', place) ? 2 : 1));
}

function lineBreaks(text: string, begin: number, end: number): number {
  let count = 0;
  for (let place = begin; place < end; place++) {
    const code = text.charCodeAt(place);
    if (code === LF || (code === CR && text.charCodeAt(place + 1) !== LF)) count++;
  }
  return count;
}
