import { createHash } from 'node:crypto';
import type { Queries, Tx } from '../../../db/database.ts';

/** The newest entry of the chain, or the checkpoint that replaced it. Before the first entry: 0, and 32 zero bytes. */
export type LogHead = { readonly sequence: bigint; readonly hash: Buffer };

export const GENESIS: LogHead = { sequence: 0n, hash: Buffer.alloc(32) };

const DOMAIN = Buffer.from('quarters.operator-log.v1\0');

/**
 * SHA-256(domain ‖ previous hash ‖ sequence ‖ entry): `quarters.operator-log.v1` and a zero byte, 32 bytes, 8 bytes with the highest first,
 * and the entry's text in UTF-8.
 */
export function hashEntry(previous: Uint8Array, sequence: bigint, entry: string): Buffer {
  const place = Buffer.alloc(8);
  place.writeBigUInt64BE(sequence);
  return createHash('sha256').update(DOMAIN).update(previous).update(place).update(entry).digest();
}

/** The head as this transaction sees it. */
export async function readHead({ query }: Queries): Promise<LogHead> {
  const [head] = await query<LogHead>(
    `(SELECT sequence, hash FROM operator_log WHERE sequence IS NOT NULL ORDER BY sequence DESC LIMIT 1)
     UNION ALL (SELECT sequence, hash FROM operator_log_checkpoints ORDER BY sequence DESC LIMIT 1)
     ORDER BY sequence DESC LIMIT 1`,
  );
  return head ?? GENESIS;
}

/** Lets one process at a time add to the chain, until its transaction ends. */
export async function lockChain({ query }: Tx): Promise<void> {
  await query(`SELECT pg_advisory_xact_lock(hashtext('quarters.operator-log'))`);
}

/**
 * Gives up to `most` committed entries their places in the chain, and returns how many. Those that are seen together are placed in the order
 * in which they were stored, and those that are seen later come after them. So a change that followed another's COMMIT comes later.
 */
export async function chainEntries(tx: Tx, most: number): Promise<number> {
  const [waiting] = await tx.query('SELECT FROM operator_log WHERE sequence IS NULL LIMIT 1');
  if (!waiting) return 0;
  // The next statement sees what the process before has committed.
  await lockChain(tx);
  const unchained = await tx.query<{ id: bigint; entry: string }>(
    'SELECT id, entry::text AS entry FROM operator_log WHERE sequence IS NULL ORDER BY id LIMIT $1',
    [most],
  );
  if (unchained.length === 0) return 0;
  let { sequence, hash } = await readHead(tx);
  const placed = unchained.map(({ id, entry }) => {
    sequence += 1n;
    hash = hashEntry(hash, sequence, entry);
    return { id, sequence, hash };
  });
  await tx.query(
    `UPDATE operator_log SET sequence = placed.sequence, hash = placed.hash
       FROM unnest($1::bigint[], $2::bigint[], $3::bytea[]) AS placed (id, sequence, hash) WHERE operator_log.id = placed.id`,
    [placed.map(({ id }) => id), placed.map((row) => row.sequence), placed.map((row) => row.hash)],
  );
  return placed.length;
}
