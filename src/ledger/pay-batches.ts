import type { AppId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import type { Queries, Tx } from '../db/database.ts';

/** A file of payments that is paid, or was. */
export type PayBatch = {
  readonly id: string;
  readonly name: string;
  /** SHA-256. */
  readonly fileHash: Buffer;
  /** Whose account pays; null: the treasury. */
  readonly appId: AppId | null;
  readonly rowCount: number;
  readonly quarters: Quarters;
  readonly createdAt: Date;
};

const COLUMNS = `id, name, file_hash AS "fileHash", app_id AS "appId", row_count AS "rowCount", quarters, created_at AS "createdAt"`;

export async function findPayBatch({ query }: Queries, name: string): Promise<PayBatch | null> {
  const [row] = await query<PayBatch>(`SELECT ${COLUMNS} FROM pay_batches WHERE name = $1`, [name]);
  return row ?? null;
}

/** The batches that paid this very file, oldest first. */
export async function payBatchesOfFile({ query }: Queries, fileHash: Uint8Array): Promise<PayBatch[]> {
  return query<PayBatch>(`SELECT ${COLUMNS} FROM pay_batches WHERE file_hash = $1 ORDER BY id`, [fileHash]);
}

/** Stores a batch. Null if its name is taken, even by a concurrent command. */
export async function insertPayBatch({ query }: Tx, batch: Omit<PayBatch, 'createdAt'>): Promise<PayBatch | null> {
  const [row] = await query<PayBatch>(
    `INSERT INTO pay_batches (id, name, file_hash, app_id, row_count, quarters) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (name) DO NOTHING RETURNING ${COLUMNS}`,
    [batch.id, batch.name, batch.fileHash, batch.appId, batch.rowCount, batch.quarters],
  );
  return row ?? null;
}
