import { randomBytes } from 'node:crypto';
import type { UserId } from '../base/ids.ts';
import { hashSecret } from '../base/secrets.ts';
import type { Queries, Tx } from '../db/database.ts';
import { keepUntil } from '../db/keep-until.ts';

/** One person needs a few: a phone, a computer, a key in a drawer. */
export const MAX_PASSKEYS = 10;

export type Passkey = {
  /** The authenticator's identifier, in base64url. */
  readonly id: string;
  readonly userId: UserId;
  readonly name: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
};

/** What an authenticator has made. */
export type NewPasskey = Pick<Passkey, 'id' | 'publicKey' | 'signCount' | 'transports'>;

/** A new one may be a thief's, who has the password. It confirms no withdrawal address before its owner had `minutes` to stop it. */
export const confirmsFrom = ({ createdAt }: Pick<Passkey, 'createdAt'>, minutes: number): Date =>
  new Date(createdAt.getTime() + minutes * 60_000);

/** Whether a value may be a passkey's identifier. PostgreSQL refuses some other text. */
export function isPasskeyId(text: unknown): text is string {
  return typeof text === 'string' && /^[\w-]{1,1400}$/.test(text);
}

const COLUMNS = `id, user_id AS "userId", name, public_key AS "publicKey", sign_count::float8 AS "signCount", transports,
  created_at AS "createdAt", last_used_at AS "lastUsedAt"`;

/** The database's Buffer may share its memory. The WebAuthn library needs an array of its own. */
function withOwnBytes(row: Passkey): Passkey {
  return { ...row, publicKey: new Uint8Array(row.publicKey) };
}

export async function listPasskeys({ query }: Queries, userId: UserId): Promise<Passkey[]> {
  const rows = await query<Passkey>(`SELECT ${COLUMNS} FROM passkeys WHERE user_id = $1 ORDER BY created_at, id`, [
    userId,
  ]);
  return rows.map(withOwnBytes);
}

export async function findPasskey({ query }: Queries, id: string): Promise<Passkey | null> {
  const [row] = await query<Passkey>(`SELECT ${COLUMNS} FROM passkeys WHERE id = $1`, [id]);
  return row ? withOwnBytes(row) : null;
}

/** False if the user has the maximum already, the key is stored already, or the account is closed. `stopToken`: what a mailed link holds. */
export async function insertPasskey(
  { query }: Tx,
  passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt'> & { readonly stopToken?: string },
): Promise<boolean> {
  // Locks the user, so that two concurrent calls cannot exceed the maximum.
  const users = await query(`SELECT FROM users WHERE id = $1 AND kind = 'full' FOR NO KEY UPDATE`, [passkey.userId]);
  if (users.length === 0) return false;
  const rows = await query(
    `INSERT INTO passkeys (id, user_id, name, public_key, sign_count, transports, stop_hash)
     SELECT $1, $2, $3, $4, $5, $6, $8 WHERE (SELECT count(*) FROM passkeys WHERE user_id = $2) < $7
     ON CONFLICT (id) DO NOTHING RETURNING 1`,
    [
      passkey.id,
      passkey.userId,
      passkey.name,
      Buffer.from(passkey.publicKey),
      passkey.signCount,
      passkey.transports,
      MAX_PASSKEYS,
      passkey.stopToken === undefined ? null : hashSecret(passkey.stopToken),
    ],
  );
  return rows.length === 1;
}

/**
 * Stores a use. False if the passkey is gone, or its counter did not increase: then it was cloned (WebAuthn, section 6.1.1).
 * Synchronised passkeys do not count and stay at 0.
 */
export async function usePasskey({ query }: Tx, id: string, signCount: number): Promise<boolean> {
  const rows = await query(
    `UPDATE passkeys SET sign_count = $2, last_used_at = now()
      WHERE id = $1 AND (sign_count < $2 OR (sign_count = 0 AND $2 = 0)) RETURNING 1`,
    [id, signCount],
  );
  return rows.length === 1;
}

/** The passkey that a mailed link removes, in the 30 days after it was added; null if the link is unknown or too old. */
export async function findStoppablePasskey(
  { query }: Queries,
  stopToken: string,
): Promise<Pick<Passkey, 'id' | 'userId' | 'name'> | null> {
  const [row] = await query<Pick<Passkey, 'id' | 'userId' | 'name'>>(
    `SELECT id, user_id AS "userId", name FROM passkeys WHERE stop_hash = $1 AND created_at > now() - interval '30 days'`,
    [hashSecret(stopToken)],
  );
  return row ?? null;
}

/** Removes a passkey and returns its name; null if the user has no such passkey. */
export async function deletePasskey({ query }: Queries, userId: UserId, id: string): Promise<string | null> {
  const [row] = await query<{ name: string }>('DELETE FROM passkeys WHERE id = $1 AND user_id = $2 RETURNING name', [
    id,
    userId,
  ]);
  return row?.name ?? null;
}

/** Removes all of a user's passkeys, which it locks in the order of their ids. Returns their names, oldest first. */
export async function deletePasskeysOf({ query }: Tx, userId: UserId): Promise<string[]> {
  // The same lock as in insertPasskey: a passkey that is being added is stored by then and is removed too, or is added later.
  await query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
  const rows = await query<{ name: string }>(
    `WITH theirs AS (SELECT id FROM passkeys WHERE user_id = $1 ORDER BY id FOR UPDATE), removed AS (
       DELETE FROM passkeys USING theirs WHERE passkeys.id = theirs.id RETURNING passkeys.id, name, created_at)
     SELECT name FROM removed ORDER BY created_at, id`,
    [userId],
  );
  return rows.map(({ name }) => name);
}

/** Enough time to find the key and touch it. */
export const CHALLENGE_MINUTES = 5;

/** All that a passkey is asked for. */
export const PASSKEY_ACTS = [
  'sign-in',
  'sign-in-again',
  'new-password',
  'new-passkey',
  'first-passkey',
  'withdrawal-address',
  'withdrawal',
] as const;

/** What a passkey is to sign. Its answer counts for this one act, with these values, and for nothing else. */
export type PasskeyUse = {
  readonly act: (typeof PASSKEY_ACTS)[number];
  /** The only user who may answer; null: anybody signs in with it. */
  readonly by: UserId | null;
  /** The uid of the session in which the answer counts; null if nobody is signed in. */
  readonly session: string | null;
  /** What the form says, as it was sent. */
  readonly values: readonly string[];
};

/** A new challenge for a passkey to sign, in base64url. */
export async function newChallenge({ query }: Queries, use: PasskeyUse): Promise<string> {
  const challenge = randomBytes(32).toString('base64url');
  await query(
    `INSERT INTO passkey_challenges (hash, user_id, expires_at)
     VALUES ($1, $2, now() + make_interval(mins => $3))`,
    [hashOf(challenge, use), use.by, CHALLENGE_MINUTES],
  );
  return challenge;
}

/** Uses up a challenge. False if it was made for another use, has expired, or was answered before. */
export async function takeChallenge({ query }: Queries, challenge: string, use: PasskeyUse): Promise<boolean> {
  const rows = await query('DELETE FROM passkey_challenges WHERE hash = $1 AND expires_at > now() RETURNING 1', [
    hashOf(challenge, use),
  ]);
  return rows.length === 1;
}

/** Only the browser has the challenge, so the hash tells nobody the values, which may be a password. */
function hashOf(challenge: string, { act, by, session, values }: PasskeyUse): Buffer {
  return hashSecret(JSON.stringify([challenge, act, by, session, ...values]));
}

export const KEPT_CHALLENGES = keepUntil(
  { from: 'FROM passkey_challenges', key: 'hash', since: 'expires_at' },
  { what: 'a challenge for a passkey, hashed', kept: `${CHALLENGE_MINUTES} minutes`, why: 'its answer' },
);
