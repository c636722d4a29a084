import type { Queries, Tx } from '../../../db/database.ts';
import type { LogHead } from './chain.ts';

/** Where the log was cut off: the last entry that was deleted, and our signature over it. */
export type Checkpoint = LogHead & { readonly signature: string; readonly createdAt: Date };

/** The newest checkpoint; null if nothing was ever deleted. */
export async function readCheckpoint({ query }: Queries): Promise<Checkpoint | null> {
  const [row] = await query<Checkpoint>(
    `SELECT sequence, hash, signature, created_at AS "createdAt" FROM operator_log_checkpoints ORDER BY sequence DESC LIMIT 1`,
  );
  return row ?? null;
}

/** Stores a checkpoint. The database refuses one that does not repeat the hash of an entry. From now on, entries up to it can be deleted. */
export async function insertCheckpoint(
  { query }: Tx,
  { sequence, hash, signature }: Omit<Checkpoint, 'createdAt'>,
): Promise<void> {
  await query('INSERT INTO operator_log_checkpoints (sequence, hash, signature) VALUES ($1, $2, $3)', [
    sequence,
    hash,
    signature,
  ]);
}

/** The last entry before the first one of this time or later; null if there is none. */
export async function lastBefore({ query }: Queries, time: Date): Promise<bigint | null> {
  const [row] = await query<{ sequence: bigint | null }>(
    `SELECT max(sequence) AS sequence FROM operator_log WHERE sequence < coalesce(
       (SELECT min(sequence) FROM operator_log WHERE at >= $1), (SELECT max(sequence) + 1 FROM operator_log))`,
    [time.toISOString()],
  );
  return row?.sequence ?? null;
}

/**
 * Deletes up to `most` entries up to a checkpoint, with the notes that belong to them. Returns how many, and the pseudonyms of addresses they
 * named.
 */
export async function deleteEntries(
  tx: Tx,
  upTo: bigint,
  most: number,
): Promise<{ readonly count: number; readonly clients: string[] }> {
  const rows = await tx.query<{ client: string | null; reason: string | null }>(
    `DELETE FROM operator_log WHERE sequence IN (SELECT sequence FROM operator_log WHERE sequence <= $1 ORDER BY sequence LIMIT $2)
     RETURNING entry #>> '{from,client}' AS client, entry ->> 'reason' AS reason`,
    [upTo, most],
  );
  const reasons = rows.flatMap(({ reason }) => reason ?? []);
  if (reasons.length > 0) {
    await tx.query(
      `DELETE FROM operator_log_reasons WHERE hash IN (SELECT decode(digits, 'hex') FROM unnest($1::text[]) AS digits)`,
      [reasons],
    );
  }
  return { count: rows.length, clients: [...new Set(rows.flatMap(({ client }) => client ?? []))] };
}

/** Forgets the addresses that no entry names any more. It reads the whole log, in one statement. */
export async function forgetClients({ query }: Queries, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await query(
    `DELETE FROM operator_log_names
      WHERE name = ANY($1) AND client <> ''
        AND name NOT IN (SELECT entry #>> '{from,client}' FROM operator_log WHERE entry #> '{from,client}' IS NOT NULL)`,
    [names],
  );
}
