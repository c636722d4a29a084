/** Bytes written as `0x` and lower-case hexadecimal digits. */
export type Hex = `0x${string}`;

/** A 32-byte hash (of a transaction or a block). */
export type Hash = `0x${string}` & { readonly __kind: 'hash' };

export function asHash(text: string): Hash {
  return text.toLowerCase() as Hash;
}

const HASH = /^0x[0-9a-f]{64}$/i;

/** A hash from outside, in any letter case; null for any other text. */
export function hashFrom(text: string): Hash | null {
  return HASH.test(text) ? asHash(text) : null;
}

export function hexToBytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}

export function bytesToHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}
