import type { Queries } from '../db/database.ts';

/** What the last audit found, whichever process made it. */
export type StoredAudit = {
  /** The block at which ledger and chain were compared. */
  readonly block: bigint;
  readonly accounts: number;
  readonly differences: number;
  /** Accounts whose balance is below what is held. */
  readonly overdrawn: number;
  readonly seconds: number;
  readonly finishedAt: Date;
  /** How long ago that was, by the database's clock. */
  readonly ageSeconds: number;
  /** The last time an audit found no difference; null if none ever did. */
  readonly equalAt: Date | null;
  /** The block of that audit. */
  readonly equalBlock: bigint | null;
};

/** Records an audit's result in place of the one before. */
export async function storeAudit(
  { query }: Queries,
  {
    block,
    accounts,
    differences,
    overdrawn,
    seconds,
  }: Omit<StoredAudit, 'finishedAt' | 'ageSeconds' | 'equalAt' | 'equalBlock'>,
): Promise<void> {
  await query(
    `INSERT INTO last_audit AS last (block, accounts, differences, overdrawn, seconds, equal_at, equal_block)
     VALUES ($1, $2, $3, $4, $5, CASE WHEN $3 = 0 THEN now() END, CASE WHEN $3 = 0 THEN $1::bigint END)
     ON CONFLICT (singleton) DO UPDATE SET block = excluded.block, accounts = excluded.accounts, differences = excluded.differences,
       overdrawn = excluded.overdrawn, seconds = excluded.seconds, finished_at = excluded.finished_at,
       equal_at = coalesce(excluded.equal_at, last.equal_at),
       equal_block = coalesce(excluded.equal_block, last.equal_block)`,
    [block, accounts, differences, overdrawn, seconds],
  );
}

/** Null before the first audit. */
export async function readStoredAudit({ query }: Queries): Promise<StoredAudit | null> {
  const [row] = await query<StoredAudit>(
    `SELECT block, accounts::float8 AS accounts, differences, overdrawn, seconds, finished_at AS "finishedAt",
            extract(epoch FROM now() - finished_at)::float8 AS "ageSeconds", equal_at AS "equalAt", equal_block AS "equalBlock"
       FROM last_audit`,
  );
  return row ?? null;
}
