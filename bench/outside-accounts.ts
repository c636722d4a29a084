import type { Stage } from './stage.ts';

/** Accounts from elsewhere that have nothing, on the chain either: the audit asks the node for each of them. */
export async function addOutsideAccounts({ database }: Stage, count: number): Promise<void> {
  await database.query(
    `INSERT INTO accounts (address, kind, posted)
     SELECT '0x' || encode(sha256(i::text::bytea), 'hex')::char(40), 'external', 0 FROM generate_series(1, $1) AS i`,
    [count],
  );
  await database.query('ANALYZE accounts');
}
