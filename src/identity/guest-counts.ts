import type { AppId } from '../base/ids.ts';
import type { Query } from '../db/database.ts';

/** Counts a guest that an app creates today (UTC). False, and not counted, if it has created `most` already. */
export async function countGuest({ query }: { query: Query }, appId: AppId, most: number): Promise<boolean> {
  const rows = await query(
    `INSERT INTO guest_counts AS counted (app_id, day, count) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 1)
     ON CONFLICT (app_id, day) DO UPDATE SET count = counted.count + 1 WHERE counted.count < $2
     RETURNING 1`,
    [appId, most],
  );
  return rows.length === 1;
}
