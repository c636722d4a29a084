import type { Queries } from '../db/database.ts';

/** Players who have at least `from` quarters, and fewer than the next bucket's. Buckets are 0, 1, 2, 5, 10, 20, 50, … */
export type BalanceBucket = { readonly from: bigint; readonly accounts: number; readonly quarters: bigint };

/** What the accounts reserve and how players' balances are distributed. Sums of postings do not show it. */
export type NotedAccounts = {
  readonly at: Date;
  readonly treasuryHeld: bigint;
  readonly playersHeld: bigint;
  readonly appsHeld: bigint;
  readonly distribution: readonly BalanceBucket[];
};

type NotedRow = Omit<NotedAccounts, 'distribution'> & {
  readonly distribution: readonly { readonly from: string; readonly accounts: number; readonly quarters: string }[];
};

/** Notes what the accounts show now, as the last of this day (UTC). */
export async function noteAccounts({ query }: Queries, noted: Omit<NotedAccounts, 'at'>): Promise<void> {
  const distribution = noted.distribution.map(({ from, accounts, quarters }) => {
    return { from: `${from}`, accounts, quarters: `${quarters}` };
  });
  await query(
    `INSERT INTO economy_days (day, taken_at, treasury_held, players_held, apps_held, distribution)
     VALUES ((now() AT TIME ZONE 'UTC')::date, now(), $1, $2, $3, $4)
     ON CONFLICT (day) DO UPDATE SET taken_at = excluded.taken_at, treasury_held = excluded.treasury_held,
            players_held = excluded.players_held, apps_held = excluded.apps_held, distribution = excluded.distribution`,
    [noted.treasuryHeld, noted.playersHeld, noted.appsHeld, JSON.stringify(distribution)],
  );
}

/** Whether accounts were noted within the last `seconds`, by any process. */
export async function isNotedWithin({ query }: Queries, seconds: number): Promise<boolean> {
  const rows = await query('SELECT FROM economy_days WHERE taken_at > now() - make_interval(secs => $1) LIMIT 1', [
    seconds,
  ]);
  return rows.length > 0;
}

/** The last that was noted from `from` on and before `until`; null if nothing was. */
export async function readNotedAccounts({ query }: Queries, from: Date, until: Date): Promise<NotedAccounts | null> {
  const [row] = await query<NotedRow>(
    `SELECT taken_at AS at, treasury_held AS "treasuryHeld", players_held AS "playersHeld", apps_held AS "appsHeld", distribution
       FROM economy_days WHERE day >= $1::date AND day < $2::date ORDER BY day DESC LIMIT 1`,
    [from.toISOString().slice(0, 10), until.toISOString().slice(0, 10)],
  );
  if (!row) return null;
  const buckets = row.distribution.map(({ from, accounts, quarters }) => {
    return { from: BigInt(from), accounts, quarters: BigInt(quarters) };
  });
  return { ...row, distribution: buckets };
}
