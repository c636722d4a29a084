import { bytesToHex, type Hex, hexToBytes } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';

/*
 * The 2048-bit filter of the Ethereum yellow paper, section 4.3.1. A block's header and each receipt have one, of the addresses and topics of
 * their logs.
 */

const BYTES = 256;

/** A value's three bits: 11-bit numbers from its Keccak-256. */
function bitsOf(value: Hex): readonly number[] {
  const hash = keccak256(hexToBytes(value));
  return [0, 2, 4].map((offset) => hash.readUInt16BE(offset) & 2047);
}

/** Whether a bloom may contain `value` (an address or a topic); false is certain if the bloom is true. */
export function logsBloomContains(bloom: Hex, value: Hex): boolean {
  const bytes = hexToBytes(bloom);
  return bitsOf(value).every((bit) => ((bytes[BYTES - 1 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0);
}

/** The bloom that these logs have. */
export function bloomOf(logs: readonly { readonly address: string; readonly topics: readonly string[] }[]): Hex {
  const bytes = Buffer.alloc(BYTES);
  for (const value of new Set(logs.flatMap(({ address, topics }) => [address, ...topics]))) {
    for (const bit of bitsOf(value as Hex)) bytes[BYTES - 1 - (bit >> 3)]! |= 1 << (bit & 7);
  }
  return bytesToHex(bytes);
}
