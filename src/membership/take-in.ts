import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import { askToTakeIn, countAsked, listNotTakenIn, noteTakenIn, type RunningProcess } from './processes.ts';

type Deps = Pick<Database, 'query' | 'announce' | 'notifyOthers'>;

const LOOK_AGAIN_MS = 50;
/** A connection pooler may swallow a notification. */
const NOTIFY_AGAIN_MS = 500;
/** A process that hangs counts as dead sooner, and one that works looks by itself sooner. */
const PATIENCE_MS = 15_000;

/**
 * Has every process of this database read again what it keeps in memory, such as whether payments are suspended, and waits until all have:
 * from then on each call meets what is committed. Call it after COMMIT. Returns the processes that have not read it in time.
 */
export async function untilTakenIn(db: Deps, patienceMs = PATIENCE_MS): Promise<readonly RunningProcess[]> {
  await askToTakeIn(db);
  const began = performance.now();
  let notifiedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const late = await listNotTakenIn(db);
    const now = performance.now();
    if (late.length === 0 || now - began > patienceMs) return late;
    if (now - notifiedAt > NOTIFY_AGAIN_MS) {
      db.announce('memory');
      await db.notifyOthers(['memory']);
      notifiedAt = now;
    }
    await delay(LOOK_AGAIN_MS);
  }
}

/** Runs `read`, by which this process reads again what it keeps in memory, and records that it has. */
export async function takeIn(db: Deps, id: string, read: () => Promise<void>): Promise<void> {
  const asked = await countAsked(db, id);
  await read();
  if (asked > 0n) await noteTakenIn(db, id, asked);
}

/** Names processes that {@link untilTakenIn} returns, for people. */
export function nameProcesses(processes: readonly Pick<RunningProcess, 'host' | 'pid'>[]): string {
  return processes.map(({ host, pid }) => `process ${pid} on ${host}`).join(', ');
}
