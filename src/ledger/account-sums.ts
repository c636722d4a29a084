import type { Queries } from '../db/database.ts';
import type { AccountKind } from './accounts.ts';

export type AccountSums = {
  /** By kind: the confirmed balances, and what is held of them. `none` is the source of the supply, which has −supply. */
  readonly sums: ReadonlyMap<AccountKind | 'none', { readonly posted: bigint; readonly held: bigint }>;
  /** Players who have at least `from` quarters, and fewer than the next bucket's: 0, 1, 2, 5, 10, 20, 50, … Only buckets that have any. */
  readonly players: readonly { readonly from: bigint; readonly accounts: number; readonly quarters: bigint }[];
  /** The richest 1 % of the players who have quarters, at least one player: how many they are, and what they have together. */
  readonly top: { readonly players: bigint; readonly quarters: bigint };
};

/** Adds up all accounts. It reads each of them, and once more those that are as rich as the richest 1 % of the players. Call it in a snapshot. */
export async function sumAccounts({ query }: Queries): Promise<AccountSums> {
  const rows = await query<{
    kind: AccountKind | 'none';
    bucket: bigint;
    accounts: bigint;
    posted: bigint;
    held: bigint;
  }>(
    `SELECT kind, bucket, count(*) AS accounts, sum(posted)::bigint AS posted, sum(held)::bigint AS held FROM (
       SELECT CASE WHEN address = '0x0000000000000000000000000000000000000000' THEN 'none' ELSE kind END AS kind, posted, held,
              CASE WHEN kind <> 'user' OR posted <= 0 THEN 0
                   ELSE CASE WHEN left(posted::text, 1) >= '5' THEN 5 WHEN left(posted::text, 1) >= '2' THEN 2 ELSE 1 END
                        * power(10, length(posted::text) - 1)::bigint END AS bucket
         FROM accounts WHERE kind <> 'swept'
       UNION ALL
       -- Of whom it is. It moves to their account, by which the distribution counts them.
       SELECT owner.kind, swept.posted, swept.held, -1 FROM accounts AS swept JOIN accounts AS owner ON owner.address = swept.merged_into
        WHERE swept.kind = 'swept') AS each
      GROUP BY kind, bucket ORDER BY kind, bucket`,
  );
  const sums = new Map<AccountKind | 'none', { posted: bigint; held: bigint }>();
  for (const { kind, posted, held } of rows) {
    const sum = sums.get(kind) ?? { posted: 0n, held: 0n };
    sums.set(kind, { posted: sum.posted + posted, held: sum.held + held });
  }
  const players = rows.filter(({ kind, bucket }) => kind === 'user' && bucket >= 0n);
  return {
    sums,
    top: await sumRichest({ query }, players),
    players: players.map(({ bucket, accounts, posted }) => {
      return { from: bucket, accounts: Number(accounts), quarters: posted };
    }),
  };
}

type Bucket = { readonly bucket: bigint; readonly accounts: bigint };

/** `buckets`: the players by what they have, the poorest first. They say from which balance on an account can be among the richest. */
async function sumRichest({ query }: Queries, buckets: readonly Bucket[]): Promise<AccountSums['top']> {
  const rich = buckets.filter(({ bucket }) => bucket > 0n);
  const players = (rich.reduce((sum, { accounts }) => sum + accounts, 0n) + 99n) / 100n;
  let richer = 0n;
  const least = rich.findLast(({ accounts }) => {
    richer += accounts;
    return richer >= players;
  });
  if (!least) return { players: 0n, quarters: 0n };
  const [row] = await query<{ quarters: bigint }>(
    `SELECT coalesce(sum(posted), 0)::bigint AS quarters FROM (
       SELECT posted FROM accounts WHERE kind = 'user' AND posted >= $1 ORDER BY posted DESC LIMIT $2) AS richest`,
    [least.bucket, players],
  );
  return { players, quarters: row!.quarters };
}
