import { createHash } from 'node:crypto';
import type { AppId, UserId } from '../base/ids.ts';
import type { Query } from '../db/database.ts';
import type { KeptRows } from '../db/keep-until.ts';

type Queries = { readonly query: Query };

/** The provider's name for a kind of record. */
export type Model =
  | 'Session'
  | 'Interaction'
  | 'Grant'
  | 'AuthorizationCode'
  | 'AccessToken'
  | 'RefreshToken'
  | (string & {});

/** What the provider stores, with its field names. Times are in seconds since 1970. */
export type Payload = {
  readonly iat?: number;
  readonly exp?: number;
  readonly jti?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly accountId?: UserId;
  readonly clientId?: AppId;
  readonly grantId?: string;
  readonly scope?: string;
  readonly [field: string]: unknown;
};

export type OAuthRecord = {
  readonly payload: Payload;
  readonly expiresAt: Date;
  readonly consumedAt: Date | null;
};

const COLUMNS = 'payload, expires_at AS "expiresAt", consumed_at AS "consumedAt"';

/** These are valid only as long as their grant exists. */
const OF_A_GRANT: ReadonlySet<string> = new Set<Model>(['AuthorizationCode', 'AccessToken', 'RefreshToken']);

/**
 * Access tokens are kept this long after they expire, so that the answer can say so and the client refreshes. Codes and refresh tokens are
 * kept this long after their use, so that a second use ends the family.
 */
const SPENT_TOKEN_DAYS = 30;

/** How an identifier is stored: hashed, since most of them give access. */
export function hashId(id: string): Buffer {
  return createHash('sha256').update(id).digest();
}

/**
 * Stores a record under its identifier, or overwrites it; a consumed one stays consumed. False, and nothing is stored, if its grant is
 * gone. Both this and ending a grant lock the grant's row, so ending a grant also ends a token that is just being stored.
 *
 * The app is locked before the grant, as the lock order says. The row's foreign key alone would lock it afterwards, while deleting
 * the app goes the other way. Counting makes the grant's lock wait for the app's, however the statement is planned.
 */
export async function storeRecord(
  { query }: Queries,
  model: Model,
  id: string,
  payload: Payload,
  expiresAt: Date,
): Promise<boolean> {
  const { accountId = null, clientId = null, grantId = null, uid = null } = payload;
  const grant = OF_A_GRANT.has(model) ? hashId(grantId ?? '') : null;
  const stored = await query(
    `INSERT INTO oauth_records (model, hash, payload, grant_id, user_id, client_id, uid, expires_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8
     WHERE $9::bytea IS NULL
       OR EXISTS (
         SELECT FROM (SELECT count(*) FROM (SELECT FROM apps WHERE id = $6 FOR KEY SHARE) AS held) AS app
           JOIN oauth_records g ON g.model = 'Grant' AND g.hash = $9
         FOR KEY SHARE OF g)
     ON CONFLICT (model, hash) DO UPDATE
       SET payload = excluded.payload, grant_id = excluded.grant_id, user_id = excluded.user_id,
           client_id = excluded.client_id, uid = excluded.uid, expires_at = excluded.expires_at
     RETURNING 1`,
    [model, hashId(id), withoutSecrets(payload), grantId, accountId, clientId, uid, expiresAt, grant],
  );
  return stored.length === 1;
}

/**
 * `jti` is the identifier itself, and an interaction contains the cookie of its session: neither may be stored. `exp` is stored in the
 * column `expires_at`.
 */
function withoutSecrets({ jti: _, exp: __, ...payload }: Payload): Payload {
  const { session } = payload;
  if (typeof session !== 'object' || session === null) return payload;
  const { cookie: ___, ...kept } = session as Record<string, unknown>;
  return { ...payload, session: kept };
}

/** Also finds expired and consumed records. The caller must check for these. */
export async function findRecord({ query }: Queries, model: Model, id: string): Promise<OAuthRecord | null> {
  const [row] = await query<OAuthRecord>(`SELECT ${COLUMNS} FROM oauth_records WHERE model = $1 AND hash = $2`, [
    model,
    hashId(id),
  ]);
  return row ?? null;
}

/** Whether a grant has tokens, which means that the redemption of its code is complete. */
export async function hasTokens({ query }: Queries, grantId: string): Promise<boolean> {
  const rows = await query(`SELECT FROM oauth_records WHERE grant_id = $1 AND model = 'RefreshToken' LIMIT 1`, [
    grantId,
  ]);
  return rows.length > 0;
}

/**
 * Marks a record as used. Of two concurrent calls exactly one gets true. Extends the record, since the provider checks the expiry of a
 * code before its use.
 */
export async function consumeRecord({ query }: Queries, model: Model, id: string): Promise<boolean> {
  const rows = await query(
    `UPDATE oauth_records SET consumed_at = now(), expires_at = now() + make_interval(days => $3)
     WHERE model = $1 AND hash = $2 AND consumed_at IS NULL
     RETURNING 1`,
    [model, hashId(id), SPENT_TOKEN_DAYS],
  );
  return rows.length === 1;
}

/** The same, but calls within `graceSeconds` of the first get true as well. */
export async function consumeWithGrace(
  { query }: Queries,
  model: Model,
  id: string,
  graceSeconds: number,
): Promise<boolean> {
  const rows = await query(
    `UPDATE oauth_records SET consumed_at = coalesce(consumed_at, now())
     WHERE model = $1 AND hash = $2 AND (consumed_at IS NULL OR consumed_at > now() - make_interval(secs => $3))
     RETURNING 1`,
    [model, hashId(id), graceSeconds],
  );
  return rows.length === 1;
}

/** Overwrites an existing record. One that was deleted meanwhile stays deleted. */
export async function updateRecord(
  { query }: Queries,
  model: Model,
  id: string,
  payload: Payload,
  expiresAt: Date,
): Promise<void> {
  await query('UPDATE oauth_records SET payload = $3, expires_at = $4 WHERE model = $1 AND hash = $2', [
    model,
    hashId(id),
    withoutSecrets(payload),
    expiresAt,
  ]);
}

/** Extends a record to live at least until then. */
export async function extendRecord({ query }: Queries, model: Model, id: string, until: Date): Promise<void> {
  await query('UPDATE oauth_records SET expires_at = greatest(expires_at, $3) WHERE model = $1 AND hash = $2', [
    model,
    hashId(id),
    until,
  ]);
}

export async function deleteRecord({ query }: Queries, model: Model, id: string): Promise<void> {
  await query('DELETE FROM oauth_records WHERE model = $1 AND hash = $2', [model, hashId(id)]);
}

/** Ends one authorization of an app, with its code and tokens. */
export async function deleteGrant(db: Queries, grantId: string): Promise<void> {
  await deleteRecord(db, 'Grant', grantId);
  await deleteInOrder(db, 'grant_id = $1', [grantId]);
}

/** Ends all of a user's authorizations of one app. */
export async function deleteRecordsOfClient(tx: Queries, userId: UserId, appId: AppId): Promise<void> {
  await deleteWithGrants(tx, 'user_id = $1 AND client_id = $2', [userId, appId]);
}

/** Ends everybody's authorizations of an app that is being deleted. */
export async function deleteRecordsFor(tx: Queries, appId: AppId): Promise<void> {
  await deleteWithGrants(tx, 'client_id = $1', [appId]);
}

/** Ends all of a user's authorizations. Sessions stay. */
export async function deleteGrantsOfUser(tx: Queries, userId: UserId): Promise<void> {
  await deleteWithGrants(tx, 'user_id = $1 AND client_id IS NOT NULL', [userId]);
}

/** Ends all of a user's authorizations and sessions. */
export async function deleteRecordsOfUser(tx: Queries, userId: UserId): Promise<void> {
  await deleteWithGrants(tx, 'user_id = $1', [userId]);
}

/** First the grants, so that no code or token is stored for them any more, then the rest. */
async function deleteWithGrants(tx: Queries, condition: string, values: readonly string[]): Promise<void> {
  await deleteInOrder(tx, `${condition} AND model = 'Grant'`, values);
  await deleteInOrder(tx, condition, values);
}

/** Locks by key, so that two deletions of the same records wait for each other instead of both failing. */
async function deleteInOrder({ query }: Queries, condition: string, values: readonly string[]): Promise<void> {
  await query(
    `WITH theirs AS (SELECT model, hash FROM oauth_records WHERE ${condition} ORDER BY model, hash FOR UPDATE)
     DELETE FROM oauth_records USING theirs WHERE oauth_records.model = theirs.model AND oauth_records.hash = theirs.hash`,
    values,
  );
}

/** Deletes records that are not needed any more, at most `most`. Returns how many. */
export async function forgetOldRecords({ query }: Queries, most: number): Promise<number> {
  const rows = await query(
    `WITH old AS (
       SELECT model, hash FROM oauth_records WHERE model <> 'AccessToken' AND expires_at < now()
       UNION ALL
       SELECT model, hash FROM oauth_records
       WHERE model = 'AccessToken' AND expires_at < now() - make_interval(days => $1)
       UNION ALL
       SELECT model, hash FROM oauth_records
       WHERE model = 'RefreshToken' AND consumed_at < now() - make_interval(days => $1)
       LIMIT $2)
     DELETE FROM oauth_records WHERE (model, hash) IN (
       SELECT model, hash FROM oauth_records JOIN old USING (model, hash) FOR UPDATE OF oauth_records SKIP LOCKED)
     RETURNING 1`,
    [SPENT_TOKEN_DAYS, most],
  );
  return rows.length;
}

export const KEPT_RECORDS: KeptRows = {
  table: 'oauth_records',
  what: 'a session, grant, code or token',
  kept: `until it expires, an access token ${SPENT_TOKEN_DAYS} days longer; what is used once, ${SPENT_TOKEN_DAYS} days after its use`,
  why: 'its use, and the answer to a later use',
  forget: forgetOldRecords,
};
