import type { Queries } from '../db/database.ts';

/** Whether accounts have sealed keys, which nothing but the database and its backups hold. An index answers. */
export async function hasSealedKeys({ query }: Queries): Promise<boolean> {
  return (await query('SELECT FROM accounts WHERE sealed_key IS NOT NULL LIMIT 1')).length > 0;
}

/** How many accounts have derived keys, and how many sealed ones. It reads all of them. */
export async function countAccountKeys({
  query,
}: Queries): Promise<{ readonly derived: number; readonly sealed: number }> {
  const [row] = await query<{ derived: bigint; sealed: bigint }>(
    'SELECT count(key_id) AS derived, count(sealed_key) AS sealed FROM accounts',
  );
  return { derived: Number(row!.derived), sealed: Number(row!.sealed) };
}
