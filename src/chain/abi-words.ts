import type { Address } from '../base/address.ts';
import type { Hex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';

const WORD = 32;

/**
 * Writes values one after another into 32-byte words, after a prefix. It serves calls of contracts, whose prefix is a
 * selector (the ABI's encoding of static types), and structs to sign, whose prefix is a type hash (EIP-712, `encodeData`).
 */
export class AbiWords {
  readonly #data: Buffer;
  #at: number;

  constructor(prefix: Uint8Array, words: number) {
    this.#data = Buffer.allocUnsafe(prefix.length + words * WORD).fill(0, prefix.length);
    this.#data.set(prefix);
    this.#at = prefix.length;
  }

  address(address: Address): this {
    return this.#hex(address, 20);
  }

  /** A number of at most 64 bits; a larger one throws a `RangeError`. */
  uint(value: bigint): this {
    this.#at = this.#data.writeBigUInt64BE(value, this.#at + WORD - 8);
    return this;
  }

  bytes32(value: Hex): this {
    return this.#hex(value, WORD);
  }

  /** Whole words, as they are. */
  words(words: Uint8Array): this {
    this.#data.set(words, this.#at);
    this.#at += words.length;
    return this;
  }

  /** Throws if the words are not as many as announced. */
  done(): Buffer {
    if (this.#at !== this.#data.length) throw new Error(`${this.#data.length - this.#at} bytes were not written`);
    return this.#data;
  }

  #hex(hex: Hex, size: number): this {
    this.#at += WORD;
    // Reading hexadecimal digits stops at anything else, so the count shows that all of them are there.
    const written = hex.length === 2 + 2 * size && this.#data.write(hex.slice(2), this.#at - size, 'hex');
    if (written !== size) throw new Error(`${hex} has not ${size} bytes`);
    return this;
  }
}

/** The hash of a text: of a type (EIP-712), or of the signature of an event, which is its topic. */
export function hashText(text: string): Buffer {
  return keccak256(Buffer.from(text));
}

/** The first bytes of a call, from the signature of a function: `transfer(address,uint256)`. */
export function selectorOf(signature: string): Buffer {
  return hashText(signature).subarray(0, 4);
}
