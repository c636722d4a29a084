import type { Database } from '../../src/db/database.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';

export type Lock = readonly [text: string, values: readonly unknown[]];

export const locking = (table: string, column: string, value: unknown): Lock => [
  `SELECT FROM ${table} WHERE ${column} = $1 FOR NO KEY UPDATE`,
  [value],
];

/**
 * A holder that follows the order has locked `first` when `act` begins, and `act` waits for it. Then the holder takes
 * `second`, which comes later in the order: if `act` had locked that already, both would wait for each other.
 *
 * `patienceMs`: how long others may hold `second`, as renewing a lease does for a moment. Less than it takes to detect a deadlock.
 */
export async function goesByTheOrder(
  db: Database,
  first: Lock,
  second: Lock,
  act: () => Promise<unknown>,
  patienceMs = 0,
): Promise<void> {
  let acting: Promise<unknown> | undefined;
  try {
    await db.transaction(async (tx) => {
      await tx.query(...first);
      acting = act();
      await lockWaitersAre({ db }, 1);
      if (patienceMs > 0) await tx.query(`SET LOCAL lock_timeout = ${patienceMs}`);
      await tx.query(`${second[0]}${patienceMs > 0 ? '' : ' NOWAIT'}`, second[1]);
    });
  } finally {
    await acting;
  }
}
