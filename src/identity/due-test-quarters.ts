import type { AppId, TransferId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';

/** Test quarters that an app has yet to get, and the transfer that brings them. */
export type DueTestQuarters = { readonly appId: AppId; readonly transferId: TransferId };

/** Apps that have yet to get test quarters and are not deleted, at most `most`. */
export async function listDueTestQuarters({ query }: Queries, most: number): Promise<DueTestQuarters[]> {
  return query<DueTestQuarters>(
    `SELECT id AS "appId", test_transfer_id AS "transferId" FROM apps
      WHERE test_transfer_id IS NOT NULL AND deleted_at IS NULL ORDER BY id LIMIT $1`,
    [most],
  );
}

/** The transfer of an app's test quarters is accepted, so they are not due any more. */
export async function clearDueTestQuarters({ query }: Queries, { appId, transferId }: DueTestQuarters): Promise<void> {
  await query('UPDATE apps SET test_transfer_id = NULL WHERE id = $1 AND test_transfer_id = $2', [appId, transferId]);
}
