import { randomBytes, randomUUID } from 'node:crypto';
import type { UserId } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import type { Query, Tx } from '../db/database.ts';
import { deleteRecord, findRecord, storeRecord } from './records.ts';

export const SESSION_DAYS = 30;

/** How somebody proved who they are (RFC 8176): password, a passkey, or a code sent by mail. */
export type AuthMethod = 'pwd' | 'hwk' | 'otp';

/** Somebody signed in on our pages. The provider reads and writes the same records: there is one kind of session. */
export type Session = {
  /** Not the cookie: names the session without opening it. */
  readonly uid: string;
  readonly userId: UserId;
  readonly signedInAt: Date;
  readonly methods: readonly AuthMethod[];
};

/** Makes a session; returns the cookie's value, which is stored nowhere. */
export async function startSession(
  db: { query: Query },
  userId: UserId,
  methods: readonly AuthMethod[],
): Promise<string> {
  const id = randomBytes(32).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const exp = now + SESSION_DAYS * 86_400;
  await storeRecord(
    db,
    'Session',
    id,
    { kind: 'Session', uid: randomUUID(), accountId: userId, loginTs: now, amr: methods, iat: now, exp },
    new Date(exp * 1000),
  );
  return id;
}

/** The living session a cookie opens; null where there is none, or nobody is signed in with it. */
export async function findSession(db: { query: Query }, id: string): Promise<Session | null> {
  const record = await findRecord(db, 'Session', id);
  if (!record || record.expiresAt <= new Date()) return null;
  const { uid, accountId, loginTs, amr = [] } = record.payload;
  if (!uid || !accountId || typeof loginTs !== 'number') return null;
  const signedInAt = new Date(loginTs * 1000);
  return { uid, userId: accountId as UserId, signedInAt, methods: amr as AuthMethod[] };
}

export async function endSession(db: { query: Query }, id: string): Promise<void> {
  await deleteRecord(db, 'Session', id);
}

/** Signs a user out everywhere, but for the session named by `except` (its uid). */
export async function endSessionsOf({ query }: { query: Query }, userId: UserId, except?: string): Promise<void> {
  await query(`DELETE FROM oauth_records WHERE model = 'Session' AND user_id = $1 AND uid IS DISTINCT FROM $2`, [
    userId,
    except ?? null,
  ]);
}

/** A user's living sessions, newest first. */
export async function listSessionsOf(
  { query }: { query: Query },
  userId: UserId,
): Promise<{ readonly signedInAt: Date }[]> {
  const rows = await query<{ signed_in_at: Date }>(
    `SELECT to_timestamp((payload->>'loginTs')::bigint) AS signed_in_at FROM oauth_records
      WHERE model = 'Session' AND user_id = $1 AND expires_at > now() ORDER BY 1 DESC`,
    [userId],
  );
  return rows.map((row) => ({ signedInAt: row.signed_in_at }));
}

/**
 * Makes sure, within the transaction of a change, that the session it is made in has not ended since the request was read; it
 * stays then until the transaction ends. Whatever changes what protects an account, or an app, calls this: else a thief whose
 * request waits its turn would undo the reset that threw them out. Throws `token-expired`.
 */
export async function holdSession(tx: Tx, { uid }: Pick<Session, 'uid'>): Promise<void> {
  const held = await holdSessions(tx, [uid]);
  if (!held.has(uid)) throw new Problem('token-expired', 'You have been signed out.');
}

/** The same for several at once: holds, and returns, those that have not ended. */
export async function holdSessions({ query }: Tx, uids: readonly string[]): Promise<ReadonlySet<string>> {
  if (uids.length === 0) return new Set();
  const held = await query<{ uid: string }>(
    `SELECT uid FROM oauth_records WHERE model = 'Session' AND uid = ANY($1) ORDER BY hash FOR SHARE`,
    [uids],
  );
  return new Set(held.map(({ uid }) => uid));
}
