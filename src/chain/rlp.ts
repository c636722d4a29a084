/*
 * RLP (Ethereum yellow paper, appendix B), the form of transactions: strings of bytes, and lists of them. A head says
 * which of the two follows, and how long it is.
 */

const STRING = 0x80;
const LIST = 0xc0;
/** A head of one byte says lengths below this. Above it, the head says how many bytes the length takes. */
const LONG = 56;

export function rlpString(bytes: Uint8Array): Buffer {
  // A small byte is its own encoding.
  if (bytes.length === 1 && bytes[0]! < STRING) return Buffer.from(bytes);
  return Buffer.concat([head(STRING, bytes.length), bytes]);
}

/** A number from 0 on: its bytes without leading zeros, so 0 has none. A negative one throws a `RangeError`. */
export function rlpNumber(value: bigint): Buffer {
  return rlpString(bigEndian(value));
}

/** A list of what is encoded already. */
export function rlpList(items: readonly Uint8Array[]): Buffer {
  const length = items.reduce((sum, item) => sum + item.length, 0);
  return Buffer.concat([head(LIST, length), ...items]);
}

/** The contents of each item of a list. Throws if `encoded` is not exactly one list. */
export function readRlpList(encoded: Buffer): Buffer[] {
  const list = readItem(encoded);
  if (encoded[0]! < LIST || list.rest.length > 0) throw new Error('The bytes are not one RLP list');
  const items: Buffer[] = [];
  for (let rest = list.content; rest.length > 0; ) {
    const item = readItem(rest);
    items.push(item.content);
    rest = item.rest;
  }
  return items;
}

/** The number whose bytes an item holds. */
export function readRlpNumber(content: Buffer): bigint {
  return content.length === 0 ? 0n : BigInt(`0x${content.toString('hex')}`);
}

function head(kind: typeof STRING | typeof LIST, length: number): Buffer {
  if (length < LONG) return Buffer.from([kind + length]);
  const size = bigEndian(BigInt(length));
  return Buffer.concat([Buffer.from([kind + LONG - 1 + size.length]), size]);
}

function bigEndian(value: bigint): Buffer {
  if (value < 0n) throw new RangeError(`${value} has no RLP`);
  if (value === 0n) return Buffer.alloc(0);
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}

function readItem(bytes: Buffer): { readonly content: Buffer; readonly rest: Buffer } {
  const [first] = bytes;
  if (first === undefined) throw new Error('The bytes end before an RLP item');
  if (first < STRING) return { content: bytes.subarray(0, 1), rest: bytes.subarray(1) };
  const announced = first - (first < LIST ? STRING : LIST);
  const sizeBytes = announced < LONG ? 0 : announced - LONG + 1;
  const start = 1 + sizeBytes;
  const end = start + (sizeBytes === 0 ? announced : bytes.readUIntBE(1, sizeBytes));
  if (end > bytes.length) throw new Error('The bytes end inside an RLP item');
  return { content: bytes.subarray(start, end), rest: bytes.subarray(end) };
}
