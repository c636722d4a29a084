import type { AppId, UserId } from '../../../base/ids.ts';
import type { Queries, Tx } from '../../../db/database.ts';
import { planForAll } from './plan-for-all.ts';

/**
 * Guests who did all the same: made by one app in the same hour, paid by payouts alone, as often, as much and as fast as each other. A
 * script does so, and a game that pays everybody alike may look the same. It is a hint and no proof.
 */
export type FarmedGroup = {
  readonly appId: AppId;
  /** The hour (UTC) in which they were made. */
  readonly hour: Date;
  readonly guests: number;
  /** What each of them got. */
  readonly payouts: number;
  readonly quarters: bigint;
  /** From being made to the last of these payouts: what half of them took at most. */
  readonly seconds: number;
  /** What they have together now. */
  readonly left: bigint;
  /** How many of them have paid an app. */
  readonly payers: number;
  /** The first of them, at most {@link MOST_EXAMPLES}. */
  readonly examples: readonly UserId[];
};

export type FarmedGuests = { readonly at: Date; readonly groups: readonly FarmedGroup[] };

/** The rule, as docs/operate/economy.md says it. */
const RULE = {
  days: 30,
  /** The newest that are looked at. */
  mostGuests: 50_000,
  /** Of each, what was asked or paid first. */
  requests: 20,
  leastGuests: 20,
  leastPayouts: 3,
  /** The slowest may take so much longer than the fastest: nine of ten are between. */
  spread: 1.25,
  spreadSeconds: 60,
} as const;
const MOST_GROUPS = 100;
const MOST_EXAMPLES = 5;

/** Finds the groups, and stores them in place of those that were found before. Reads many users and requests, so no page may call it. */
export async function findFarmedGuests(tx: Tx): Promise<void> {
  await planForAll(tx);
  await tx.query(
    `WITH guests AS MATERIALIZED (
       SELECT id, guest_of AS app_id, date_trunc('hour', created_at, 'UTC') AS hour, created_at FROM users
        WHERE kind = 'guest' AND created_at > now() - make_interval(days => $1) ORDER BY created_at DESC LIMIT $2),
     crowds AS MATERIALIZED (SELECT app_id, hour FROM guests GROUP BY 1, 2 HAVING count(*) >= $3),
     paid AS MATERIALIZED (
       SELECT guests.app_id, guests.hour, guests.id, guests.created_at, payouts, quarters, has_paid, posted,
              extract(epoch FROM last_at - guests.created_at)::float8 AS seconds
         FROM guests JOIN crowds ON crowds.app_id = guests.app_id AND crowds.hour = guests.hour JOIN accounts ON user_id = guests.id
              CROSS JOIN LATERAL (
                SELECT count(*) FILTER (WHERE source = 'payout') AS payouts, sum(amount) FILTER (WHERE source = 'payout') AS quarters,
                       max(at) FILTER (WHERE source = 'payout') AS last_at, bool_or(source = 'user') AS has_paid
                  FROM (SELECT source, amount, status, requests.created_at AS at FROM requests
                         WHERE requests.user_id = guests.id ORDER BY requests.created_at, requests.id LIMIT $4) AS first
                 WHERE status IN ('approved', 'submitted', 'completed')) AS income
        WHERE payouts >= $5
          -- With a limit, it is looked up for each guest. Otherwise all that ever came from outside might be read.
          AND (SELECT true FROM postings WHERE to_address = address AND outside_block IS NOT NULL LIMIT 1) IS NULL),
     groups AS (
       SELECT app_id, hour, payouts, quarters, count(*) AS guests, sum(posted) AS left_over, count(*) FILTER (WHERE has_paid) AS payers,
              percentile_cont(ARRAY[0.05, 0.5, 0.95]) WITHIN GROUP (ORDER BY seconds) AS took,
              (array_agg(id ORDER BY created_at, id))[1:$8] AS examples
         FROM paid GROUP BY 1, 2, 3, 4 HAVING count(*) >= $3),
     alike AS (
       SELECT * FROM groups WHERE took[3] <= took[1] * $6::float8 + $7::float8 ORDER BY guests DESC, hour DESC, app_id LIMIT $9)
     INSERT INTO economy_lists (name, taken_at, content)
     SELECT 'look-farmed', now(), coalesce(jsonb_agg(jsonb_build_object(
              'appId', app_id, 'hour', hour, 'guests', guests, 'payouts', payouts, 'quarters', quarters::text, 'seconds', took[2],
              'left', left_over::text, 'payers', payers, 'examples', examples) ORDER BY guests DESC, hour DESC, app_id), '[]')
       FROM alike
     ON CONFLICT (name) DO UPDATE SET taken_at = excluded.taken_at, content = excluded.content`,
    [
      ...[RULE.days, RULE.mostGuests, RULE.leastGuests, RULE.requests, RULE.leastPayouts],
      ...[RULE.spread, RULE.spreadSeconds, MOST_EXAMPLES, MOST_GROUPS],
    ],
  );
}

type StoredGroup = {
  readonly [Name in keyof FarmedGroup]: FarmedGroup[Name] extends bigint | Date ? string : FarmedGroup[Name];
};

/** The groups that were found the last time, the largest first; null before the first. */
export async function readFarmedGuests({ query }: Queries): Promise<FarmedGuests | null> {
  const [row] = await query<{ at: Date; content: readonly StoredGroup[] }>(
    `SELECT taken_at AS at, content FROM economy_lists WHERE name = 'look-farmed'`,
  );
  if (!row) return null;
  const groups = row.content.map(({ hour, quarters, left, ...group }) => {
    return { ...group, hour: new Date(hour), quarters: BigInt(quarters), left: BigInt(left) };
  });
  return { at: row.at, groups };
}
