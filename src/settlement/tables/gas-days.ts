import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import { hashColumn } from '../../db/columns.ts';
import { columnsOf, type Queries } from '../../db/database.ts';

/** What relayers paid on a day or in a month (UTC), by when transactions were signed. */
export type GasCosts = {
  /** That are final on the chain. `reverted`: those that did nothing. */
  readonly transactions: number;
  readonly reverted: number;
  /** Completed transfers that they carried. */
  readonly transfers: number;
  readonly gas: bigint;
  readonly wei: bigint;
  /** Transactions of which the node knew no receipt. They are in no other figure. */
  readonly unknown: number;
};

/** An attempt whose nonce the chain has used. */
export type UsedAttempt = {
  readonly nonce: bigint;
  readonly hash: Hash;
  readonly createdAt: Date;
  /** Completed transfers that it carried. */
  readonly transfers: number;
};

/** A relayer's next attempts to count, by nonce. `first`: where they begin; `until`: below it, nothing else is left to count. */
export type GasDue = { readonly first: bigint; readonly until: bigint; readonly attempts: readonly UsedAttempt[] };

/**
 * The next attempts of a relayer whose nonces were used up to this block, and are not counted yet; at most `most`. All attempts at a nonce
 * come together.
 */
export async function gasToCount({ query }: Queries, relayer: Address, block: bigint, most: number): Promise<GasDue> {
  const [range] = await query<{ first: bigint; until: bigint }>(
    `SELECT coalesce((SELECT below FROM gas_cursors WHERE relayer = $1), 0) AS first,
            coalesce((SELECT below FROM consumed_nonces WHERE relayer = $1 AND block_number <= $2
                       ORDER BY block_number DESC LIMIT 1), 0) AS until`,
    [relayer, block],
  );
  const { first, until } = range!;
  if (first >= until) return { first, until: first, attempts: [] };
  const found = await query<UsedAttempt>(
    `SELECT nonce, ${hashColumn('hash')} AS hash, created_at AS "createdAt",
            (SELECT count(*)::integer FROM transfers
              WHERE id = ANY(payload) AND tx_hash = hash AND transfers.status = 'completed') AS transfers
       FROM transactions WHERE relayer = $1 AND nonce >= $2 AND nonce < $3 ORDER BY nonce, attempt LIMIT $4`,
    [relayer, first, until, most + 1],
  );
  if (found.length <= most) return { first, until, attempts: found };
  const last = found.at(-1)!.nonce;
  const whole = found.filter(({ nonce }) => nonce < last);
  // Nobody makes so many attempts at one nonce.
  return whole.length === 0
    ? { first, until: last + 1n, attempts: found.slice(0, most) }
    : { first, until: last, attempts: whole };
}

/** Adds what transactions cost, and counts the relayer's nonces below `below`. Does nothing if another process has counted meanwhile. */
export async function addGas(
  { query }: Queries,
  relayer: Address,
  { first, below }: { readonly first: bigint; readonly below: bigint },
  costs: readonly (GasCosts & { readonly signedAt: Date })[],
): Promise<void> {
  await query(
    `WITH moved AS (
       INSERT INTO gas_cursors AS known (relayer, below) SELECT $1::text, $3::bigint
       ON CONFLICT (relayer) DO UPDATE SET below = excluded.below WHERE known.below = $2::bigint RETURNING 1)
     INSERT INTO gas_days AS known (day, transactions, reverted, transfers, gas, wei, unknown)
     SELECT (at AT TIME ZONE 'UTC')::date, sum(transactions), sum(reverted), sum(transfers), sum(gas), sum(wei), sum(unknown)
       FROM unnest($4::timestamptz[], $5::bigint[], $6::bigint[], $7::bigint[], $8::numeric[], $9::numeric[], $10::bigint[])
         AS new (at, transactions, reverted, transfers, gas, wei, unknown)
      WHERE EXISTS (SELECT FROM moved) GROUP BY 1 ORDER BY 1
     ON CONFLICT (day) DO UPDATE
        SET transactions = known.transactions + excluded.transactions, reverted = known.reverted + excluded.reverted,
            transfers = known.transfers + excluded.transfers, gas = known.gas + excluded.gas, wei = known.wei + excluded.wei,
            unknown = known.unknown + excluded.unknown`,
    [
      ...[relayer, first, below],
      ...columnsOf(costs, ['signedAt', 'transactions', 'reverted', 'transfers', 'gas', 'wei', 'unknown']),
    ],
  );
}

type GasRow = { readonly [Name in keyof GasCosts]: GasCosts[Name] extends bigint ? string : GasCosts[Name] };

/** What relayers paid from `from` until `until`, by days or months that have anything, the oldest first. */
export async function readGasDays(
  { query }: Queries,
  step: 'day' | 'month',
  from: Date,
  until: Date,
): Promise<(GasCosts & { readonly starts: Date })[]> {
  const rows = await query<GasRow & { starts: Date }>(
    `SELECT date_trunc($1, day::timestamp) AT TIME ZONE 'UTC' AS starts, sum(transactions)::float8 AS transactions,
            sum(reverted)::float8 AS reverted, sum(transfers)::float8 AS transfers, sum(gas)::text AS gas, sum(wei)::text AS wei,
            sum(unknown)::float8 AS unknown
       FROM gas_days WHERE day >= $2::date AND day < $3::date GROUP BY 1 ORDER BY 1`,
    [step, from.toISOString().slice(0, 10), until.toISOString().slice(0, 10)],
  );
  return rows.map(({ gas, wei, ...row }) => ({ ...row, gas: BigInt(gas), wei: BigInt(wei) }));
}
