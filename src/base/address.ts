import { keccak256 } from './keccak.ts';

/** An Ethereum address in lower case. The program and the database use only this spelling; EIP-55 is for output. */
export type Address = `0x${string}` & { readonly __kind: 'address' };

/**
 * Reads an address in any letter case.
 *
 * Mixed case carries a checksum (EIP-55). A wrong checksum is a typing error that would send quarters to nobody.
 * Returns null if the text is not an address or its checksum is wrong.
 */
export function parseAddress(text: string): Address | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return null;
  const digits = text.slice(2);
  const mixedCase = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  const address = text.toLowerCase() as Address;
  return mixedCase && toChecksum(address) !== text ? null : address;
}

/** Brands text that is known to be an address, such as a database column or a log topic. */
export function asAddress(text: string): Address {
  return text.toLowerCase() as Address;
}

/** Returns the EIP-55 spelling, for all output: letters are capitals where the hash of the digits has 8 or more. */
export function toChecksum(address: Address): `0x${string}` {
  const digits = address.slice(2);
  const hash = keccak256(Buffer.from(digits)).toString('hex');
  return `0x${digits.replace(/[a-f]/g, (digit, i) => (hash[i]! >= '8' ? digit.toUpperCase() : digit))}`;
}

/** The source of the supply. Its balance in the ledger is −supply; in the token it has none. */
export const ZERO_ADDRESS = asAddress(`0x${'0'.repeat(40)}`);
