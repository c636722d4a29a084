import { hash } from 'node:crypto';
import { parseAddress } from '../../../base/address.ts';
import { asQuarters, MAX_QUARTERS, type Quarters } from '../../../base/quarters.ts';
import { faultOfAmount, faultOfRecipient, faultText, plainRecipient } from '../../../features/payments/row-faults.ts';
import { decodeText } from './decode-text.ts';
import { type Columns, findColumns, type Role } from './payment-columns.ts';
import { type CsvFault, type CsvRecord, readCsv, separatorOf } from './read-csv.ts';
import { titleFault } from './title-line.ts';

export const MAX_FILE_BYTES = 20_000_000;
const MAX_FILE_ROWS = 100_000;
const MAX_NOTE_LENGTH = 280;

/** A row of a file of payments. `line`: in the file, from 1, where the header is. */
export type PaymentRow = {
  readonly line: number;
  readonly recipient: string;
  readonly amount: Quarters;
  readonly note: string;
  /** SHA-256 of what the row says, and of its count among equal rows. It does not depend on its place, nor on how the file is saved. */
  readonly identity: Buffer;
};

export type PaymentFile = {
  /** SHA-256 of its bytes. */
  readonly hash: Buffer;
  /** SHA-256 of what its rows say, in any order. */
  readonly meaning: Buffer;
  readonly columns: Columns;
  /** The names of the columns that are left out. */
  readonly leftOut: readonly string[];
  readonly rows: readonly PaymentRow[];
  readonly quarters: Quarters;
};

/**
 * Reads a file of payments as spreadsheets save it: CSV with any separator, in UTF-8 or UTF-16, with a header that names the columns. Amounts
 * and recipients are not guessed: any fault refuses the whole file. `faults` are in the order of their lines. `chainId`: where addresses
 * have to be. `columns`: as the person has named them.
 */
export function readPaymentFile(
  bytes: Uint8Array,
  chainId: number,
  columns: Readonly<Partial<Record<Role, string>>> = {},
): { readonly file: PaymentFile } | { readonly faults: readonly CsvFault[] } {
  if (bytes.length > MAX_FILE_BYTES) return whole(`has more than ${MAX_FILE_BYTES} bytes: split it into smaller ones`);
  const text = decodeText(bytes);
  if (text === null) return whole('is neither UTF-8 nor UTF-16: save it as CSV in UTF-8');
  const separator = separatorOf(text);
  const { records, faults } = readCsv(text, separator, { most: MAX_FILE_ROWS + 1 });
  const [first, ...body] = records;
  const header = first && { line: first.line, fields: first.fields.map(trimmed) };
  // Without its first line a file has another header, or none.
  if (faults[0] && !(header && header.line < faults[0].line)) {
    const title = titleFault(text, columns, { isBroken: true });
    return { faults: title ? [title] : faults };
  }
  if (!header) return whole('has no header: its first line names the columns, recipient,quarters,note');
  const found = findColumns(header, separator, columns);
  if ('fault' in found) return { faults: [titleFault(text, columns) ?? { line: header.line, fault: found.fault }] };
  if (body.length + faults.length > MAX_FILE_ROWS) {
    return { faults: [...whole(`has more than ${MAX_FILE_ROWS} rows: split it into smaller ones`).faults, ...faults] };
  }
  if (body.length === 0 && faults.length === 0) return whole('has no rows');
  const layout = { width: header.fields.length, columns: found.columns, chainId };
  const read = body.map((record) => readRow(record, layout));
  const all = [...faults, ...read.flatMap((row) => ('faults' in row ? row.faults : []))].sort(
    (a, b) => a.line - b.line,
  );
  if (all.length > 0) return { faults: all };
  const rows = identified(read as Said[]);
  const quarters = rows.reduce((sum, { amount }) => sum + amount, 0n);
  if (quarters > MAX_QUARTERS) return whole(`pays more than ${MAX_QUARTERS} quarters`);
  const meaning = hash(
    'sha256',
    rows
      .map(({ identity }) => identity.toString('hex'))
      .sort()
      .join(),
    'buffer',
  );
  return { file: { ...found, hash: hash('sha256', bytes, 'buffer'), meaning, rows, quarters: asQuarters(quarters) } };
}

function whole(fault: string): { readonly faults: readonly CsvFault[] } {
  return { faults: [{ line: 1, fault: `the file ${fault}` }] };
}

/** Without the spaces around it, also those that nobody sees. A spreadsheet's guard around a number is none of the text. */
function trimmed(field: string): string {
  if (field === '') return field;
  // Looking behind keeps it from trying each of many spaces inside the text as the first one of its end.
  const text = field.replace(/^[\s\p{Cf}]+/u, '').replace(/(?<![\s\p{Cf}])[\s\p{Cf}]+$/u, '');
  return /^="([^"]*)"$/.exec(text)?.[1] ?? text;
}

type Said = Omit<PaymentRow, 'identity'>;

type Layout = { readonly width: number; readonly columns: Columns; readonly chainId: number };

function readRow({ line, fields }: CsvRecord, layout: Layout): Said | { readonly faults: CsvFault[] } {
  const { width, columns, chainId } = layout;
  // Spreadsheets end each line with the separators of empty columns.
  if (fields.slice(width).some((field) => trimmed(field) !== '')) {
    return {
      faults: [
        {
          line,
          fault: `it has ${fields.length} fields, and the header ${width}: put a field with the separator in it in quotes`,
        },
      ],
    };
  }
  const textIn = (role: Role) => trimmed(fields[columns[role]?.place ?? -1] ?? '');
  // Zero-width signs come along when an address is copied from a page.
  const recipient = textIn('recipient').replaceAll(/\p{Cf}/gu, '');
  const [quarters, note] = [textIn('quarters'), textIn('note')];
  const found: readonly (readonly [role: Role, value: string, fault: string | null])[] = [
    ['recipient', recipient, faultOfRecipient(recipient, chainId)],
    ['quarters', quarters, faultOfAmount(quarters)],
    ['note', note, faultOfNote(note)],
  ];
  const faults = found.flatMap(([role, value, fault]) =>
    fault === null ? [] : [{ line, fault: `${columns[role]?.name ?? role} ${faultText(value, fault)}` }],
  );
  if (faults.length > 0) return { faults };
  return { line, recipient: plainRecipient(recipient, chainId), amount: asQuarters(BigInt(quarters)), note };
}

function faultOfNote(note: string): string | null {
  if (/[\r\n]/.test(note)) return 'has more than one line: write one';
  if (/\p{Cc}/u.test(note)) return 'has a control character in it: take it out';
  return [...note].length > MAX_NOTE_LENGTH ? `has more than ${MAX_NOTE_LENGTH} characters: shorten it` : null;
}

function identified(rows: readonly Said[]): PaymentRow[] {
  const counts = new Map<string, number>();
  return rows.map((row) => {
    const isSpelledFreely = row.recipient.includes('@') || parseAddress(row.recipient) !== null;
    const recipient = isSpelledFreely ? row.recipient.toLowerCase() : row.recipient;
    const says = JSON.stringify([recipient, `${row.amount}`, row.note]);
    const count = (counts.get(says) ?? 0) + 1;
    counts.set(says, count);
    return { ...row, identity: hash('sha256', JSON.stringify([says, count]), 'buffer') };
  });
}
