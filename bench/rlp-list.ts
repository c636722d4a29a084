/** An item of a list. `whole` includes its head. The value of a list is its content. */
type Item = { readonly value: Buffer; readonly whole: Buffer };

/** The items of an encoded list (Ethereum yellow paper, appendix B). */
export function readList(bytes: Buffer): Item[] {
  const { value: content } = readItem(bytes);
  const items: Item[] = [];
  for (let at = 0; at < content.length; at += items.at(-1)!.whole.length) items.push(readItem(content.subarray(at)));
  return items;
}

/** Encodes a list of items that are encoded already. */
export function writeList(items: readonly Buffer[]): Buffer {
  const content = Buffer.concat(items);
  if (content.length < 56) return Buffer.concat([Buffer.from([0xc0 + content.length]), content]);
  const length = Buffer.from(content.length.toString(16).padStart(8, '0'), 'hex');
  const short = length.subarray(length.findIndex((byte) => byte !== 0));
  return Buffer.concat([Buffer.from([0xf7 + short.length]), short, content]);
}

function readItem(bytes: Buffer): Item {
  const first = bytes[0]!;
  if (first < 0x80) return { value: bytes.subarray(0, 1), whole: bytes.subarray(0, 1) };
  const base = first < 0xc0 ? 0x80 : 0xc0;
  const size = first - base;
  const head = size < 56 ? 1 : 1 + size - 55;
  const length = size < 56 ? size : bytes.readUIntBE(1, size - 55);
  return { value: bytes.subarray(head, head + length), whole: bytes.subarray(0, head + length) };
}
