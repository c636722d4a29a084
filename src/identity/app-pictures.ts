import type { AppId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';
import { type PictureFile, PNG_SIGNATURE, readPng } from './png-file.ts';
import { isWebp, readWebp } from './webp-file.ts';

/** A small PNG or WebP, checked by {@link readPicture}. */
export type Picture = Buffer & { readonly __kind: 'picture' };

/** The type of such a file. */
export type PictureType = 'png' | 'webp';

/** The approval page with styles, scripts and picture is to weigh at most 30 kB, because players wait for it on mobile networks. */
export const MAX_PICTURE_BYTES = 8192;
export const MAX_PICTURE_SIDE = 256;

/**
 * Reads an uploaded picture: a PNG or WebP without animation, of at most 8 kB and 256 pixels on each side. Its chunks are checked; its file
 * name is not used. `fault` is the end of a sentence.
 */
export function readPicture(file: Uint8Array): { readonly picture: Picture } | { readonly fault: string } {
  const bytes = Buffer.from(file);
  if (bytes.length > MAX_PICTURE_BYTES) {
    return { fault: `must have at most ${MAX_PICTURE_BYTES} bytes; WebP files are the smallest` };
  }
  const read = fileIn(bytes);
  if (!read) return { fault: 'must be a PNG or WebP picture' };
  if (Math.min(read.width, read.height) < 1 || Math.max(read.width, read.height) > MAX_PICTURE_SIDE) {
    return { fault: `must be at most ${MAX_PICTURE_SIDE} pixels wide and high` };
  }
  return read.moves ? { fault: 'must not move' } : { picture: read.cleaned as Picture };
}

function fileIn(bytes: Buffer): PictureFile | null {
  if (bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return readPng(bytes);
  return isWebp(bytes) ? readWebp(bytes) : null;
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

/** The app's current picture, if it has this hash (hex) and type; otherwise null. */
export async function findPicture(
  { query }: Queries,
  id: AppId,
  hash: string,
  type: PictureType,
): Promise<Buffer | null> {
  const [row] = await query<{ bytes: Buffer }>(
    `SELECT bytes FROM app_pictures WHERE app_id = $1 AND hash = decode($2, 'hex') AND type = $3`,
    [id, hash, type],
  );
  return row?.bytes ?? null;
}
