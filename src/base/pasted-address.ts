import { type Address, parseAddress } from './address.ts';
import { chainIdOf, chainName } from './chain-names.ts';
import { isOwnerId } from './ids.ts';
import { invalidInput } from './problems.ts';

/** What wallets, explorers and QR codes give for an address. `written`: the part that should be the address. */
type PastedAddress =
  | { readonly kind: 'here'; readonly written: string }
  /** `chain`: its id, or the short name that it has there, if that is not known here. */
  | { readonly kind: 'elsewhere'; readonly written: string; readonly chain: number | string }
  /** It asks for a payment, in which the address may be that of a token, or has something else behind the address. */
  | { readonly kind: 'more' };

/**
 * Reads an address with its chain: `eth:0x…` (EIP-3770), `ethereum:0x…@1` (EIP-681), `eip155:1:0x…` (CAIP-10). Without a chain it is on ours, as
 * EIP-681 says. Other text is taken as an address alone. `chainId`: of our chain.
 */
export function readPasted(text: string, chainId: number): PastedAddress {
  const uri = URI.exec(text) ?? NUMBERED.exec(text);
  if (uri) {
    const [, written = '', chain, more = ''] = uri;
    if (more !== '') return { kind: 'more' };
    return onChain(written, chain === undefined ? chainId : Number(chain), chainId);
  }
  const [, prefix = '', written = ''] = PREFIXED.exec(text) ?? [];
  if (prefix === '') return { kind: 'here', written: text };
  const [, number] = CAIP_2.exec(prefix) ?? [];
  return onChain(written, number === undefined ? (chainIdOf(prefix) ?? prefix) : Number(number), chainId);
}

const URI = /^ethereum:(?:pay-)?([^@/?]*)(?:@(\d{1,15}))?(.*)$/is;
const NUMBERED = /^(0x[0-9a-f]{40})@(\d{1,15})$/i;
/** No chain has a name that is longer. */
const PREFIXED = /^(eip155:\d{1,15}|[a-z0-9-]{1,32}):(0x.*)$/is;
const CAIP_2 = /^eip155:(\d+)$/i;

function onChain(written: string, chain: number | string, ours: number): PastedAddress {
  return chain === ours ? { kind: 'here', written } : { kind: 'elsewhere', written, chain };
}

/** Whether a text is meant as an address, right or wrong. Ids of users and apps, and e-mail addresses, may begin with 0x too. */
export const isAddressForm = (text: string): boolean =>
  /^0x[^@]*$/i.test(text) || [URI, NUMBERED, PREFIXED].some((form) => form.test(text));

/** Whether a text names an account by an address, right or wrong, and not by the id of its owner. */
export const namesAddress = (text: string): boolean => isAddressForm(text) && !isOwnerId(text);

const LIKE_ADDRESS = 'it begins with 0x, and has 40 digits from 0 to 9 and a to f';

/** What is wrong with an address as people paste it, and what to do. Null: nothing. */
export function faultOfPasted(text: string, chainId: number): string | null {
  const pasted = readPasted(text, chainId);
  if (pasted.kind === 'more') return `has more than an address in it: write the address alone, ${LIKE_ADDRESS}`;
  const fault = faultOfAddress(pasted.written);
  if (fault !== null || pasted.kind === 'here') return fault;
  const { chain, written } = pasted;
  const theirs =
    typeof chain === 'string'
      ? 'is an address on a chain that is not known here'
      : `is an address on ${chainName(chain)}`;
  return `${theirs}, and quarters are on ${chainName(chainId)}: if it is theirs there too, write ${written}`;
}

/** What is wrong with an address alone, and what to do. Null: nothing. */
export function faultOfAddress(text: string): string | null {
  if (parseAddress(text)) return null;
  if (/^[0-9a-f]{40}$/i.test(text)) return `lacks its beginning: write 0x${text}`;
  if (/^0x[0-9a-f]*$/i.test(text)) {
    const digits = text.length - 2;
    if (digits !== 40) return `has ${digits} digits after 0x, and an address has 40: copy it again`;
    return text.startsWith('0X')
      ? `begins with 0X: write 0x${text.slice(2)}`
      : 'has a wrong checksum: a letter is mistyped, so copy it again';
  }
  return `is not an address: ${LIKE_ADDRESS}`;
}

/** The address that an operator has pasted. Throws `invalid-input` at the `pointer`. */
export function pastedAddress(text: string, chainId: number, pointer: string): Address {
  const fault = faultOfPasted(text, chainId);
  if (fault !== null) throw invalidInput(pointer, fault);
  return parseAddress((readPasted(text, chainId) as { readonly written: string }).written)!;
}
