import type { AppId, UserId } from '../../../base/ids.ts';
import type { Queries, Tx } from '../../../db/database.ts';
import { planForAll } from './plan-for-all.ts';

/** Players who have quarters and have never paid an app, as found at a moment. */
export type NeverPaid = {
  readonly at: Date;
  /** By the app whose guests they are or were (null: they signed up themselves), those with the most quarters first. */
  readonly apps: readonly { readonly appId: AppId | null; readonly players: number; readonly quarters: bigint }[];
  /** Those with the most quarters, at most {@link MOST_NEVER_PAID}. */
  readonly players: readonly {
    readonly userId: UserId;
    readonly isGuest: boolean;
    readonly appId: AppId | null;
    readonly since: Date;
    readonly quarters: bigint;
  }[];
};

const MOST_NEVER_PAID = 1_000;

/**
 * Finds the players who have quarters and have never paid, and stores them in place of those who were found before. Reads all players, so no
 * page may call it. A row of a payer is kept for ever, so whoever has none has never paid, not even by a reward.
 */
export async function findNeverPaid(tx: Tx): Promise<void> {
  await planForAll(tx);
  await tx.query(
    `WITH idle AS MATERIALIZED (
       SELECT user_id, posted, users.kind, guest_of, users.created_at
         FROM accounts JOIN users ON users.id = user_id
        WHERE accounts.kind = 'user' AND posted > 0 AND coalesce(accounts.closed_at, merged_at) IS NULL
          AND NOT EXISTS (SELECT FROM economy_payers WHERE app_id = '' AND payer = address)),
     by_app AS (SELECT guest_of, count(*) AS players, sum(posted) AS quarters FROM idle GROUP BY 1),
     richest AS (SELECT * FROM idle ORDER BY posted DESC, user_id LIMIT $1)
     INSERT INTO economy_lists (name, taken_at, content)
     SELECT 'never-paid', now(), jsonb_build_object(
       'apps', (SELECT coalesce(jsonb_agg(jsonb_build_object('appId', guest_of, 'players', players, 'quarters', quarters::text)
                                          ORDER BY quarters DESC, guest_of), '[]') FROM by_app),
       'players', (SELECT coalesce(jsonb_agg(jsonb_build_object('userId', user_id, 'isGuest', kind = 'guest', 'appId', guest_of,
                                                                'since', created_at, 'quarters', posted::text)
                                             ORDER BY posted DESC, user_id), '[]') FROM richest))
     ON CONFLICT (name) DO UPDATE SET taken_at = excluded.taken_at, content = excluded.content`,
    [MOST_NEVER_PAID],
  );
}

type Stored = {
  readonly apps: readonly { readonly appId: AppId | null; readonly players: number; readonly quarters: string }[];
  readonly players: readonly {
    readonly userId: UserId;
    readonly isGuest: boolean;
    readonly appId: AppId | null;
    readonly since: string;
    readonly quarters: string;
  }[];
};

/** Those who were found the last time; null before the first. */
export async function readNeverPaid({ query }: Queries): Promise<NeverPaid | null> {
  const [row] = await query<{ at: Date; content: Stored }>(
    `SELECT taken_at AS at, content FROM economy_lists WHERE name = 'never-paid'`,
  );
  if (!row) return null;
  const { apps, players } = row.content;
  return {
    at: row.at,
    apps: apps.map((one) => ({ ...one, quarters: BigInt(one.quarters) })),
    players: players.map((one) => ({ ...one, since: new Date(one.since), quarters: BigInt(one.quarters) })),
  };
}
