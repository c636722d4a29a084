import type { RequestId } from '../base/ids.ts';
import { RowsMoved, type Tx } from '../db/database.ts';
import { REQUEST_COLUMNS, type TransferRequest } from './requests.ts';

/** Locks requests that may still be decided, in the order of their ids, and reads their current state. Archived ones are left out. */
export async function lockLiveRequests(
  { query }: Tx,
  ids: readonly RequestId[],
): Promise<Map<RequestId, TransferRequest>> {
  if (ids.length === 0) return new Map();
  const rows = await query<TransferRequest>(
    `SELECT ${REQUEST_COLUMNS} FROM ONLY requests WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
    [sortedOnce(ids)],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * The same, and archived ones too: an old payment can be refunded. One that was moved to the archive while this waited for it is at neither place
 * for the statement. Then the transaction runs again.
 */
export async function lockRequests({ query }: Tx, ids: readonly RequestId[]): Promise<Map<RequestId, TransferRequest>> {
  if (ids.length === 0) return new Map();
  const sorted = sortedOnce(ids);
  const rows = await query<TransferRequest>(
    `SELECT ${REQUEST_COLUMNS} FROM requests WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
    [sorted],
  );
  const locked = new Map(rows.map((row) => [row.id, row]));
  const missing = sorted.filter((id) => !locked.has(id));
  const moved =
    missing.length > 0 && (await query('SELECT FROM requests WHERE id = ANY($1::uuid[]) LIMIT 1', [missing]));
  if (moved && moved.length > 0) throw new RowsMoved();
  return locked;
}

const sortedOnce = (ids: readonly RequestId[]): RequestId[] => [...new Set(ids)].sort();
