/** A record of a CSV file. `line`: where it begins, from 1. */
export type CsvRecord = { readonly line: number; readonly fields: readonly string[] };

export type CsvFault = { readonly line: number; readonly fault: string };

// A field with its quotes, or one without any, and what ends it. The last field of a file ends at its end.
const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|$)/y;

/**
 * Reads CSV as RFC 4180 defines it. Lines may end in LF too. A record that is not well formed is a fault, and reading continues with the
 * next line. Empty lines are left out.
 */
export function readCsv(text: string): { readonly records: CsvRecord[]; readonly faults: CsvFault[] } {
  const records: CsvRecord[] = [];
  const faults: CsvFault[] = [];
  let place = 0;
  let line = 1;
  while (place < text.length) {
    const begin = place;
    const fields: string[] = [];
    let isWhole = false;
    for (;;) {
      FIELD.lastIndex = place;
      const match = FIELD.exec(text);
      if (!match) break;
      const [all, inQuotes, plain = '', end] = match;
      fields.push(inQuotes === undefined ? plain : inQuotes.replaceAll('""', '"'));
      place += all.length;
      isWhole = end !== ',';
      if (isWhole) break;
    }
    if (!isWhole) {
      faults.push({ line, fault: 'a quote (") inside a field must be doubled, and the field be in quotes' });
      const next = text.indexOf('\n', place);
      place = next === -1 ? text.length : next + 1;
    } else if (fields.length > 1 || fields[0] !== '') {
      records.push({ line, fields });
    }
    for (let i = begin; i < place; i++) if (text[i] === '\n') line++;
  }
  return { records, faults };
}
