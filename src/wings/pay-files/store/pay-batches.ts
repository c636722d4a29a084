import type { Address } from '../../../base/address.ts';
import type { AppId } from '../../../base/ids.ts';
import type { Quarters } from '../../../base/quarters.ts';
import { columnsOf, type Queries, type Tx } from '../../../db/database.ts';

/** A file of payments that is paid, or was. */
export type PayBatch = {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of what the rows of its first file say; of the file's bytes if it is named by lines. */
  readonly fileHash: Buffer;
  /** Begun by release 1.0.0: its rows are named by their lines, so only the same file continues it. */
  readonly byLine: boolean;
  /** Whose account pays; null: the treasury. */
  readonly appId: AppId | null;
  readonly rowCount: number;
  readonly quarters: Quarters;
  readonly createdAt: Date;
};

const COLUMNS = `id, name, file_hash AS "fileHash", by_line AS "byLine", app_id AS "appId", row_count AS "rowCount", quarters, created_at AS "createdAt"`;

export async function findPayBatch({ query }: Queries, name: string): Promise<PayBatch | null> {
  const [row] = await query<PayBatch>(`SELECT ${COLUMNS} FROM pay_batches WHERE name = $1`, [name]);
  return row ?? null;
}

/** The batches that began with a file of one of these hashes, oldest first. */
export async function payBatchesOfFile({ query }: Queries, hashes: readonly Uint8Array[]): Promise<PayBatch[]> {
  return query<PayBatch>(
    `SELECT ${COLUMNS} FROM pay_batches WHERE file_hash = ANY($1::bytea[]) ORDER BY created_at, id`,
    [hashes],
  );
}

/** Stores a batch. Null if its name is taken, even by a concurrent command. */
export async function insertPayBatch(
  { query }: Tx,
  batch: Omit<PayBatch, 'createdAt' | 'byLine'>,
): Promise<PayBatch | null> {
  const [row] = await query<PayBatch>(
    `INSERT INTO pay_batches (id, name, file_hash, by_line, app_id, row_count, quarters) VALUES ($1, $2, $3, false, $4, $5, $6)
     ON CONFLICT (name) DO NOTHING RETURNING ${COLUMNS}`,
    [batch.id, batch.name, batch.fileHash, batch.appId, batch.rowCount, batch.quarters],
  );
  return row ?? null;
}

/** Until the transaction ends, no other command adds rows to the batch. */
export async function lockPayBatch({ query }: Tx, { id }: Pick<PayBatch, 'id'>): Promise<void> {
  await query('SELECT FROM pay_batches WHERE id = $1 FOR NO KEY UPDATE', [id]);
}

/** A row that a batch has, or was to have, paid. */
export type BatchRow = {
  readonly identity: Buffer;
  /** Null: nobody could be paid at that time. */
  readonly address: Address | null;
  readonly amount: Quarters;
};

export async function readBatchRows({ query }: Queries, { id }: Pick<PayBatch, 'id'>): Promise<BatchRow[]> {
  return query<BatchRow>('SELECT identity, address, amount FROM pay_batch_rows WHERE batch_id = $1', [id]);
}

/** Adds rows before they are paid. Those that it has get the address that they lacked. */
export async function addBatchRows(
  { query }: Tx,
  { id }: Pick<PayBatch, 'id'>,
  rows: readonly BatchRow[],
): Promise<void> {
  await query(
    `INSERT INTO pay_batch_rows (batch_id, identity, address, amount)
     SELECT $1, identity, address, amount FROM unnest($2::bytea[], $3::text[], $4::bigint[]) AS added (identity, address, amount)
     ON CONFLICT (batch_id, identity) DO UPDATE SET address = excluded.address
       WHERE pay_batch_rows.address IS NULL AND excluded.address IS NOT NULL`,
    [id, ...columnsOf(rows, ['identity', 'address', 'amount'])],
  );
}

/** A row that says the same as one of another batch. */
export type SameRow = {
  readonly identity: Buffer;
  readonly batchId: string;
  readonly name: string;
  readonly appId: AppId | null;
  readonly addedAt: Date;
};

/** The rows of other batches of the last `days` that say the same as these. `except`: the id of a batch that is left out. */
export async function sameRowsElsewhere(
  { query }: Queries,
  identities: readonly Uint8Array[],
  except: string | null,
  days: number,
): Promise<SameRow[]> {
  return query<SameRow>(
    `SELECT identity, batch_id AS "batchId", name, app_id AS "appId", added_at AS "addedAt"
       FROM pay_batch_rows JOIN pay_batches ON pay_batches.id = batch_id
      WHERE identity = ANY($1::bytea[]) AND batch_id IS DISTINCT FROM $2::uuid AND added_at > now() - make_interval(days => $3)
      ORDER BY added_at`,
    [identities, except, days],
  );
}
