import { hash } from 'node:crypto';
import { asQuarters, MAX_QUARTERS, type Quarters } from '../../base/quarters.ts';
import { type CsvFault, type CsvRecord, readCsv } from '../../base/read-csv.ts';

export const MAX_FILE_BYTES = 20_000_000;
const MAX_FILE_ROWS = 100_000;
const MAX_NOTE_LENGTH = 280;
const MAX_RECIPIENT_LENGTH = 320;

const COLUMNS = ['recipient', 'quarters', 'note'] as const;
type Column = (typeof COLUMNS)[number];

/** A row of a file of payments. `line`: in the file, from 1, where the header is. */
export type PaymentRow = {
  readonly line: number;
  readonly recipient: string;
  readonly amount: Quarters;
  readonly note: string;
};

export type PaymentFile = {
  /** SHA-256 of its bytes. */
  readonly hash: Buffer;
  readonly rows: readonly PaymentRow[];
  readonly quarters: Quarters;
};

/**
 * Reads a file of payments: CSV in UTF-8 with a header, and the columns `recipient`, `quarters` and, if wanted, `note`. Nothing is guessed:
 * any fault refuses the whole file. `faults` are in the order of their lines.
 */
export function readPaymentFile(
  bytes: Uint8Array,
): { readonly file: PaymentFile } | { readonly faults: readonly CsvFault[] } {
  if (bytes.length > MAX_FILE_BYTES) return whole(`has more than ${MAX_FILE_BYTES} bytes`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return whole('is not UTF-8');
  }
  const { records, faults } = readCsv(text);
  const [header, ...body] = records;
  if (!header) return whole('has no header; its first line must be: recipient,quarters,note');
  const unknown = headerFault(header);
  if (unknown) return { faults: [{ line: header.line, fault: unknown }] };
  if (body.length > MAX_FILE_ROWS) return whole(`has more than ${MAX_FILE_ROWS} rows`);
  if (body.length === 0 && faults.length === 0) return whole('has no rows');
  const columns = header.fields as readonly Column[];
  const read = body.map((record) => readRow(record, columns));
  const all = [...faults, ...read.flatMap((row) => ('fault' in row ? [row] : []))].sort((a, b) => a.line - b.line);
  if (all.length > 0) return { faults: all };
  const rows = read as PaymentRow[];
  const quarters = rows.reduce((sum, { amount }) => sum + amount, 0n);
  if (quarters > MAX_QUARTERS) return whole(`pays more than ${MAX_QUARTERS} quarters`);
  return { file: { hash: hash('sha256', bytes, 'buffer'), rows, quarters: asQuarters(quarters) } };
}

function whole(fault: string): { readonly faults: readonly CsvFault[] } {
  return { faults: [{ line: 1, fault: `the file ${fault}` }] };
}

function headerFault({ fields }: CsvRecord): string | null {
  const names = new Set<string>(fields);
  const unknown = fields.filter((field) => !(COLUMNS as readonly string[]).includes(field));
  if (unknown.length > 0) return `the header has an unknown column: ${JSON.stringify(unknown[0])}`;
  if (names.size < fields.length) return 'the header names a column twice';
  return names.has('recipient') && names.has('quarters') ? null : 'the header must name recipient and quarters';
}

function readRow({ line, fields }: CsvRecord, columns: readonly Column[]): PaymentRow | CsvFault {
  if (fields.length !== columns.length) {
    return { line, fault: `it has ${fields.length} fields, and the header ${columns.length}` };
  }
  const row: Partial<Record<Column, string>> = Object.fromEntries(columns.map((column, i) => [column, fields[i]]));
  const { recipient = '', quarters = '', note = '' } = row;
  if (recipient === '' || recipient.length > MAX_RECIPIENT_LENGTH || /\s/.test(recipient)) {
    return { line, fault: 'the recipient must be an id, an address or an e-mail address, without spaces' };
  }
  const amount = /^[1-9]\d{0,15}$/.test(quarters) ? BigInt(quarters) : 0n;
  if (amount < 1n || amount > MAX_QUARTERS) {
    return { line, fault: `quarters must be a whole number from 1 to ${MAX_QUARTERS}, digits only` };
  }
  if ([...note].length > MAX_NOTE_LENGTH || /\p{Cc}/u.test(note)) {
    return { line, fault: `the note must be one line of at most ${MAX_NOTE_LENGTH} characters` };
  }
  return { line, recipient, amount: asQuarters(amount), note };
}
