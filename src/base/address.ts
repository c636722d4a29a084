import { getAddress } from 'viem/utils';

/** An Ethereum address in lower case: one spelling inside the program and the database, EIP-55 only at the edge. */
export type Address = `0x${string}` & { readonly __kind: 'address' };

/**
 * Reads an address in any letter case.
 *
 * A mixed-case one carries a checksum (EIP-55), and a wrong checksum is a typing error that would send quarters to nobody.
 * Returns null where the text is no address or its checksum is wrong.
 */
export function parseAddress(text: string): Address | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return null;
  const digits = text.slice(2);
  const mixedCase = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  const address = text.toLowerCase() as Address;
  return mixedCase && toChecksum(address) !== text ? null : address;
}

/** Brands text that is known to be an address (a database column, a log topic, a key of ours). */
export function asAddress(text: string): Address {
  return text.toLowerCase() as Address;
}

/** The EIP-55 spelling, for everything that leaves the program. */
export function toChecksum(address: Address): `0x${string}` {
  return getAddress(address);
}

/** Supply comes from here: its balance in the ledger is −supply, and the token knows none of it. */
export const ZERO_ADDRESS = asAddress(`0x${'0'.repeat(40)}`);
