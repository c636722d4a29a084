import { crc32 } from 'node:zlib';
import type { AppId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';

/** A small PNG, checked by {@link readPicture}. */
export type Picture = Buffer & { readonly __kind: 'picture' };

export const MAX_PICTURE_BYTES = 8192;
export const MAX_PICTURE_SIDE = 128;

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

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

/**
 * Reads an uploaded picture: a PNG (W3C, third edition) without animation, of at most 8 kB and 128 pixels on each side. Its chunks are
 * checked; its file name is not used. Texts, places, dates and profiles are dropped. `fault` is the end of a sentence.
 */
export function readPicture(file: Uint8Array): { readonly picture: Picture } | { readonly fault: string } {
  const bytes = Buffer.from(file);
  if (bytes.length > MAX_PICTURE_BYTES) return { fault: `must have at most ${MAX_PICTURE_BYTES} bytes` };
  const chunks = bytes.subarray(0, 8).equals(SIGNATURE) ? chunksOf(bytes) : null;
  const [header] = chunks ?? [];
  if (!chunks || !isHeader(header)) return { fault: 'must be a PNG picture' };
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  if (Math.min(width, height) < 1 || Math.max(width, height) > MAX_PICTURE_SIDE) {
    return { fault: `must be at most ${MAX_PICTURE_SIDE} pixels wide and high` };
  }
  if (chunks.some(({ type }) => /^(acTL|fcTL|fdAT)$/.test(type))) return { fault: 'must not move' };
  const types = chunks.map(({ type }) => type);
  // A capital first letter marks a critical chunk (section 5.4). We refuse pictures with unknown ones.
  const unknown = types.some((type) => /^[A-Z]/.test(type) && !KEPT.includes(type));
  const once = ['IHDR', 'IEND'].every((name) => types.filter((type) => type === name).length === 1);
  if (unknown || !once || !types.includes('IDAT')) return { fault: 'must be a PNG picture' };
  const kept = chunks.filter(({ type }) => KEPT.includes(type)).map(({ whole }) => whole);
  return { picture: Buffer.concat([SIGNATURE, ...kept]) as Picture };
}

/** Null if the chunks do not fill the file up to its end (`IEND`): it is truncated, or has other data behind. */
function chunksOf(bytes: Buffer): Chunk[] | null {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < bytes.length; ) {
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

/** Replaces an app's picture. False if it is the same one. */
export async function storePicture({ query }: Queries, id: AppId, picture: Picture): Promise<boolean> {
  const changed = await query(
    `INSERT INTO app_pictures (app_id, bytes) VALUES ($1, $2)
     ON CONFLICT (app_id) DO UPDATE SET bytes = excluded.bytes WHERE app_pictures.bytes <> excluded.bytes RETURNING 1`,
    [id, picture],
  );
  return changed.length > 0;
}

/** False if the app has none. */
export async function removePicture({ query }: Queries, id: AppId): Promise<boolean> {
  return (await query('DELETE FROM app_pictures WHERE app_id = $1 RETURNING 1', [id])).length > 0;
}

/** The app's current picture, if it has this hash (hex); otherwise null. */
export async function findPicture({ query }: Queries, id: AppId, hash: string): Promise<Buffer | null> {
  const [row] = await query<{ bytes: Buffer }>(
    `SELECT bytes FROM app_pictures WHERE app_id = $1 AND hash = decode($2, 'hex')`,
    [id, hash],
  );
  return row?.bytes ?? null;
}
