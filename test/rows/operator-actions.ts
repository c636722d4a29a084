import { newTransferId } from '../../src/base/ids.ts';
import type { Queries } from '../../src/db/database.ts';

/** Lets a waiting action expire. */
export async function expireAction({ query }: Queries, id: string): Promise<void> {
  await query(`UPDATE operator_actions SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
}

/**
 * Leaves an action as a process does that died before it had recorded the payment. `forgetKeys`: a day ago. `unpaid`: before it had
 * accepted the payment, which gets another transfer.
 */
export async function restartAction(
  { query }: Queries,
  id: string,
  { forgetKeys = false, unpaid = false } = {},
): Promise<void> {
  await query(
    `UPDATE operator_actions SET state = 'started', result = NULL,
            transfer_id = coalesce($2::uuid, transfer_id) WHERE id = $1`,
    [id, unpaid ? newTransferId() : null],
  );
  if (forgetKeys || unpaid) await query('DELETE FROM idempotency_keys');
}
