import { randomBytes } from 'node:crypto';
import type { UserId } from '../base/ids.ts';
import { hashSecret } from '../base/secrets.ts';
import type { Query } from '../db/database.ts';

type Queries = { readonly query: Query };

/** Enough time to find the key and touch it. */
export const CHALLENGE_MINUTES = 5;

/** A new challenge for a passkey to sign, in base64url. `userId`: the only user who may answer; null if any may sign in with it. */
export async function newChallenge({ query }: Queries, userId: UserId | null): Promise<string> {
  const challenge = randomBytes(32).toString('base64url');
  await query(
    `INSERT INTO passkey_challenges (hash, user_id, expires_at)
     VALUES ($1, $2, now() + make_interval(mins => $3))`,
    [hashSecret(challenge), userId, CHALLENGE_MINUTES],
  );
  return challenge;
}

/** Uses up a challenge. False if it is not this user's, has expired, or was answered before. */
export async function takeChallenge({ query }: Queries, challenge: string, userId: UserId | null): Promise<boolean> {
  const rows = await query(
    `DELETE FROM passkey_challenges
      WHERE hash = $1 AND user_id IS NOT DISTINCT FROM $2 AND expires_at > now() RETURNING 1`,
    [hashSecret(challenge), userId],
  );
  return rows.length === 1;
}

/** Deletes expired challenges, at most `most`. Returns how many. */
export async function forgetOldChallenges({ query }: Queries, most: number): Promise<number> {
  const rows = await query(
    `DELETE FROM passkey_challenges WHERE hash IN (
       SELECT hash FROM passkey_challenges WHERE expires_at <= now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING 1`,
    [most],
  );
  return rows.length;
}
