import type { Database, Tx } from '../db/database.ts';

/** PostgreSQL and poolers in front of it end transactions that are silent for longer. */
const SIGN_OF_LIFE_MS = 5_000;

/** Runs `work` while no other process audits or repairs; null, without running it, if another one does. */
export function auditingAlone<T>(db: Pick<Database, 'transaction'>, work: () => Promise<T>): Promise<T | null> {
  // This transaction holds the lock and nothing else, no snapshot and no row, so it may wait for the network.
  return db.transaction(async (tx) => {
    if (!(await lockAudit(tx))) return null;
    // If the connection breaks, the lock is lost. Then two audits may run at once, which does no harm.
    const signs = setInterval(() => void tx.query('SELECT').catch(() => {}), SIGN_OF_LIFE_MS);
    try {
      return await work();
    } finally {
      clearInterval(signs);
    }
  });
}

/** Locks the audit for all processes until the transaction ends. False if another audit is running. */
export async function lockAudit({ query }: Tx): Promise<boolean> {
  const [row] = await query<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtext('quarters.audit')) AS locked`,
  );
  return row?.locked ?? false;
}
