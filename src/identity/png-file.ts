import { crc32 } from 'node:zlib';

/** What the chunks of a picture say. `cleaned`: the file without texts, places, dates and profiles. */
export type PictureFile = {
  readonly width: number;
  readonly height: number;
  readonly moves: boolean;
  readonly cleaned: Buffer;
};

export const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** Bit depths by colour type (PNG, section 11.2.1). */
const BIT_DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/** The chunks that a decoder needs. */
const KEPT = ['IHDR', 'PLTE', 'tRNS', 'gAMA', 'sRGB', 'IDAT', 'IEND'];

type Chunk = { readonly type: string; readonly data: Buffer; readonly whole: Buffer };

/** Reads a PNG (W3C, third edition) and leaves only the chunks that draw it. Null: it is none, or a damaged one. */
export function readPng(bytes: Buffer): PictureFile | null {
  const chunks = chunksOf(bytes);
  const [header] = chunks ?? [];
  if (!chunks || !isHeader(header)) return null;
  const types = chunks.map(({ type }) => type);
  // A capital first letter marks a critical chunk (section 5.4). We refuse pictures with unknown ones.
  const unknown = types.some((type) => /^[A-Z]/.test(type) && !KEPT.includes(type));
  const once = ['IHDR', 'IEND'].every((name) => types.filter((type) => type === name).length === 1);
  if (unknown || !once || !types.includes('IDAT')) return null;
  const kept = chunks.filter(({ type }) => KEPT.includes(type)).map(({ whole }) => whole);
  return {
    width: header.data.readUInt32BE(0),
    height: header.data.readUInt32BE(4),
    moves: types.some((type) => /^(acTL|fcTL|fdAT)$/.test(type)),
    cleaned: Buffer.concat([PNG_SIGNATURE, ...kept]),
  };
}

/** Null if the chunks do not fill the file up to its end (`IEND`): it is truncated, or has other data behind. */
function chunksOf(bytes: Buffer): Chunk[] | null {
  const chunks: Chunk[] = [];
  for (let at = PNG_SIGNATURE.length; at < bytes.length; ) {
    if (bytes.length - at < 12) return null;
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return null;
    const type = bytes.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: bytes.subarray(at + 8, end - 4), whole: bytes.subarray(at, end) });
    at = end;
  }
  return chunks.at(-1)?.type === 'IEND' ? chunks : null;
}

function isHeader(chunk: Chunk | undefined): chunk is Chunk {
  if (chunk?.type !== 'IHDR' || chunk.data.length !== 13) return false;
  const [depth = 0, colour = 0, compression, filter, interlace = 2] = chunk.data.subarray(8);
  return !!BIT_DEPTHS[colour]?.includes(depth) && compression === 0 && filter === 0 && interlace <= 1;
}
