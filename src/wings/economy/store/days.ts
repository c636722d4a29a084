import type { Queries } from '../../../db/database.ts';

/** Players who have at least `from` quarters, and fewer than the next bucket's. Buckets are 0, 1, 2, 5, 10, 20, 50, … */
export type BalanceBucket = { readonly from: bigint; readonly accounts: number; readonly quarters: bigint };

/** What the accounts reserve and how players' balances are distributed. Sums of postings do not show it. */
export type NotedAccounts = {
  readonly at: Date;
  readonly treasuryHeld: bigint;
  readonly playersHeld: bigint;
  readonly appsHeld: bigint;
  readonly distribution: readonly BalanceBucket[];
  /**
   * The richest 1 % of the players who have quarters, at least one player: how many they are, and what they have together. Null on days
   * that an earlier release noted.
   */
  readonly top: { readonly players: bigint; readonly quarters: bigint } | null;
};

type NotedRow = Omit<NotedAccounts, 'distribution' | 'top'> & {
  readonly topPlayers: bigint | null;
  readonly topQuarters: bigint | null;
  readonly distribution: readonly { readonly from: string; readonly accounts: number; readonly quarters: string }[];
};

/** Notes what the accounts show now, as the last of this day (UTC). */
export async function noteAccounts({ query }: Queries, noted: Omit<NotedAccounts, 'at'>): Promise<void> {
  const distribution = noted.distribution.map(({ from, accounts, quarters }) => {
    return { from: `${from}`, accounts, quarters: `${quarters}` };
  });
  await query(
    `INSERT INTO economy_days (day, taken_at, treasury_held, players_held, apps_held, distribution, top_players, top_quarters)
     VALUES ((now() AT TIME ZONE 'UTC')::date, now(), $1, $2, $3, $4, $5, $6)
     ON CONFLICT (day) DO UPDATE SET taken_at = excluded.taken_at, treasury_held = excluded.treasury_held,
            players_held = excluded.players_held, apps_held = excluded.apps_held, distribution = excluded.distribution,
            top_players = excluded.top_players, top_quarters = excluded.top_quarters`,
    [
      ...[noted.treasuryHeld, noted.playersHeld, noted.appsHeld, JSON.stringify(distribution)],
      ...[noted.top?.players, noted.top?.quarters],
    ],
  );
}

/** Whether accounts were noted within the last `seconds`, by any process. */
export async function isNotedWithin({ query }: Queries, seconds: number): Promise<boolean> {
  const rows = await query('SELECT FROM economy_days WHERE taken_at > now() - make_interval(secs => $1) LIMIT 1', [
    seconds,
  ]);
  return rows.length > 0;
}

/** Whether a list of players was taken within the last `seconds`, by any process. */
export async function isListedWithin({ query }: Queries, seconds: number): Promise<boolean> {
  const rows = await query('SELECT FROM economy_lists WHERE taken_at > now() - make_interval(secs => $1) LIMIT 1', [
    seconds,
  ]);
  return rows.length > 0;
}

/** The last that was noted from `from` on and before `until`; null if nothing was. */
export async function readNotedAccounts({ query }: Queries, from: Date, until: Date): Promise<NotedAccounts | null> {
  const [row] = await query<NotedRow>(
    `SELECT taken_at AS at, treasury_held AS "treasuryHeld", players_held AS "playersHeld", apps_held AS "appsHeld", distribution,
            top_players AS "topPlayers", top_quarters AS "topQuarters"
       FROM economy_days WHERE day >= $1::date AND day < $2::date ORDER BY day DESC LIMIT 1`,
    [from.toISOString().slice(0, 10), until.toISOString().slice(0, 10)],
  );
  if (!row) return null;
  const { topPlayers, topQuarters, ...rest } = row;
  const top = topPlayers === null || topQuarters === null ? null : { players: topPlayers, quarters: topQuarters };
  const buckets = row.distribution.map(({ from, accounts, quarters }) => {
    return { from: BigInt(from), accounts, quarters: BigInt(quarters) };
  });
  return { ...rest, top, distribution: buckets };
}
