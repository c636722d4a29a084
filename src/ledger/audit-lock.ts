import { setTimeout as delay } from 'node:timers/promises';
import { CommitUnknown, type Database, sqlState, type Tx } from '../db/database.ts';

/** PostgreSQL and poolers in front of it end transactions that are silent for longer. */
const SIGN_OF_LIFE_MS = 5_000;
const AGAIN_AFTER_MS = 1_000;

/** What long work knows of the lock that it runs under. */
export type AuditLock = {
  /** Throws if another process audits or repairs by now. Call it between steps. */
  requireHeld(): void;
  /** The same, and also if another one may have done so in between, because the lock was lost for a moment. */
  requireUnbroken(): void;
};

const BROKEN =
  'The connection to the database broke. What was done until then is kept, and nothing is half done: run it again.';

/**
 * Runs `work` while no other process audits or repairs; null, without running it, if another one does. If the connection that holds the lock
 * breaks, the lock is taken again on another one.
 *
 * Throws if a connection breaks that `work` uses. Its steps must be fit to be done again.
 */
export async function auditingAlone<T>(
  db: Pick<Database, 'transaction'>,
  work: (lock: AuditLock) => Promise<T>,
  signOfLifeMs = SIGN_OF_LIFE_MS,
): Promise<T | null> {
  const ending = new AbortController();
  const state = { isBroken: false, isTaken: false };
  const requireUnless = (isLost: boolean) => {
    if (isLost) throw new Error(BROKEN);
  };
  const lock: AuditLock = {
    requireHeld: () => requireUnless(state.isTaken),
    requireUnbroken: () => requireUnless(state.isTaken || state.isBroken),
  };
  const first = Promise.withResolvers<boolean>();
  const holding = (async () => {
    while (!ending.signal.aborted) {
      try {
        const isLocked = await holdLock(db, ending.signal, signOfLifeMs, () => first.resolve(true));
        first.resolve(isLocked);
        state.isTaken = !isLocked;
        return;
      } catch (error) {
        // Before the work has begun, it is the caller's to see. Later, this transaction has nothing to lose but the lock.
        first.reject(error);
        state.isBroken = true;
        await delay(AGAIN_AFTER_MS, undefined, { signal: ending.signal }).catch(() => {});
      }
    }
  })();
  try {
    return (await first.promise) ? await work(lock) : null;
  } catch (error) {
    if (isOfConnection(error)) throw new Error(BROKEN, { cause: error });
    throw error;
  } finally {
    ending.abort();
    await holding;
  }
}

/** Class 08: connection exception. 57P01 to 57P05: shutdown and start. */
function isOfConnection(error: unknown): boolean {
  if (error instanceof CommitUnknown || /^(08|57P)/.test(sqlState(error) ?? '')) return true;
  return error instanceof Error && /^Connection terminated/.test(error.message);
}

/** Holds the lock until `signal` aborts. False if somebody else holds it. Rejects if the connection breaks. */
function holdLock(
  db: Pick<Database, 'transaction'>,
  signal: AbortSignal,
  signOfLifeMs: number,
  onHeld: () => void,
): Promise<boolean> {
  // This transaction holds the lock and nothing else, no snapshot and no row, so it may wait for the network.
  return db.transaction(async (tx) => {
    if (!(await lockAudit(tx))) return false;
    onHeld();
    while (!signal.aborted) {
      await delay(signOfLifeMs, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await tx.query('SELECT');
    }
    return true;
  });
}

/** Locks the audit for all processes until the transaction ends. False if another audit is running. */
export async function lockAudit({ query }: Tx): Promise<boolean> {
  const [row] = await query<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtext('quarters.audit')) AS locked`,
  );
  return row?.locked ?? false;
}
