import type { UserId } from '../base/ids.ts';
import type { Queries, Tx } from '../db/database.ts';
import { keepUntil } from '../db/keep-until.ts';

const KEPT_DAYS = 400;

/** When somebody used the service last: the day (UTC) as `2029-11-29`. */
export type SeenPlayer = { readonly userId: UserId; readonly day: string };

const DAY = `to_char(day, 'YYYY-MM-DD')`;

/**
 * Stores that these users are here today, and returns those of them whose row somebody holds: a payment of one would else keep payments of all
 * others waiting. Who has closed their account meanwhile is left out.
 */
export async function storeSeen({ query }: Tx, ids: readonly UserId[]): Promise<UserId[]> {
  const rows = await query<{ id: UserId }>(
    `WITH free AS (SELECT id FROM users WHERE id = ANY($1::text[]) AND kind <> 'closed' ORDER BY id FOR SHARE SKIP LOCKED),
     stored AS (
       INSERT INTO seen_players (user_id, day) SELECT id, (now() AT TIME ZONE 'UTC')::date FROM free ORDER BY id
       ON CONFLICT (user_id) DO UPDATE SET day = excluded.day WHERE seen_players.day < excluded.day)
     SELECT id FROM users WHERE id = ANY($1::text[]) AND kind <> 'closed' AND id NOT IN (SELECT id FROM free)`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Those who were here last, the newest day first. With `before`, those after that one in the list. */
export async function readSeenPage(
  { query }: Queries,
  before: SeenPlayer | null,
  limit: number,
): Promise<SeenPlayer[]> {
  return query<SeenPlayer>(
    `SELECT user_id AS "userId", ${DAY} AS day FROM seen_players
      WHERE $1::date IS NULL OR (day, user_id) < ($1::date, $2)
      ORDER BY seen_players.day DESC, user_id DESC LIMIT $3`,
    [before?.day ?? null, before?.userId ?? null, limit],
  );
}

/** On which day each of these users was here last. Who was not since it is noted, or not for long, has none. */
export async function seenDaysOf({ query }: Queries, ids: readonly UserId[]): Promise<Map<UserId, string>> {
  const rows = await query<SeenPlayer>(
    `SELECT user_id AS "userId", ${DAY} AS day FROM seen_players WHERE user_id = ANY($1::text[])`,
    [ids],
  );
  return new Map(rows.map(({ userId, day }) => [userId, day]));
}

export async function deleteSeen({ query }: Tx, userId: UserId): Promise<void> {
  await query('DELETE FROM seen_players WHERE user_id = $1', [userId]);
}

export const KEPT_SEEN = keepUntil(
  { from: 'FROM seen_players', key: 'user_id', since: 'day', age: `${KEPT_DAYS} days` },
  { what: 'the last day on which a player was here', kept: 'after it', why: 'for the list of players' },
);
