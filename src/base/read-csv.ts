/** A record of a CSV file. `line`: where it begins, from 1. */
export type CsvRecord = { readonly line: number; readonly fields: readonly string[] };

export type CsvFault = { readonly line: number; readonly fault: string };

const SEPARATORS = [',', ';', '\t', '|'] as const;
export type Separator = (typeof SEPARATORS)[number];

/** The first line by which a spreadsheet says its separator. */
const SEPARATOR_LINE = /^sep=([,;\t|])(?:\r\n|\n|\r|$)/i;

/** What separates the fields of a file: what its `sep=` line says, or which one the next line has most of. */
export function separatorOf(text: string): Separator {
  const said = SEPARATOR_LINE.exec(text)?.[1];
  if (said) return said as Separator;
  const header = /^[^\r\n]*/.exec(text.trimStart())![0].replaceAll(/"[^"]*"/g, '');
  const count = (separator: Separator) => header.split(separator).length;
  return SEPARATORS.reduce((most, separator) => (count(separator) > count(most) ? separator : most));
}

/** A field with its quotes, or one without any, and what ends it. The last field of a file ends at its end. */
const FIELDS = Object.fromEntries(
  SEPARATORS.map((separator) => {
    const end = separator === '|' ? '\\|' : separator;
    // Spreadsheets write ="…" around what they would take for a number otherwise.
    return [separator, new RegExp(`(?: *=?"((?:[^"]|"")*)" *|([^"${end}\\r\\n]*))(${end}|\\r\\n|\\n|\\r|$)`, 'y')];
  }),
) as Record<Separator, RegExp>;

/**
 * Reads CSV as RFC 4180 defines it, with any separator. Lines may end in LF or CR too. A record that is not well formed is a fault, and
 * reading continues with the next line. Empty lines and a `sep=` line are left out.
 */
export function readCsv(
  text: string,
  separator: Separator = ',',
): { readonly records: CsvRecord[]; readonly faults: CsvFault[] } {
  const records: CsvRecord[] = [];
  const faults: CsvFault[] = [];
  const field = FIELDS[separator];
  const lineBreaks = (piece: string) => piece.match(/\r\n|\n|\r/g)?.length ?? 0;
  let place = SEPARATOR_LINE.exec(text)?.[0].length ?? 0;
  let line = 1 + lineBreaks(text.slice(0, place));
  while (place < text.length) {
    const begin = place;
    const fields: string[] = [];
    let isWhole = false;
    for (;;) {
      field.lastIndex = place;
      const match = field.exec(text);
      if (!match) break;
      const [all, inQuotes, plain = '', end] = match;
      fields.push(inQuotes === undefined ? plain : inQuotes.replaceAll('""', '"'));
      place += all.length;
      isWhole = end !== separator;
      if (isWhole) break;
    }
    if (!isWhole) {
      faults.push({ line, fault: 'a quote (") inside a field must be doubled, and the field be in quotes' });
      const rest = text.slice(place).search(/[\r\n]/);
      place = rest === -1 ? text.length : place + rest + (text.startsWith('\r\n', place + rest) ? 2 : 1);
    } else if (fields.some((one) => one !== '')) {
      records.push({ line, fields });
    }
    line += lineBreaks(text.slice(begin, place));
  }
  return { records, faults };
}
