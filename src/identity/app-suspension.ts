import type { AppId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';

/** Marks a locked app as suspended (`true`), or as not suspended any more. Returns since when it is. */
export async function storeSuspended({ query }: Tx, id: AppId, isSuspended: boolean): Promise<Date | null> {
  const [app] = await query<{ suspendedAt: Date | null }>(
    `UPDATE apps SET suspended_at = CASE WHEN $2 THEN coalesce(suspended_at, now()) END
      WHERE id = $1 RETURNING suspended_at AS "suspendedAt"`,
    [id, isSuspended],
  );
  return app?.suspendedAt ?? null;
}
