import { type Address, parseAddress } from '../../base/address.ts';
import { type Hash, hashFrom } from '../../base/hex.ts';
import { type AppId, appIdFrom, type UserId, userIdFrom, uuidFrom } from '../../base/ids.ts';
import { faultOfPasted, isAddressForm, pastedAddress } from '../../base/pasted-address.ts';

/** What a typed text can be. `name`: the beginning of a name. `fault`: why it can be nothing. */
export type SearchTerm =
  | { readonly kind: 'email'; readonly email: string }
  | { readonly kind: 'address'; readonly address: Address }
  | { readonly kind: 'hash'; readonly hash: Hash }
  | { readonly kind: 'uuid'; readonly id: string }
  | { readonly kind: 'user'; readonly id: UserId }
  | { readonly kind: 'app'; readonly id: AppId }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'fault'; readonly says: string };

/** The longest text that is searched for: an e-mail address. */
const MAX_SEARCH_CHARACTERS = 254;
/** A shorter beginning of a name would find nearly everybody. */
const MIN_NAME_CHARACTERS = 2;

/** What a text names, by its form alone. `chainId`: where addresses have to be. */
export function searchTerm(typed: string, chainId: number): SearchTerm {
  const text = typed
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .normalize('NFC')
    .slice(0, MAX_SEARCH_CHARACTERS);
  if (/^0x[^@]*$/i.test(text)) return hexTerm(text);
  if (isAddressForm(text)) return pastedTerm(text, chainId);
  const [uuid, userId, appId] = [uuidFrom(text), userIdFrom(text), appIdFrom(text)];
  if (uuid) return { kind: 'uuid', id: uuid };
  if (userId) return { kind: 'user', id: userId };
  if (appId) return { kind: 'app', id: appId };
  if (text.includes('@')) return { kind: 'email', email: text };
  if ([...text].length >= MIN_NAME_CHARACTERS) return { kind: 'name', name: text };
  return { kind: 'fault', says: 'Type at least two characters.' };
}

function hexTerm(text: string): SearchTerm {
  const hash = hashFrom(text);
  if (hash) return { kind: 'hash', hash };
  const digits = text.slice(2);
  if (!/^[0-9a-f]*$/i.test(digits)) return fault('After 0x only the digits 0 to 9 and a to f can follow.');
  if (digits.length !== 40) {
    return fault(`An address has 40 digits after 0x and a transaction has 64. This has ${digits.length}.`);
  }
  const address = parseAddress(`0x${digits}`);
  if (address) return { kind: 'address', address };
  return fault(
    'The checksum of this address is wrong: a character was mistyped. Copy it again, or type it in lower case.',
  );
}

function pastedTerm(text: string, chainId: number): SearchTerm {
  const wrong = faultOfPasted(text, chainId);
  return wrong ? fault(`This ${wrong}.`) : { kind: 'address', address: pastedAddress(text, chainId, '/text') };
}

function fault(says: string): SearchTerm {
  return { kind: 'fault', says };
}

/** Whether looking for it may reveal who somebody is. */
export function isPersonal({ kind }: SearchTerm): boolean {
  return kind === 'email' || kind === 'name';
}
