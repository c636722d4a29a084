import { keccak256 } from 'viem/utils';
import { type Hex, hexToBytes } from '../base/hex.ts';

/**
 * Whether a header's logs bloom may contain `value` (an address or a topic); false is certain. It is the 2048-bit
 * filter of the Ethereum yellow paper, section 4.3.1: three 11-bit numbers from the value's Keccak-256.
 */
export function logsBloomContains(bloom: Hex, value: Hex): boolean {
  const bits = hexToBytes(bloom);
  const hash = hexToBytes(keccak256(value));
  return [0, 2, 4].every((offset) => {
    const bit = hash.readUInt16BE(offset) & 2047;
    return ((bits[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;
  });
}
