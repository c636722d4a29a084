import type { Address } from '../../base/address.ts';
import { listRelayers } from '../../chain/relayers.ts';
import { columnsOf, type Queries, type Tx } from '../../db/database.ts';

/**
 * How far a relayer's transactions are. They are mined in the order of their nonces, so two marks tell the state of each, and no row of
 * a transaction changes on its way:
 *
 * | nonce | state |
 * |---|---|
 * | below `consumed` | the chain has used it, at the followed block |
 * | below `sent` | a node has taken it |
 * | others | signed and stored |
 */
export type NonceMarks = { readonly consumed: bigint; readonly sent: bigint };

/** The SQL of a relayer's mark `consumed`. `relayer`: an expression for its address. */
export const consumedBelow = (relayer: string): string => `coalesce((
  SELECT below FROM consumed_nonces WHERE consumed_nonces.relayer = ${relayer} ORDER BY block_number DESC LIMIT 1), 0)`;

export async function readMarks({ query }: Queries, relayers: readonly Address[]): Promise<Map<Address, NonceMarks>> {
  const rows = await query<NonceMarks & { relayer: Address }>(
    `SELECT given.relayer, ${consumedBelow('given.relayer')} AS consumed,
            coalesce((SELECT max(below) FROM broadcasts WHERE broadcasts.relayer = given.relayer), 0) AS sent
       FROM unnest($1::text[]) AS given (relayer)`,
    [relayers],
  );
  return new Map(rows.map(({ relayer, ...marks }) => [relayer, marks]));
}

/**
 * A node has taken the transactions with the nonces from `first` to below `below`, for the first time or once more. `isPart`: it did not
 * take those that follow. Broadcasts that reach further then count as sent before only.
 */
export async function recordBroadcast(
  { query }: Queries,
  relayer: Address,
  { first, below, isPart = false }: { readonly first: bigint; readonly below: bigint; readonly isPart?: boolean },
): Promise<void> {
  await query(
    `WITH locked AS (
       SELECT below FROM broadcasts WHERE relayer = $1 AND below > $2 AND first_nonce < $3 AND (below <= $3 OR NOT $4)
        ORDER BY below FOR NO KEY UPDATE),
     again AS (
       UPDATE broadcasts SET resent_at = clock_timestamp() FROM locked WHERE relayer = $1 AND broadcasts.below = locked.below)
     INSERT INTO broadcasts (relayer, first_nonce, below)
     SELECT $1::text, greatest($2::bigint, max(below)), $3::bigint FROM broadcasts WHERE relayer = $1 HAVING coalesce(max(below), 0) < $3
     ON CONFLICT DO NOTHING`,
    [relayer, first, below, isPart],
  );
}

/**
 * Up to which nonce the relayer's open transactions were last sent more than `milliseconds` ago, so that the node may have forgotten them;
 * null if none was.
 */
export async function sentLongAgo(
  { query }: Queries,
  relayer: Address,
  consumed: bigint,
  milliseconds: number,
): Promise<bigint | null> {
  const [row] = await query<{ below: bigint | null }>(
    `SELECT max(below) AS below FROM broadcasts
      WHERE relayer = $1 AND below > $2 AND coalesce(resent_at, sent_at) < clock_timestamp() - make_interval(secs => $3)`,
    [relayer, consumed, milliseconds / 1000],
  );
  return row?.below ?? null;
}

/**
 * Block `block` has mined our transactions at these nonces, and with them all lower ones. The mark moves up to the first nonce that is
 * missing. Another transaction used it, or one without effect: comparing the nonces with the chain shows which. The caller must hold the
 * follower's lock.
 */
export async function recordConsumedNonces(
  { query }: Tx,
  block: bigint,
  mined: readonly { readonly relayer: Address; readonly nonce: bigint }[],
): Promise<void> {
  if (mined.length === 0) return;
  // From the mark on, the nonces without a gap are those whose number is their place.
  await query(
    `INSERT INTO consumed_nonces (relayer, block_number, below)
     SELECT relayer, $3, max(nonce) + 1 FROM (
       SELECT relayer, nonce, consumed + row_number() OVER (PARTITION BY relayer ORDER BY nonce) - 1 AS expected FROM (
         SELECT DISTINCT relayer, nonce FROM unnest($1::text[], $2::bigint[]) AS given (relayer, nonce)) AS mined
         JOIN (SELECT relayer, ${consumedBelow('known.relayer')} AS consumed FROM unnest($4::text[]) AS known (relayer)) AS marks USING (relayer)
        WHERE nonce >= consumed) AS numbered
      WHERE nonce = expected GROUP BY relayer
     ON CONFLICT (relayer, block_number) DO UPDATE SET below = excluded.below`,
    [...columnsOf(mined, ['relayer', 'nonce']), block, [...new Set(mined.map(({ relayer }) => relayer))]],
  );
}

/**
 * At block `block` the chain had used the relayer's nonces below `below`. `exactly`: no others. Otherwise it may have used
 * more.
 */
export async function setConsumedNonces(
  { query }: Tx,
  relayer: Address,
  block: bigint,
  below: bigint,
  exactly = true,
): Promise<void> {
  await query(
    `INSERT INTO consumed_nonces (relayer, block_number, below) VALUES ($1, $2, greatest($3, CASE WHEN NOT $4 THEN ${consumedBelow('$1')} END))
     ON CONFLICT (relayer, block_number) DO UPDATE SET below = excluded.below`,
    [relayer, block, below, exactly],
  );
}

/** The nonces that the blocks above `block` used are open again, and no transaction is mined there any more. */
export async function reopenNoncesAbove(tx: Tx, block: bigint): Promise<void> {
  const { query, announce } = tx;
  announce('transactions');
  await query('DELETE FROM consumed_nonces WHERE block_number > $1', [block]);
  // Of every relayer: a mark may stand in a later block than the transactions that it counts, and be gone since an earlier reorganisation.
  const relayers = await listRelayers(tx);
  await query(
    `UPDATE transactions SET mined_block = NULL
       FROM (SELECT relayer, ${consumedBelow('known.relayer')} AS below FROM unnest($2::text[]) AS known (relayer)) AS mark
      WHERE transactions.relayer = mark.relayer AND nonce >= below AND mined_block > $1`,
    [block, relayers.map(({ address }) => address)],
  );
}

/** Forgets what blocks below `block` used, and broadcasts of transactions that were mined long ago. The newest of each relayer stay. */
export async function forgetOldNonces({ query }: Queries, block: bigint): Promise<void> {
  await query(
    `DELETE FROM consumed_nonces AS old WHERE block_number < $1 AND EXISTS (
       SELECT FROM consumed_nonces AS newer WHERE newer.relayer = old.relayer AND newer.block_number > old.block_number AND newer.block_number < $1)`,
    [block],
  );
  await query(
    `DELETE FROM broadcasts USING (SELECT relayer, max(below) AS below FROM consumed_nonces WHERE block_number < $1 GROUP BY relayer) AS used
      WHERE broadcasts.relayer = used.relayer AND broadcasts.below < used.below
        AND EXISTS (SELECT FROM broadcasts AS newer WHERE newer.relayer = broadcasts.relayer AND newer.below > broadcasts.below)`,
    [block],
  );
}
