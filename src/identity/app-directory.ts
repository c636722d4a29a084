import type { AppId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';
import { type App, findApps } from './apps.ts';

/** Apps with a text anywhere in their name, by name; deleted ones too, at most `most`. Letters count as in `findUsersByPart`. */
export async function findAppsByName({ query }: Queries, part: string, most: number): Promise<App[]> {
  const rows = await query<{ id: AppId }>(
    `SELECT id FROM apps
      WHERE search_pairs(search_form(name)) @> search_pairs(search_form($1)) AND strpos(search_form(name), search_form($1)) > 0
        AND length(search_form($1)) > 1
      ORDER BY lower(name) COLLATE "C", id LIMIT $2`,
    [part, most],
  );
  return inOrder({ query }, rows);
}

/** All apps, deleted ones too, newest first. With `before`, those that were registered before that one. */
export async function readAppPage({ query }: Queries, before: AppId | null, limit: number): Promise<App[]> {
  const rows = await query<{ id: AppId }>(
    `SELECT id FROM apps
      WHERE $1::text IS NULL OR (created_at, id) < (SELECT created_at, id FROM apps WHERE id = $1)
      ORDER BY created_at DESC, id DESC LIMIT $2`,
    [before, limit],
  );
  return inOrder({ query }, rows);
}

/** How many guests an app has made, those included who became full users. */
export async function countGuestsMade({ query }: Queries, appId: AppId): Promise<number> {
  const [row] = await query<{ count: number }>(
    'SELECT coalesce(sum(count), 0)::float8 AS count FROM guest_counts WHERE app_id = $1',
    [appId],
  );
  return row!.count;
}

async function inOrder(db: Queries, rows: readonly { readonly id: AppId }[]): Promise<App[]> {
  const apps = await findApps(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map(({ id }) => apps.get(id)!);
}
