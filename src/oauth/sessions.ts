import { randomBytes, randomUUID } from 'node:crypto';
import type { UserId } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import type { Query, Tx } from '../db/database.ts';
import { deleteRecord, hashId, type OAuthRecord } from './records.ts';

/** From sign-in on, even if it is used: the limit of OWASP ASVS 4.0, 3.3.2, at level 1. */
export const SESSION_DAYS = 30;

/** How a user authenticated (RFC 8176): by password, by passkey, or by a code sent by mail. */
export type AuthMethod = 'pwd' | 'hwk' | 'otp';

/** A user's session on our pages. The provider reads and writes the same records: there is one kind of session. */
export type Session = {
  /** Names the session without giving access. It is not the cookie. */
  readonly uid: string;
  readonly userId: UserId;
  readonly signedInAt: Date;
  readonly methods: readonly AuthMethod[];
};

/** A session as its user sees it in a list. */
export type ListedSession = Session & {
  /** Accurate to a few minutes. */
  readonly usedAt: Date;
  /** The browser and system that signed in, in words; null if unknown. */
  readonly browser: string | null;
};

/** Starts a session and returns the cookie's value, which is stored nowhere. `browser`: browser and system, in words. */
export async function startSession(
  { query }: { query: Query },
  userId: UserId,
  methods: readonly AuthMethod[],
  browser: string | null = null,
): Promise<string> {
  const id = randomBytes(32).toString('base64url');
  const uid = randomUUID();
  const now = Math.floor(Date.now() / 1000);
  const payload = { kind: 'Session', uid, accountId: userId, loginTs: now, amr: methods, iat: now };
  await query(
    `INSERT INTO oauth_records (model, hash, payload, user_id, uid, expires_at, used_at, browser)
     VALUES ('Session', $1, $2, $3, $4, $5, now(), $6)`,
    [hashId(id), payload, userId, uid, sessionEnd(now), browser],
  );
  return id;
}

/** When a session ends at the latest. `signedInAt`: in seconds since 1970. */
export function sessionEnd(signedInAt: number): Date {
  return new Date((signedInAt + SESSION_DAYS * 86_400) * 1000);
}

/**
 * The living session of a cookie; null if there is none, or nobody is signed in with it. Counts as a use of the session. `idleMinutes`:
 * how long a session lives without use.
 */
export async function findSession(db: { query: Query }, id: string, idleMinutes: number): Promise<Session | null> {
  const record = await useSessionRecord(db, { id }, idleMinutes);
  if (!record) return null;
  const { uid, accountId, loginTs, amr = [] } = record.payload;
  if (!uid || !accountId || typeof loginTs !== 'number') return null;
  const signedInAt = new Date(loginTs * 1000);
  return { uid, userId: accountId, signedInAt, methods: amr as AuthMethod[] };
}

/** The same for a session that has expired or was idle for too long, as long as its record is kept. It opens nothing. */
export async function findEndedSession(
  db: { query: Query },
  id: string,
): Promise<Pick<Session, 'uid' | 'userId'> | null> {
  const [row] = await db.query<Pick<Session, 'uid' | 'userId'>>(
    `SELECT uid, user_id AS "userId" FROM oauth_records
      WHERE model = 'Session' AND hash = $1 AND uid IS NOT NULL AND user_id IS NOT NULL`,
    [hashId(id)],
  );
  return row ?? null;
}

export async function endSession(db: { query: Query }, id: string): Promise<void> {
  await deleteRecord(db, 'Session', id);
}

/**
 * Ends all sessions of a user, except the one with the uid `except`. Locks that one too, in the same order. So call `holdSession`, for
 * the session of the change itself, after this.
 */
export async function endSessionsOf({ query }: { query: Query }, userId: UserId, except?: string): Promise<void> {
  await query(
    `WITH theirs AS (SELECT hash FROM oauth_records WHERE model = 'Session' AND user_id = $1 ORDER BY hash FOR UPDATE)
     DELETE FROM oauth_records USING theirs
      WHERE model = 'Session' AND oauth_records.hash = theirs.hash AND uid IS DISTINCT FROM $2`,
    [userId, except ?? null],
  );
}

/** Ends another session of the same user, by its uid. False if the user has no such session. */
export async function endSessionByUid(tx: Tx, { uid: own, userId }: Session, uid: string): Promise<boolean> {
  const ended = await tx.query(
    `WITH both_of_them AS (
       SELECT hash FROM oauth_records WHERE model = 'Session' AND user_id = $1 AND uid IN ($2, $3) ORDER BY hash FOR UPDATE)
     DELETE FROM oauth_records USING both_of_them
      WHERE model = 'Session' AND oauth_records.hash = both_of_them.hash AND uid = $3 RETURNING 1`,
    [userId, own, uid],
  );
  return ended.length === 1;
}

/** A user's living sessions, the most recently used first. */
export async function listSessionsOf(
  { query }: { query: Query },
  userId: UserId,
  idleMinutes: number,
): Promise<ListedSession[]> {
  return query<ListedSession>(
    `SELECT uid, user_id AS "userId", to_timestamp((payload->>'loginTs')::bigint) AS "signedInAt",
            coalesce(payload->'amr', '[]') AS methods, ${USED_AT} AS "usedAt", browser
       FROM oauth_records WHERE model = 'Session' AND user_id = $1 AND ${isLiving('$2')} ORDER BY "usedAt" DESC, uid`,
    [userId, idleMinutes],
  );
}

/**
 * Checks, in the transaction of a change, that the session of the request has not ended meanwhile, and holds it until the transaction
 * ends. Throws `token-expired`. Every change to the protection of an account or an app must call this: otherwise a waiting request of
 * a thief would undo the reset that signed them out.
 *
 * Does not check the idle limit again: the request itself was a use of the session.
 */
export async function holdSession(tx: Tx, { uid }: Pick<Session, 'uid'>): Promise<void> {
  const held = await holdSessions(tx, [uid]);
  if (!held.has(uid)) throw new Problem('token-expired', 'You have been signed out.');
}

/** The same for several sessions: holds and returns those that have not ended. */
export async function holdSessions({ query }: Tx, uids: readonly string[]): Promise<ReadonlySet<string>> {
  if (uids.length === 0) return new Set();
  const held = await query<{ uid: string }>(
    `SELECT uid FROM oauth_records WHERE model = 'Session' AND uid = ANY($1) ORDER BY hash FOR SHARE`,
    [uids],
  );
  return new Set(held.map(({ uid }) => uid));
}

type Queries = { readonly query: Query };

/** The cookie's value, or the identifier that gives no access. */
export type SessionKey = { readonly id: string } | { readonly uid: string };

/** A use is stored if the last stored one is this old, or a tenth of the idle limit if that is less. So most pages write nothing. */
const NOTED_SECONDS = 5 * 60;

/** During an upgrade, processes of an earlier version store no use: their sessions count as used when they were created. */
const USED_AT = 'coalesce(used_at, created_at)';

/**
 * SQL: the session has neither expired nor been idle for too long. `minutes`: the parameter with the limit. The provider's records of
 * visitors who are not signed in have no such limit, as they live for an hour only.
 */
function isLiving(minutes: `$${number}`): string {
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
