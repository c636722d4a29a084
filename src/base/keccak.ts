import { hash } from 'node:crypto';

/** Keccak-256, the hash of Ethereum (yellow paper, appendix G): 32 bytes. It pads its input otherwise than SHA3-256 does. */
export function keccak256(bytes: Uint8Array): Buffer {
  // Asking for text and reading it takes less time than asking for a Buffer.
  return Buffer.from(hash('keccak-256', bytes), 'hex');
}
