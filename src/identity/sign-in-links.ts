import type { UserId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';
import { keepUntil } from '../db/keep-until.ts';

/** Long enough for a day of work with one start of the service. */
export const SIGN_IN_LINK_HOURS = 12;

/** `hash`: of the link's token, which is stored nowhere. */
export async function insertSignInLink({ query }: Queries, hash: Buffer, userId: UserId): Promise<void> {
  await query(
    'INSERT INTO sign_in_links (hash, user_id, expires_at) VALUES ($1, $2, now() + make_interval(hours => $3))',
    [hash, userId, SIGN_IN_LINK_HOURS],
  );
}

/** Marks a link as used, and returns whom it signs in. Null if it is unknown, used or expired: of concurrent calls exactly one gets a user. */
export async function spendSignInLink({ query }: Queries, hash: Buffer): Promise<UserId | null> {
  const [row] = await query<{ userId: UserId }>(
    `UPDATE sign_in_links SET used_at = now() WHERE hash = $1 AND used_at IS NULL AND expires_at > now()
      RETURNING user_id AS "userId"`,
    [hash],
  );
  return row?.userId ?? null;
}

export const KEPT_LINKS = keepUntil(
  { from: 'FROM sign_in_links', key: 'hash', since: 'expires_at' },
  { what: "a try-out's sign-in link, hashed", kept: `${SIGN_IN_LINK_HOURS} hours`, why: 'its use' },
);
