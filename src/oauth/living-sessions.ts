import type { Query } from '../db/database.ts';
import { hashId, type OAuthRecord } from './records.ts';

type Queries = { readonly query: Query };

/** The cookie's value, or the identifier that gives no access. */
export type SessionKey = { readonly id: string } | { readonly uid: string };

/** A use is stored if the last stored one is this old, or a tenth of the idle limit if that is less. So most pages write nothing. */
const NOTED_SECONDS = 5 * 60;

/** During an upgrade, processes of an earlier version store no use: their sessions count as used when they were created. */
export const USED_AT = 'coalesce(used_at, created_at)';

/**
 * SQL: the session has neither expired nor been idle for too long. `minutes`: the parameter with the limit. The provider's records of
 * visitors who are not signed in have no such limit, as they live for an hour only.
 */
export function isLiving(minutes: `$${number}`): string {
  return `expires_at > now() AND (user_id IS NULL OR ${USED_AT} > now() - make_interval(mins => ${minutes}::integer))`;
}

/**
 * Finds the record of a living session and stores its use. Our pages and the provider both read sessions with this, so the same rule
 * ends them. Null if there is none, or it has ended, expired, or was idle for `idleMinutes`.
 */
export async function useSessionRecord(db: Queries, key: SessionKey, idleMinutes: number): Promise<OAuthRecord | null> {
  const [column, value] = 'id' in key ? ['hash', hashId(key.id)] : ['uid', key.uid];
  const [row] = await db.query<OAuthRecord & { readonly hash: Buffer; readonly unusedSeconds: number }>(
    `SELECT hash, payload, expires_at AS "expiresAt", NULL AS "consumedAt",
            extract(epoch FROM now() - ${USED_AT})::float8 AS "unusedSeconds"
       FROM oauth_records WHERE model = 'Session' AND ${column} = $1 AND ${isLiving('$2')}`,
    [value, idleMinutes],
  );
  if (!row) return null;
  const { hash, unusedSeconds, ...record } = row;
  if (unusedSeconds > Math.min(NOTED_SECONDS, idleMinutes * 6)) await noteUse(db, hash);
  return record;
}

/** Skips a locked row, so that no page waits for a payment. The next page stores the use. */
async function noteUse({ query }: Queries, hash: Buffer): Promise<void> {
  await query(
    `UPDATE oauth_records SET used_at = now() WHERE model = 'Session' AND hash = (
       SELECT hash FROM oauth_records WHERE model = 'Session' AND hash = $1 FOR NO KEY UPDATE SKIP LOCKED)`,
    [hash],
  );
}
