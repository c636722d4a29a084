import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { IncompatibleRelease, joinProcesses, readLevel } from './join.ts';
import { forgetProcess, newProcess, type ProcessSelf, renewProcess } from './processes.ts';

/** The migration that makes the table of processes. */
const MAKES_PROCESSES = 28;
const RENEW_EVERY_MS = 1_000;

/** A process that has entered its database, on tables of its own level. */
export type Membership = {
  readonly self: ProcessSelf;
  /** The migrations that this took. */
  readonly applied: readonly string[];
  /** Ends renewing, because the loop of the leases renews the process from now on. */
  handOver(): Promise<void>;
  /** Removes the process, if it was not handed over. */
  leave(): Promise<void>;
};

/**
 * Enters the database as a process and updates the schema. What the process is stays known until it leaves: while a long migration or a
 * slow start lasts, none of another level can start. Throws `IncompatibleRelease` if it may not run here; then nothing has changed.
 * `onOvertaken` gets that error if it happens later, after the process was silent for too long.
 */
export async function enterDatabase(
  url: string,
  onOvertaken: (error: IncompatibleRelease) => void = () => {},
  self = newProcess(),
): Promise<Membership> {
  const db = openDatabase(url, { maxConnections: 1 });
  const ending = new AbortController();
  let renewing: Promise<void> | undefined;
  const end = async (remove: boolean) => {
    if (ending.signal.aborted) return;
    ending.abort();
    await renewing;
    // Without it, the others forget the process after some seconds.
    if (remove) await forgetProcess(db, self.id).catch(() => {});
    await db.close();
  };
  try {
    const first = (await readLevel(db)) === 0 ? await migrate(url, MAKES_PROCESSES) : [];
    await joinProcesses(db, self);
    renewing = (async () => {
      while (!ending.signal.aborted) {
        await delay(RENEW_EVERY_MS, undefined, { signal: ending.signal }).catch(() => {});
        if (ending.signal.aborted) return;
        try {
          if (!(await renewProcess(db, self.id))) await joinProcesses(db, self);
        } catch (error) {
          // The database may be away for a moment. Whatever needs it says so.
          if (error instanceof IncompatibleRelease) onOvertaken(error);
        }
      }
    })();
    const applied = [...first, ...(await migrate(url))];
    return { self, applied, handOver: () => end(false), leave: () => end(true) };
  } catch (error) {
    await end(true);
    throw error;
  }
}

/** Updates the schema as a process that does nothing else. Returns the names of the migrations it applied. */
export async function migrateAlone(url: string): Promise<string[]> {
  const { applied, leave } = await enterDatabase(url);
  await leave();
  return [...applied];
}
