import { setTimeout as delay } from 'node:timers/promises';
import { RELEASE, type Release } from '../config/release.ts';
import { type Database, sqlState, type Tx } from '../db/database.ts';
import type { Queries } from '../db/queries.ts';
import { forgetDead, insertProcess, listProcesses, type ProcessSelf, type RunningProcess } from './processes.ts';

/** This program cannot run on this database as it is, or beside those that run on it. The message says what to do. */
export class IncompatibleRelease extends Error {
  override readonly name = 'IncompatibleRelease';
}

const LOOK_AGAIN_MS = 200;
const UNDEFINED_TABLE = '42P01';

/**
 * Enters a process among those of its database, or enters it again after the others have forgotten it. Throws
 * {@link IncompatibleRelease} if a process of another level runs, or if the tables belong to a later release. Processes enter one after
 * the other. So of two levels that start at once, one is refused.
 */
export async function joinProcesses(db: Database, self: ProcessSelf): Promise<void> {
  const seen = new Map<string, number>();
  for (;;) {
    const others = await tryToJoin(db, self);
    if (others.length === 0) return;
    // A process that was killed is in the table for some seconds. One that lives is seen again.
    const alive = others.filter(({ id, seenAt }) => seen.has(id) && seen.get(id) !== seenAt.getTime());
    if (alive.length > 0) throw new IncompatibleRelease(besideOthers(self, alive));
    for (const { id, seenAt } of others) seen.set(id, seenAt.getTime());
    await delay(LOOK_AGAIN_MS);
  }
}

/** Returns the processes of other levels. If there are none, the process has entered. */
function tryToJoin(db: Database, self: ProcessSelf): Promise<RunningProcess[]> {
  return db.transaction(async (tx) => {
    await lockProcesses(tx);
    await requireEarlierTables(tx, self);
    await forgetDead(tx);
    const others = (await listProcesses(tx)).filter(({ compatibility }) => compatibility !== self.compatibility);
    if (others.length === 0) await insertProcess(tx, self);
    return others;
  });
}

/** Until the transaction ends, no process enters. */
export async function lockProcesses({ query }: Tx): Promise<void> {
  await query(`SELECT pg_advisory_xact_lock(hashtext('quarters.processes'))`);
}

function besideOthers({ version }: Release, others: readonly RunningProcess[]): string {
  const named = others.map(
    (other) => `${other.version} on ${other.host} (process ${other.pid}, since ${other.startedAt.toISOString()})`,
  );
  return (
    `Version ${version} cannot run beside the version that runs on this database: ${named.join(', ')}. ` +
    'Stop them first, then start again. Nothing was changed.'
  );
}

/** Throws {@link IncompatibleRelease} if the tables belong to a later release, which may need them as they are. */
async function requireEarlierTables(db: Queries, { version, compatibility }: Release): Promise<void> {
  const level = await readLevel(db);
  if (level <= compatibility) return;
  throw new IncompatibleRelease(
    `The database belongs to a later release: its compatibility level is ${level}, and that of version ${version} is ` +
      `${compatibility}. Run the later release, or restore a copy of the database from before it.`,
  );
}

/** For a command beside a service. Throws unless the tables have the level of this program. */
export async function requireOwnTables(db: Queries, release: Release = RELEASE): Promise<void> {
  await requireEarlierTables(db, release);
  const level = await readLevel(db);
  if (level === release.compatibility) return;
  const [tables] = await db.query<{ isEmpty: boolean }>(`SELECT to_regclass('migrations') IS NULL AS "isEmpty"`);
  if (tables!.isEmpty) {
    throw new Error(
      'The database is empty. The first start of the service makes its tables. Is DATABASE_URL the right one?',
    );
  }
  throw new IncompatibleRelease(
    `The database belongs to an earlier release, beside which version ${release.version} cannot work. ` +
      'Use the commands of that release, or stop it and start this one.',
  );
}

/** The level of the tables; 0 before the first release. */
export async function readLevel({ query }: Queries): Promise<number> {
  const rows = await query<{ level: number }>('SELECT level FROM compatibility').catch((error: unknown) => {
    if (sqlState(error) === UNDEFINED_TABLE) return [];
    throw error;
  });
  return rows[0]?.level ?? 0;
}
