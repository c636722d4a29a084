import type { AppId } from '../base/ids.ts';
import type { Query } from '../db/database.ts';
import type { Picture } from './picture-file.ts';

type Queries = { readonly query: Query };

/** Replaces an app's picture. False if it is the same one. */
export async function storePicture({ query }: Queries, id: AppId, picture: Picture): Promise<boolean> {
  const changed = await query(
    `INSERT INTO app_pictures (app_id, png) VALUES ($1, $2)
     ON CONFLICT (app_id) DO UPDATE SET png = excluded.png WHERE app_pictures.png <> excluded.png RETURNING 1`,
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
  const [row] = await query<{ png: Buffer }>(
    `SELECT png FROM app_pictures WHERE app_id = $1 AND hash = decode($2, 'hex')`,
    [id, hash],
  );
  return row?.png ?? null;
}
