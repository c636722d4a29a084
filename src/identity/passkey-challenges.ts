import { randomBytes } from 'node:crypto';
import type { UserId } from '../base/ids.ts';
import { hashSecret } from '../base/secrets.ts';
import type { Query } from '../db/database.ts';

type Queries = { readonly query: Query };

/** Time to find the key and touch it. */
export const CHALLENGE_MINUTES = 5;

/** Something new for a passkey to sign, in base64url. `userId`: who alone may answer; null: whoever signs in by it. */
export async function newChallenge({ query }: Queries, userId: UserId | null): Promise<string> {
  const challenge = randomBytes(32).toString('base64url');
  await query(
    `INSERT INTO passkey_challenges (hash, user_id, expires_at)
     VALUES ($1, $2, now() + make_interval(mins => $3))`,
    [hashSecret(challenge), userId, CHALLENGE_MINUTES],
  );
  return challenge;
}

/** Spends a challenge; false where it was not given to this user, is too old, or was answered before. */
export async function takeChallenge({ query }: Queries, challenge: string, userId: UserId | null): Promise<boolean> {
  const rows = await query(
    `DELETE FROM passkey_challenges
      WHERE hash = $1 AND user_id IS NOT DISTINCT FROM $2 AND expires_at > now() RETURNING 1`,
    [hashSecret(challenge), userId],
  );
  return rows.length === 1;
}

/** Deletes challenges nobody can answer any more, at most `most`; returns how many. */
export async function forgetOldChallenges({ query }: Queries, most: number): Promise<number> {
  const rows = await query(
    `DELETE FROM passkey_challenges WHERE hash IN (
       SELECT hash FROM passkey_challenges WHERE expires_at <= now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING 1`,
    [most],
  );
  return rows.length;
}
