import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { RELEASE, type Release } from '../config/release.ts';
import type { Queries } from '../db/queries.ts';

/** A process that was not seen for this long is dead. The database's clock may jump, so both directions count. */
export const PROCESS_LIVES_SECONDS = 5;
const IS_ALIVE = `abs(extract(epoch FROM clock_timestamp() - seen_at)) <= ${PROCESS_LIVES_SECONDS}`;

/** A process as it describes itself to the others on its database. */
export type ProcessSelf = Release & { readonly id: string };

/** What a process says of its work. Empty before it has worked. */
export type Said = {
  /** The loops that fail, since when, and why. */
  readonly troubles?: readonly { readonly of: string; readonly since: string; readonly reason: string }[];
  /** The block at which following waits, because nobody proves it. */
  readonly unproven?: { readonly block: number; readonly reason: string } | null;
  /** For how many blocks endpoints had to agree, the last one, and why. */
  readonly agreed?: { readonly blocks: number; readonly last: number; readonly reason: string } | null;
};

/** A live process of this installation. Times are the database's. */
export type RunningProcess = ProcessSelf & {
  readonly host: string;
  readonly pid: number;
  readonly startedAt: Date;
  readonly seenAt: Date;
  /** Not while it starts, and not if it only changes the schema. */
  readonly working: boolean;
};

/** `release`: this program's, but for tests. */
export const newProcess = (release: Release = RELEASE): ProcessSelf => ({ ...release, id: randomUUID() });

const COLUMNS = `id, version, compatibility, host, pid, started_at AS "startedAt", seen_at AS "seenAt", working`;

/** Lists the live processes, the one that started first at the beginning. Starting ones and `quarters migrate` are included. */
export async function listProcesses({ query }: Queries): Promise<RunningProcess[]> {
  return query<RunningProcess>(`SELECT ${COLUMNS} FROM processes WHERE ${IS_ALIVE} ORDER BY started_at, id`);
}

/** What the live processes that work say, by their ids. */
export async function readSaid({ query }: Queries): Promise<ReadonlyMap<string, Said>> {
  const rows = await query<{ id: string; said: Said }>(
    `SELECT id, said FROM processes WHERE ${IS_ALIVE} AND working ORDER BY started_at, id`,
  );
  return new Map(rows.map(({ id, said }) => [id, said]));
}

/** Removes what dead processes left. One that is being recorded as alive right now is locked, so it is waited for and then kept. */
export async function forgetDead({ query }: Queries): Promise<void> {
  await query(`DELETE FROM processes WHERE NOT (${IS_ALIVE})`);
}

/** Stores a process that works on nothing yet. Call it under the lock of `joinProcesses` only. */
export async function insertProcess({ query }: Queries, { id, version, compatibility }: ProcessSelf): Promise<void> {
  // The uptime, because this machine's clock is not the database's.
  await query(
    `INSERT INTO processes (id, seen_at, version, compatibility, host, pid, started_at, working)
     VALUES ($1, clock_timestamp(), $2, $3, $4, $5, clock_timestamp() - make_interval(secs => $6), false)
     ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
    [id, version, compatibility, hostname(), process.pid, process.uptime()],
  );
}

/** Records that a process is alive. False if the others have forgotten it: it was not seen for too long. */
export async function renewProcess({ query }: Queries, id: string): Promise<boolean> {
  const rows = await query('UPDATE processes SET seen_at = clock_timestamp() WHERE id = $1 RETURNING id', [id]);
  return rows.length > 0;
}

/** Records the newest data key that a process holds. */
export async function noteDataKey({ query }: Queries, id: string, dataKey: number): Promise<void> {
  await query('UPDATE processes SET data_key = $2 WHERE id = $1 AND data_key IS DISTINCT FROM $2', [id, dataKey]);
}

/** The live processes that have not recorded yet that they hold this data key. */
export async function listWithoutDataKey({ query }: Queries, dataKey: number): Promise<RunningProcess[]> {
  return query<RunningProcess>(
    `SELECT ${COLUMNS} FROM processes WHERE ${IS_ALIVE} AND coalesce(data_key, 0) < $1 ORDER BY started_at, id`,
    [dataKey],
  );
}

/** Whether another process than this one is alive, whatever it does. */
export async function hasOthers({ query }: Queries, id: string): Promise<boolean> {
  return (await query(`SELECT FROM processes WHERE id <> $1 AND ${IS_ALIVE} LIMIT 1`, [id])).length > 0;
}

/** When each other process that has compared the database was seen, by its id; dead ones too, as a restored backup has them. */
export async function comparedSeenAt({ query }: Queries, id: string): Promise<ReadonlyMap<string, number>> {
  const rows = await query<{ id: string; seenAt: Date }>(
    'SELECT id, seen_at AS "seenAt" FROM processes WHERE compared AND working AND id <> $1',
    [id],
  );
  return new Map(rows.map((row) => [row.id, row.seenAt.getTime()]));
}

/**
 * Records that a process is alive and works, whether it knows the database to be the newest, and what it says. Returns how many work, including this one,
 * and how many of them come before it in the order in which they share. Null if the others have forgotten it.
 */
export async function renewWorking(
  { query }: Queries,
  id: string,
  compared: boolean,
  said: Said,
): Promise<{ readonly alive: number; readonly before: number } | null> {
  // A statement does not see its own changes, so this process is counted separately.
  const [row] = await query<{ renewed: bigint; others: bigint; before: bigint }>(
    `WITH renewed AS (
       UPDATE processes SET seen_at = clock_timestamp(), working = true, compared = $2, said = $3::jsonb WHERE id = $1 RETURNING id
     )
     SELECT (SELECT count(*) FROM renewed) AS renewed, count(*) AS others, count(*) FILTER (WHERE id < $1) AS before
       FROM processes WHERE id <> $1 AND working AND ${IS_ALIVE}`,
    [id, compared, JSON.stringify(said)],
  );
  const { renewed, others, before } = row!;
  return renewed === 0n ? null : { alive: 1 + Number(others), before: Number(before) };
}

/** Asks every process to read again what it keeps in memory. Call it after the COMMIT of what has changed. */
export async function askToTakeIn({ query }: Queries): Promise<void> {
  await query('UPDATE processes SET asked = asked + 1');
}

/** How often a process was asked. What it reads after this is at least as new as what those who asked had committed. */
export async function countAsked({ query }: Queries, id: string): Promise<bigint> {
  const [row] = await query<{ asked: bigint }>('SELECT asked FROM processes WHERE id = $1', [id]);
  return row?.asked ?? 0n;
}

/** Records up to which time of being asked a process has read again. */
export async function noteTakenIn({ query }: Queries, id: string, asked: bigint): Promise<void> {
  await query('UPDATE processes SET taken_in = $2 WHERE id = $1 AND taken_in < $2', [id, asked]);
}

/** The live processes that work and were asked more often than they have read again. */
export async function listNotTakenIn({ query }: Queries): Promise<RunningProcess[]> {
  return query<RunningProcess>(
    `SELECT ${COLUMNS} FROM processes WHERE ${IS_ALIVE} AND working AND taken_in < asked ORDER BY started_at, id`,
  );
}

/** Removes a process that ends in order, so that the others take over its share at once. */
export async function forgetProcess({ query }: Queries, id: string): Promise<void> {
  await query('DELETE FROM processes WHERE id = $1', [id]);
}
