/*
 * RLP (Ethereum yellow paper, appendix B), the form of transactions, receipts and headers: strings of bytes, and lists of
 * them. A head says which of the two follows, and how long it is.
 *
 * Encodings are texts of hexadecimal digits without 0x, because JSON-RPC gives all values so, and texts are put together
 * faster than bytes.
 */

const STRING = 0x80;
const LIST = 0xc0;
/** A head of one byte says lengths below this. Above it, the head says how many bytes the length takes. */
const LONG = 56;

/** `digits`: two for each byte, without 0x. */
export function rlpString(digits: string): string {
  // A small byte is its own encoding.
  if (digits.length === 2 && digits < '80') return digits;
  return head(STRING, digits.length / 2) + digits;
}

/** A number from 0 on: its bytes without leading zeros, so 0 has none. A negative one throws a `RangeError`. */
export function rlpNumber(value: bigint): string {
  if (value < 0n) throw new RangeError(`${value} has no RLP`);
  return rlpString(value === 0n ? '' : evenDigits(value.toString(16)));
}

/** A list of what is encoded already. */
export function rlpList(items: readonly string[]): string {
  const content = items.join('');
  return head(LIST, content.length / 2) + content;
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

function head(kind: typeof STRING | typeof LIST, length: number): string {
  if (length < LONG) return (kind + length).toString(16);
  const size = evenDigits(length.toString(16));
  return (kind + LONG - 1 + size.length / 2).toString(16) + size;
}

const evenDigits = (digits: string): string => (digits.length % 2 === 0 ? digits : `0${digits}`);

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
