import type { RequestId, TransferId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { openMonthsAbove } from '../../ledger/archived-months.ts';

// Archived rows are in tables that inherit from the live ones. A statement reads both, unless it says ONLY: then it reads live rows, which are
// all that are not final. So what a reorganisation opens again has to be live before.

/** Puts the payments that blocks above this one have decided back among the live ones. Call it under the follower's lock. */
export async function returnPaymentsAbove(tx: Tx, block: bigint): Promise<void> {
  if (await openMonthsAbove(tx, block)) await returnPayments(tx, 'decided_block > $1', block);
}

/** Puts payments back among the live ones, each with all that belongs to its request. `which`: a condition for their transfers. */
export async function returnPayments({ query }: Tx, which: string, value: unknown): Promise<void> {
  const rows = await query<{ id: TransferId; requestId: RequestId | null }>(
    `SELECT id, request_id AS "requestId" FROM transfers WHERE tableoid <> 'transfers'::regclass AND ${which}`,
    [value],
  );
  if (rows.length === 0) return;
  const requests = [...new Set(rows.flatMap(({ requestId }) => requestId ?? []))];
  await query(
    `WITH returned AS (
       DELETE FROM transfers WHERE tableoid <> 'transfers'::regclass AND (id = ANY($1::uuid[]) OR request_id = ANY($2::uuid[])) RETURNING *)
     INSERT INTO transfers SELECT * FROM returned`,
    [rows.map(({ id }) => id), requests],
  );
  await query(
    `WITH returned AS (DELETE FROM requests WHERE tableoid <> 'requests'::regclass AND id = ANY($1::uuid[]) RETURNING *)
     INSERT INTO requests SELECT * FROM returned`,
    [requests],
  );
}
