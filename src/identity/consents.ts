import type { AppId, UserId } from '../base/ids.ts';
import { columnsOf, type Queries, type Tx } from '../db/database.ts';
import type { Scope } from './callers.ts';

/** What a user allows an app, until it is withdrawn. */
export type Consent = { readonly scopes: Scope[]; readonly grantedAt: Date };

/** Null if it was never given or is withdrawn. `settled`: waits for a withdrawal that is running now. */
export async function findConsent(
  { query }: Queries,
  userId: UserId,
  appId: AppId,
  { settled = false } = {},
): Promise<Consent | null> {
  const [row] = await query<Consent>(
    `SELECT scopes, granted_at AS "grantedAt" FROM consents WHERE user_id = $1 AND app_id = $2 AND revoked_at IS NULL
     ${settled ? 'FOR SHARE' : ''}`,
    [userId, appId],
  );
  return row ?? null;
}

export type UserAndApp = { readonly userId: UserId; readonly appId: AppId };

/** Which of these users allow these apps what `scope` names. It waits for withdrawals that are running now, and others wait for us. */
export async function holdConsents(
  { query }: Tx,
  pairs: readonly UserAndApp[],
  scope: Scope,
): Promise<readonly UserAndApp[]> {
  if (pairs.length === 0) return [];
  return query(
    `SELECT user_id AS "userId", app_id AS "appId" FROM consents
      WHERE (user_id, app_id) IN (SELECT * FROM unnest($1::text[], $2::text[])) AND revoked_at IS NULL AND $3 = ANY(scopes)
      ORDER BY user_id, app_id FOR SHARE`,
    [...columnsOf(pairs, ['userId', 'appId']), scope],
  );
}

/** Adds `scopes` to those the app has already. Scopes that were withdrawn earlier do not return. */
export async function grantConsent(
  { query }: Queries,
  { userId, appId, scopes }: { userId: UserId; appId: AppId; scopes: readonly Scope[] },
): Promise<void> {
  await query(
    `INSERT INTO consents AS c (user_id, app_id, scopes) VALUES ($1, $2, $3)
     ON CONFLICT (user_id, app_id) DO UPDATE SET
       scopes = CASE WHEN c.revoked_at IS NULL
         THEN ARRAY(SELECT DISTINCT unnest(c.scopes || excluded.scopes) ORDER BY 1) ELSE excluded.scopes END,
       granted_at = now(), revoked_at = NULL`,
    [userId, appId, scopes],
  );
}

/** The apps that have a user's consent. */
export async function listConsents(
  { query }: Queries,
  userId: UserId,
): Promise<(Consent & { readonly appId: AppId })[]> {
  return query(
    `SELECT app_id AS "appId", scopes, granted_at AS "grantedAt" FROM consents
      WHERE user_id = $1 AND revoked_at IS NULL ORDER BY granted_at, app_id`,
    [userId],
  );
}

export async function revokeConsent({ query }: Queries, userId: UserId, appId: AppId): Promise<void> {
  await query('UPDATE consents SET revoked_at = now() WHERE user_id = $1 AND app_id = $2 AND revoked_at IS NULL', [
    userId,
    appId,
  ]);
}

/** Withdraws all consents of a user. Locks them in the order of the apps. */
export async function revokeConsentsOf({ query }: Tx, userId: UserId): Promise<void> {
  await query(
    `WITH living AS (
       SELECT app_id FROM consents WHERE user_id = $1 AND revoked_at IS NULL ORDER BY app_id FOR NO KEY UPDATE)
     UPDATE consents SET revoked_at = now() FROM living WHERE user_id = $1 AND consents.app_id = living.app_id`,
    [userId],
  );
}

/** Withdraws all consents for an app that is being deleted. */
export async function revokeConsentsFor({ query }: Tx, appId: AppId): Promise<void> {
  await query(
    `WITH living AS (
       SELECT user_id FROM consents WHERE app_id = $1 AND revoked_at IS NULL ORDER BY user_id FOR NO KEY UPDATE)
     UPDATE consents SET revoked_at = now() FROM living WHERE app_id = $1 AND consents.user_id = living.user_id`,
    [appId],
  );
}
