import type { Queries } from '../db/database.ts';
import type { SealedRows } from '../db/sealed-rows.ts';

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

/** The sealed keys of accounts. */
export const SEALED_ACCOUNT_KEYS: SealedRows = {
  list: ({ query }, key, after, most) =>
    query(
      `SELECT address AS id, sealed_key AS sealed, 'account ' || address AS context FROM accounts
        WHERE sealed_key IS NOT NULL AND substring(sealed_key FOR 4) <> $1 AND address > $2 ORDER BY address LIMIT $3`,
      [key, after, most],
    ),
  async replace({ query }, values) {
    const ids = values.map(({ id }) => id);
    await query('SELECT FROM accounts WHERE address = ANY($1) ORDER BY address FOR NO KEY UPDATE', [ids]);
    await query(
      `UPDATE accounts SET sealed_key = anew FROM unnest($1::text[], $2::bytea[], $3::bytea[]) AS given (id, sealed, anew)
        WHERE address = id AND sealed_key = sealed`,
      [ids, values.map(({ sealed }) => sealed), values.map(({ anew }) => anew)],
    );
  },
};
