import type { PictureFile } from './png-file.ts';

type Chunk = { readonly type: string; readonly data: Buffer; readonly whole: Buffer };
type Size = { readonly width: number; readonly height: number };

const HEADER_BYTES = 12;
const ALPHA_FLAG = 0x10;
const ANIMATION_FLAG = 0x02;

/** Whether the file says that it is a WebP (RFC 9649, section 2.4). */
export function isWebp(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
}

/** Reads a WebP (RFC 9649) and leaves only the chunks that draw it. Null: it is damaged. */
export function readWebp(bytes: Buffer): PictureFile | null {
  const chunks = chunksOf(bytes);
  const [first] = chunks ?? [];
  if (!chunks || !first) return null;
  const canvas = first.type === 'VP8X' ? extendedSize(first.data) : null;
  const moves =
    (canvas && (first.data[0]! & ANIMATION_FLAG) !== 0) || chunks.some(({ type }) => /^AN(IM|MF)$/.test(type));
  if (canvas && moves) return { ...canvas, moves, cleaned: bytes };
  // Without VP8X, the file is one chunk (section 2.5, 2.6).
  if (first.type === 'VP8X' ? !canvas : chunks.length !== 1) return null;
  const pictures = chunks.filter(({ type }) => type === 'VP8 ' || type === 'VP8L');
  const [picture] = pictures;
  const size = picture && pictures.length === 1 ? sizeOf(picture) : null;
  if (!picture || !size || (canvas && (canvas.width !== size.width || canvas.height !== size.height))) return null;
  // VP8L holds its own transparency.
  const alphas = picture.type === 'VP8 ' ? chunks.filter(({ type }) => type === 'ALPH') : [];
  if (alphas.length > 1 || (alphas[0] && chunks.indexOf(alphas[0]) > chunks.indexOf(picture))) return null;
  const kept = alphas[0] ? [extendedHeader(size), alphas[0].whole, picture.whole] : [picture.whole];
  return { ...size, moves: false, cleaned: riff(kept) };
}

/** Null if the chunks do not fill the file exactly, as its header says. */
function chunksOf(bytes: Buffer): Chunk[] | null {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(4) !== bytes.length - 8) return null;
  const chunks: Chunk[] = [];
  for (let at = HEADER_BYTES; at < bytes.length; ) {
    if (bytes.length - at < 8) return null;
    const length = bytes.readUInt32LE(at + 4);
    // Chunks have an even length.
    const end = at + 8 + length + (length % 2);
    if (end > bytes.length || (length % 2 === 1 && bytes[end - 1] !== 0)) return null;
    const type = bytes.toString('latin1', at, at + 4);
    chunks.push({ type, data: bytes.subarray(at + 8, at + 8 + length), whole: bytes.subarray(at, end) });
    at = end;
  }
  return chunks;
}

function sizeOf({ type, data }: Chunk): Size | null {
  return type === 'VP8 ' ? lossySize(data) : losslessSize(data);
}

/** Of a key frame that is shown (RFC 6386, section 9.1). */
function lossySize(data: Buffer): Size | null {
  if (data.length < 10 || data.readUIntBE(3, 3) !== 0x9d012a) return null;
  const tag = data.readUIntLE(0, 3);
  const isKeyFrame = (tag & 1) === 0;
  const isShown = ((tag >> 4) & 1) === 1;
  const firstPartition = tag >> 5;
  if (!isKeyFrame || !isShown || firstPartition > data.length - 10) return null;
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
}

/** RFC 9649, section 3.4. */
function losslessSize(data: Buffer): Size | null {
  if (data.length < 6 || data[0] !== 0x2f) return null;
  const bits = data.readUInt32LE(1);
  const version = bits >>> 29;
  return version === 0 ? { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 } : null;
}

function extendedSize(data: Buffer): Size | null {
  if (data.length !== 10) return null;
  return { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
}

/** Of a still picture with a chunk of transparency (section 2.7). */
function extendedHeader({ width, height }: Size): Buffer {
  const header = Buffer.alloc(18);
  header.write('VP8X', 'latin1');
  header.writeUInt32LE(10, 4);
  header[8] = ALPHA_FLAG;
  header.writeUIntLE(width - 1, 12, 3);
  header.writeUIntLE(height - 1, 15, 3);
  return header;
}

function riff(chunks: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}
