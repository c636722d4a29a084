import type { Hash } from '../../../base/hex.ts';
import { hashColumn } from '../../../db/columns.ts';
import type { Queries, Tx } from '../../../db/database.ts';

/** The last block with a posting that is counted. */
export type CountedBlock = {
  readonly number: bigint;
  readonly hash: Hash;
  /** When we saw it, and never before an earlier block: the time that its postings are counted at. */
  readonly at: Date;
};

export type EconomyCursor = {
  /** Null: nothing is counted yet. */
  readonly block: CountedBlock | null;
  /** The newest block of the ledger when nothing was left to count, and when that was. Null while a part is being counted again. */
  readonly whole: { readonly block: bigint; readonly at: Date } | null;
};

type CursorRow = {
  readonly [Column in 'number' | 'hash' | 'at' | 'wholeBlock' | 'wholeAt']:
    | (Column extends 'hash' ? Hash : Column extends 'at' | 'wholeAt' ? Date : bigint)
    | null;
};

export async function readEconomyCursor({ query }: Queries): Promise<EconomyCursor> {
  const [row] = await query<CursorRow>(
    `SELECT block_number AS number, ${hashColumn('block_hash')} AS hash, block_at AS at, whole_block AS "wholeBlock",
            whole_at AS "wholeAt" FROM economy_cursor`,
  );
  const { number, hash, at, wholeBlock, wholeAt } = row!;
  return {
    block: number === null ? null : { number, hash: hash!, at: at! },
    whole: wholeBlock === null ? null : { block: wholeBlock, at: wholeAt! },
  };
}

/** Locks counting for all processes until the transaction ends. False if another process is counting now. */
export async function lockEconomy({ query }: Tx): Promise<boolean> {
  const [row] = await query<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtext('quarters.economy')) AS locked`,
  );
  return row?.locked ?? false;
}

/** Waits until nobody is counting, and locks counting as {@link lockEconomy} does. Call it first in its transaction. */
export async function waitForEconomy({ query }: Tx): Promise<void> {
  await query(`SELECT pg_advisory_xact_lock(hashtext('quarters.economy'))`);
}

/** Records that everything up to this block of the ledger is counted now. */
export async function setWhole({ query }: Tx, block: bigint): Promise<void> {
  await query('UPDATE economy_cursor SET whole_block = $1, whole_at = now()', [block]);
}
