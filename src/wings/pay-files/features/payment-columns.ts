import { isOwnerId } from '../../../base/ids.ts';
import { faultOfAmount } from '../../../features/payments/row-faults.ts';
import { shellWord } from '../base/shell-word.ts';
import type { CsvRecord, Separator } from './read-csv.ts';

/** What a column of a file of payments may be. */
export const ROLES = ['recipient', 'quarters', 'note'] as const;
export type Role = (typeof ROLES)[number];

/** Where each column is, and what its header calls it. */
export type Columns = { readonly [role in Role]?: { readonly place: number; readonly name: string } };

/** What others call these columns, without case, spaces and signs. */
const USUAL: Readonly<Record<Role, ReadonlySet<string>>> = {
  recipient: new Set([
    ...['recipients', 'address', 'addresses', 'wallet', 'wallets', 'walletaddress', 'ethaddress', 'ethereumaddress'],
    ...['account', 'accountaddress', 'to', 'toaddress', 'receiver', 'payee', 'beneficiary', 'user', 'userid', 'player'],
    ...['playerid', 'email', 'emailaddress', 'holder', 'owner', 'destination', 'recipientaddress', 'receiveraddress'],
  ]),
  quarters: new Set([
    ...[
      'amount',
      'amounts',
      'value',
      'reward',
      'rewards',
      'token',
      'tokens',
      'tokenamount',
      'payout',
      'prize',
      'quantity',
    ],
    ...['qty', 'payment', 'sum', 'total', 'allocation', 'airdrop'],
  ]),
  note: new Set(['notes', 'memo', 'description', 'reason', 'comment', 'comments', 'message', 'label', 'reference']),
};

export const EXPECTED_HEADER = ['recipient', 'quarters'] as const;
const EXPECTED = 'the columns are recipient, quarters and, if wanted, note';
const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
/** A message names so many columns, and so much of each. */
const NAMED = 20;
const NAME_SHOWN = 60;

/** The names of columns as a list for people, cut to what they read. */
export function namesShown(names: readonly string[], form: (name: string) => string = (name) => name): string {
  const more = names.length > NAMED ? `, and ${names.length - NAMED} more` : '';
  const cut = (name: string) => (name.length > NAME_SHOWN ? `${name.slice(0, NAME_SHOWN).toWellFormed()}…` : name);
  return `${names
    .slice(0, NAMED)
    .map((name) => form(cut(name)))
    .join(', ')}${more}`;
}

const quoted = (names: readonly string[]) => namesShown(names, JSON.stringify);

/**
 * Finds the columns of a file by its header. A column that is not called `recipient`, `quarters` or `note` may have a usual name for it. All
 * others are left out. `separator`: of the file. `given`: the names that the person has said, by role.
 *
 * Returns why it is not clear, as a sentence without its end, otherwise.
 */
export function findColumns(
  header: CsvRecord,
  separator: Separator,
  given: Readonly<Partial<Record<Role, string>>> = {},
): { readonly columns: Columns; readonly leftOut: readonly string[] } | { readonly fault: string } {
  const names = header.fields;
  if (isRow(header)) {
    const line = ROLES.slice(0, Math.max(2, Math.min(names.length, ROLES.length))).join(separator);
    return {
      fault: `the first line is a row and not the header, and ${EXPECTED}: put a line above it that names its columns in their order, such as ${line}`,
    };
  }
  const columns: { -readonly [role in Role]?: Columns[role] } = {};
  for (const role of ROLES) {
    const places = placesOf(names, role, given[role]);
    const [place] = places;
    if (places.length > 1) {
      const found = quoted(places.map((one) => names[one]!));
      return { fault: `the header has ${found}, and each may be ${role}: ${howToSay(role, names, places)}` };
    }
    if (place !== undefined) columns[role] = { place, name: names[place]! };
    else if (given[role] !== undefined || role !== 'note') return { fault: missing(names, role, given[role]) };
  }
  const used = new Set(Object.values(columns).map(({ place }) => place));
  if (used.size < Object.keys(columns).length) return { fault: 'one column cannot be two things: see --columns' };
  return { columns, leftOut: names.filter((name, place) => name !== '' && !used.has(place)) };
}

function placesOf(names: readonly string[], role: Role, given: string | undefined): number[] {
  const all = [...names.keys()];
  if (given !== undefined) return all.filter((place) => names[place] === given);
  const exact = all.filter((place) => plain(names[place]!) === role);
  return exact.length > 0 ? exact : all.filter((place) => USUAL[role].has(plain(names[place]!)));
}

/** How to choose between columns, so that it works as it is printed. */
function howToSay(role: Role, names: readonly string[], places: readonly number[]): string {
  const chosen = places.map((place) => names[place]!).find((name) => isSayable(name) && count(names, name) === 1);
  if (chosen === undefined) return 'give the columns different names in the file, without a comma';
  return `say which with --columns ${shellWord(`${role}=${chosen}`)}`;
}

/** `--columns` separates names by commas. */
const isSayable = (name: string) => !name.includes(',');
const count = (names: readonly string[], name: string) => names.filter((one) => one === name).length;

function missing(names: readonly string[], role: Role, given: string | undefined): string {
  const found = quoted(names.filter((name) => name !== ''));
  if (given !== undefined) return `the header has no column ${JSON.stringify(given)}${found && `, but ${found}`}`;
  return `the header has no column for ${role}${found && `, but ${found}`}: ${EXPECTED}. Say which one it is with --columns ${role}=…`;
}

/** Whether the line names or pays somebody. A header does neither. */
export function isRow({ fields }: Pick<CsvRecord, 'fields'>): boolean {
  return fields.some((field) => namesSomebody(field) || !faultOfAmount(field));
}

/** Whether a cell names a recipient, right or wrong. */
export const namesSomebody = (field: string): boolean =>
  (isOwnerId(field) && /\d/.test(field)) ||
  /(?:^|:)0x[0-9a-f]{8}/i.test(field) ||
  (/^\S+@\S+$/.test(field) && field.length <= 320);

/** Whether a column may be called so. */
export const namesColumn = (name: string): boolean =>
  ROLES.some((role) => placesOf([name], role, undefined).length > 0);
