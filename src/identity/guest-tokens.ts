import type { AppId, UserId } from '../base/ids.ts';
import { hashSecret } from '../base/secrets.ts';
import { byteaText, type Database, type Lookup, type Queries, type Query, type Tx } from '../db/database.ts';
import type { Profile } from './callers.ts';
import { PROFILE_COLUMNS } from './users.ts';

/** `access`: the API. `page`: the interface's firebase_token, which opens the approval page and nothing else. */
export type GuestTokenPurpose = 'access' | 'page';

export type GuestTokenUse = {
  readonly userId: UserId;
  readonly appId: AppId;
  readonly expired: boolean;
  /** The app is suspended, so the token opens nothing but the page that says so. */
  readonly isSuspended: boolean;
  readonly profile: Profile;
};

export async function storeGuestToken(
  { query }: Queries,
  token: { secret: string; purpose: GuestTokenPurpose; userId: UserId; appId: AppId },
): Promise<void> {
  await query('INSERT INTO guest_tokens (hash, purpose, user_id, app_id) VALUES ($1, $2, $3, $4)', [
    hashSecret(token.secret),
    token.purpose,
    token.userId,
    token.appId,
  ]);
}

type LivingToken = Profile &
  Omit<GuestTokenUse, 'expired' | 'profile'> & {
    readonly hash: Buffer;
    readonly purpose: GuestTokenPurpose;
    /** Seconds since it was last used. */
    readonly idle: number;
  };

/**
 * Tokens that are not revoked, by the texts of their hashes. The user is read with the token, so that `GET /v1/me` needs no second
 * statement.
 */
const LIVING_TOKENS: Lookup<LivingToken> = async ({ query }, hashes) => {
  const rows = await query<LivingToken>(
    `SELECT hash, purpose, user_id AS "userId", app_id AS "appId",
            extract(epoch FROM now() - last_used_at)::float8 AS idle, ${PROFILE_COLUMNS}, suspended_at IS NOT NULL AS "isSuspended"
       FROM guest_tokens JOIN users ON users.id = user_id JOIN apps ON apps.id = app_id WHERE hash = ANY($1::bytea[]) AND revoked_at IS NULL`,
    [hashes],
  );
  return new Map(rows.map((row) => [byteaText(row.hash), row]));
};

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

/**
 * Looks up a guest's token by its hash and stores its use. Shipped games store both tokens once and never ask again. So each use of one
 * keeps both alive for another `ttlDays`: a daily player who pays once in two years can still open the page. Null if the token is
 * unknown, revoked, or for another purpose.
 */
export async function useGuestToken(
  db: Pick<Database, 'lookUp' | 'query'>,
  hash: Uint8Array,
  purpose: GuestTokenPurpose,
  ttlDays: number,
): Promise<GuestTokenUse | null> {
  const token = await db.lookUp(LIVING_TOKENS, byteaText(hash));
  if (token?.purpose !== purpose) return null;
  const { userId, appId, idle, isSuspended, displayName, email, emailVerified } = token;
  const expired = idle > ttlDays * DAY_SECONDS;
  const use = { userId, appId, expired, isSuspended, profile: { displayName, email, emailVerified } };
  // At most once an hour: a read must not become a write.
  if (idle > HOUR_SECONDS && !use.expired) await renewTokensOf(db.query, use, ttlDays);
  return use;
}

/**
 * Renews a guest's living tokens; an expired one stays expired. Skips locked rows and leaves them to the next use: a request that only
 * reads waits for no lock, and so cannot be part of a deadlock.
 */
async function renewTokensOf(query: Query, { userId, appId }: GuestTokenUse, ttlDays: number): Promise<void> {
  await query(
    `WITH living AS (
       SELECT hash FROM guest_tokens
        WHERE user_id = $1 AND app_id = $2 AND revoked_at IS NULL AND last_used_at >= now() - make_interval(days => $3)
          FOR NO KEY UPDATE SKIP LOCKED)
     UPDATE guest_tokens SET last_used_at = now() FROM living WHERE guest_tokens.hash = living.hash`,
    [userId, appId, ttlDays],
  );
}

export type GuestToken = {
  readonly userId: UserId;
  readonly appId: AppId;
  readonly purpose: GuestTokenPurpose;
  readonly alive: boolean;
};

/** The owner and purpose of a token, even if it is not valid any more; null if it is unknown. Its holder may learn its state. */
export async function findGuestToken(
  { query }: Queries,
  hash: Uint8Array,
  ttlDays: number,
): Promise<GuestToken | null> {
  const [row] = await query<GuestToken>(
    `SELECT user_id AS "userId", app_id AS "appId", purpose,
            revoked_at IS NULL AND last_used_at >= now() - make_interval(days => $2) AS alive
       FROM guest_tokens WHERE hash = $1`,
    [Buffer.from(hash), ttlDays],
  );
  return row ?? null;
}

/** Whether a guest has any token that is not revoked. */
export async function hasGuestTokens({ query }: Queries, userId: UserId, appId: AppId): Promise<boolean> {
  const rows = await query(
    'SELECT 1 FROM guest_tokens WHERE user_id = $1 AND app_id = $2 AND revoked_at IS NULL LIMIT 1',
    [userId, appId],
  );
  return rows.length > 0;
}

/** Revokes all of a guest's tokens. */
export function revokeGuestTokens(tx: Tx, userId: UserId): Promise<void> {
  return revokeAll(tx, 'user_id', userId);
}

/** Revokes the tokens of all guests of an app that is being deleted. */
export function revokeGuestTokensFor(tx: Tx, appId: AppId): Promise<void> {
  return revokeAll(tx, 'app_id', appId);
}

/** Locks them in the order of their hashes, as other transactions do. */
async function revokeAll({ query }: Tx, whose: 'user_id' | 'app_id', id: UserId | AppId): Promise<void> {
  await query(
    `WITH living AS (
       SELECT hash FROM guest_tokens WHERE ${whose} = $1 AND revoked_at IS NULL ORDER BY hash FOR NO KEY UPDATE)
     UPDATE guest_tokens SET revoked_at = now() FROM living WHERE guest_tokens.hash = living.hash`,
    [id],
  );
}

/**
 * Deletes a guest's tokens of one purpose, except the newest `keep`. Deletes instead of marking them, since an app may request new ones
 * without end. Locks them in the order of their hashes, as other transactions do.
 */
export async function deleteOldTokens(
  { query }: Queries,
  old: { userId: UserId; appId: AppId; purpose: GuestTokenPurpose; keep: number },
): Promise<void> {
  await query(
    `WITH old AS (
       SELECT hash FROM guest_tokens
        WHERE hash IN (SELECT hash FROM guest_tokens WHERE user_id = $1 AND app_id = $2 AND purpose = $3
                        ORDER BY created_at DESC, hash OFFSET $4)
        ORDER BY hash FOR UPDATE)
     DELETE FROM guest_tokens USING old WHERE guest_tokens.hash = old.hash`,
    [old.userId, old.appId, old.purpose, old.keep],
  );
}
