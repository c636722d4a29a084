import type { Queries } from '../../../db/database.ts';
import { FIRST_TIMED_ID } from './move-rows.ts';

/** Rows that stay live for ever, because by them a payment is made once. */
export type KeptForEver = {
  /** Payments whose keys never end: rows of files that are paid, operators' actions, test quarters, withdrawals. */
  readonly untimedTransfers: bigint;
  /** Payments of which a reward paid a part. */
  readonly rewardTransfers: bigint;
  /** Grants of rewards, each by its key. */
  readonly rewards: bigint;
  /** Rows of files that were to be paid. */
  readonly fileRows: bigint;
  /** What a restore has found on the chain, by the name under which it was paid. */
  readonly recoveredPayments: bigint;
};

/** Counts them. It reads these rows. */
export async function countKeptForEver({ query }: Queries): Promise<KeptForEver> {
  const [row] = await query<KeptForEver>(
    `SELECT (SELECT count(*) FROM ONLY transfers WHERE id < $1::uuid) AS "untimedTransfers",
            (SELECT count(DISTINCT transfer_id) FROM reward_claims) AS "rewardTransfers",
            (SELECT count(*) FROM rewards) AS rewards, (SELECT count(*) FROM pay_batch_rows) AS "fileRows",
            (SELECT count(*) FROM recovered_payments) AS "recoveredPayments"`,
    [FIRST_TIMED_ID],
  );
  return row!;
}
