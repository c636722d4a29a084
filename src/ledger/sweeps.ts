import type { Queries, Tx } from '../db/database.ts';

/** One time that all accounts got new keys. */
export type Sweep = {
  readonly beganAt: Date;
  /** The accounts that had quarters to move, and how many. */
  readonly accounts: bigint;
  readonly quarters: bigint;
  /** When all of them had moved; null before. */
  readonly finishedAt: Date | null;
};

/** What has not left the old addresses yet. */
export type LeftToMove = { readonly accounts: number; readonly quarters: bigint };

/** Records a sweep whose accounts have their new addresses by now. Throws if there was one that is not finished. */
export async function insertSweep({ query }: Tx): Promise<Sweep> {
  const [row] = await query<Sweep>(
    `INSERT INTO sweeps (block_number, accounts, quarters)
     SELECT coalesce((SELECT max(number) FROM blocks), 0), count(*), coalesce(sum(posted), 0)::bigint FROM accounts
      WHERE kind = 'swept' AND posted > 0
     RETURNING ${COLUMNS}`,
  );
  return row!;
}

const COLUMNS = 'began_at AS "beganAt", accounts, quarters, finished_at AS "finishedAt"';

/** Records a sweep of which a recovery kit tells, in a database that was made from it: the accounts are found on the chain. */
export async function insertEarlierSweep({ query }: Tx, block: bigint): Promise<void> {
  await query('INSERT INTO sweeps (block_number, accounts, quarters, finished_at) VALUES ($1, 0, 0, now())', [block]);
}

/** The last sweep; null if there was none. */
export async function readLastSweep({ query }: Queries): Promise<Sweep | null> {
  const [row] = await query<Sweep>(`SELECT ${COLUMNS} FROM sweeps ORDER BY id DESC LIMIT 1`);
  return row ?? null;
}

/** Whether quarters are being moved to new addresses, so that no payment is accepted. */
export async function isMoving({ query }: Queries): Promise<boolean> {
  return (await query('SELECT FROM sweeps WHERE finished_at IS NULL')).length > 0;
}

/** The block after which the newest sweep's moves are; null if there was none. */
export async function blockOfLastSweep({ query }: Queries): Promise<bigint | null> {
  const [row] = await query<{ block: bigint }>('SELECT block_number AS block FROM sweeps ORDER BY id DESC LIMIT 1');
  return row?.block ?? null;
}

/** As {@link blockOfLastSweep}, if nothing is known of the addresses that were left: of a database that was made from a recovery kit. */
export async function blockOfUnknownSweep(db: Queries): Promise<bigint | null> {
  const known = await db.query(`SELECT FROM accounts WHERE kind = 'swept' LIMIT 1`);
  return known.length > 0 ? null : blockOfLastSweep(db);
}

// An address from which something was moved is done: each move takes all that is there. What a stranger sends there later is moved too, but
// nobody has to wait for it. Otherwise whoever sends a quarter with each block could hold all payments up for ever.
const LEFT = `FROM accounts WHERE kind = 'swept' AND posted > 0 AND NOT EXISTS (
  SELECT FROM postings WHERE from_address = accounts.address AND amount > 0
                         AND block_number > (SELECT max(block_number) FROM sweeps))`;

/** It reads all accounts. */
export async function countLeftToMove({ query }: Queries): Promise<LeftToMove> {
  const [row] = await query<{ accounts: bigint; quarters: bigint }>(
    `SELECT count(*) AS accounts, coalesce(sum(posted), 0)::bigint AS quarters ${LEFT}`,
  );
  return { accounts: Number(row!.accounts), quarters: row!.quarters };
}

/** Ends the sweep if nothing is left to move. Returns it then; null if something is left, or there is none, or it has ended. */
export async function finishSweep({ query }: Tx): Promise<Sweep | null> {
  const [row] = await query<Sweep>(
    `UPDATE sweeps SET finished_at = now() WHERE finished_at IS NULL AND NOT EXISTS (SELECT ${LEFT}) RETURNING ${COLUMNS}`,
  );
  return row ?? null;
}
