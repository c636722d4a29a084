import { setTimeout as sleep } from 'node:timers/promises';
import type { Queries } from './queries.ts';

/** Longer than our own transactions live: their statements, their waits for locks and their silences are limited (`database.ts`). */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 5;
const MAX_PAUSE_MS = 100;

/**
 * Transactions that write to these tables or lock rows of them, by names that are never used again. Each keeps its lock on the table until
 * it ends. Transactions that only read hold another kind, so nobody waits for an audit or a backup.
 */
const WRITERS = `SELECT DISTINCT virtualtransaction AS id FROM pg_locks
  WHERE locktype = 'relation' AND pid <> pg_backend_pid() AND mode IN ('RowShareLock', 'RowExclusiveLock')
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND relation IN (SELECT to_regclass(name) FROM unnest($1::text[]) AS name)`;

/**
 * Waits until the transactions that write to these tables now, or lock rows of them, have ended. What was committed before the call is
 * seen by all that begin later. So afterwards nobody acts on what the tables held before that. New transactions wait for nothing.
 *
 * Throws if one of them is still open after a minute, which only a transaction that is not ours can be.
 */
export async function waitForWriters({ query }: Queries, tables: readonly string[]): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  let open = await query<{ id: string }>(WRITERS, [tables]);
  for (let pause = PAUSE_MS; open.length > 0; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    if (performance.now() > giveUpAt) {
      throw new Error(
        'A transaction that began before the change is still open in the database. End it and try again.',
      );
    }
    await sleep(pause);
    open = await query<{ id: string }>(`${WRITERS} AND virtualtransaction = ANY($2)`, [
      tables,
      open.map(({ id }) => id),
    ]);
  }
}
