import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { inTime } from '../base/in-time.ts';
import { mayWrite } from './commits.ts';
import type { Database, Query } from './database.ts';
import { isUnavailable, sqlState, UnusableServer } from './failures.ts';
import { type DatabasePool, ignoreEvent, onConnection, openPool, queryOn } from './pool.ts';
import { type HistoryPoint, type HistoryRow, pointOf, READ_HISTORY_POINT } from './server-history.ts';
import { type Lookup, sharedLookups } from './shared-lookups.ts';
import { inOneTransaction, SNAPSHOT } from './transactions.ts';

/**
 * Reads what people and programs are shown, from a replica if there is one that is up to date. Nothing is decided by it. It shows all that
 * the primary had committed when the call began, so nobody misses their own writes, through whichever process they made them.
 */
export type Reads = Pick<Database, 'query' | 'lookUp' | 'snapshot'>;

export type ReplicaState = {
  readonly isInUse: boolean;
  /** Why it is not in use. */
  readonly reason: string | null;
  /** For how long what the primary had committed was not there yet, when that was looked at last. Null: it did not say. */
  readonly lagMs: number | null;
  /** Reads since the start: those that it has answered, and those that were left to the primary. */
  readonly answered: number;
  readonly left: number;
};

/** A replica that needs longer for what the primary has committed is not used. A read waits as long for it. */
const MOST_LAG_MS = 250;
const ASK_AGAIN_MS = 3;
const LOOK_EVERY_MS = 1_000;
/** One that was not used has to be good in so many looks in a row. */
const STEADY_LOOKS = 3;
const ANSWERS_WITHIN_MS = 1_500;
const LOG_PAGE = 8_192n;

/**
 * Every role may ask this; only those of `pg_monitor` see which timeline arrives. Others see the one of the last restart point, which after a
 * promotion comes minutes later.
 */
const READ_REPLICA_POINT = `
  SELECT pg_is_in_recovery() AS "isStandby", (pg_control_system()).system_identifier::text AS system,
         to_hex(greatest((pg_control_checkpoint()).timeline_id, (SELECT received_tli FROM pg_stat_wal_receiver))) AS timeline,
         (coalesce(pg_last_wal_replay_lsn(), '0/0') - '0/0'::pg_lsn)::text AS position`;

/** What the primary has flushed: every COMMIT that was answered is in it. Calls of one moment share the statement. */
const PRIMARY_POINT: Lookup<HistoryPoint> = async ({ query }, [key]) => {
  const [row] = await query<HistoryRow>(READ_HISTORY_POINT);
  if (row!.isStandby) throw new UnusableServer('The database server is a standby');
  return new Map([[key!, pointOf(row!)]]);
};

class Behind extends UnusableServer {}

type Options = {
  readonly maxConnections?: number;
  readonly mostLagMs?: number;
  /** Called when the replica begins or ceases to be used, and once at the first look. */
  readonly onChange: (state: ReplicaState) => void;
};

export type Replica = {
  readonly reads: Reads;
  /** As it was last seen. */
  state(): ReplicaState;
  /** Resolves when it was looked at once. */
  readonly firstLook: Promise<void>;
  close(): Promise<void>;
};

/** Opens the replica at `url` of the primary `db`. Nothing waits for it: while it is away, the primary reads. */
export function openReplica(db: Database, url: string, options: Options): Replica {
  const { maxConnections, mostLagMs = MOST_LAG_MS, onChange } = options;
  const history = { meet: async () => {}, isCurrent: () => true };
  const open = (most: { maxConnections?: number }) =>
    openPool(url, { ...most, connectsWithinMs: ANSWERS_WITHIN_MS, history, onError: () => {} });
  const pool = open(maxConnections ? { maxConnections } : {});
  const takeOf = (from: DatabasePool) => (point: HistoryPoint) => takeAt(from, point, mostLagMs);
  const connections: DatabasePool = { ...pool, take: async () => takeOf(pool)(await readPrimaryPoint(db)) };
  const underWay = new Set<(error: Error) => void>();
  const counts = { answered: 0, left: 0 };
  // Reads may take all connections of their pool.
  const ownPool = open({ maxConnections: 1 });
  const watching = watchReplica(() => readPrimaryPoint(db), takeOf(ownPool), {
    onChange: (seen) => onChange({ ...seen, ...counts }),
    // What waits for a server that is gone would wait for TCP.
    onGone: () => {
      for (const reject of underWay) reject(new UnusableServer('The read replica is gone'));
    },
  });

  /** Rejects when the replica is gone, although the work may still wait for it. */
  async function unlessGone<T>(work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    underWay.add(reject);
    work.then(resolve, reject);
    return promise.finally(() => underWay.delete(reject));
  }

  async function read<T>(fromReplica: () => Promise<T>, fromPrimary: () => Promise<T>): Promise<T> {
    await watching.firstLook;
    if (watching.seen().isInUse) {
      try {
        const result = await unlessGone(fromReplica());
        counts.answered++;
        return result;
      } catch (error) {
        // Whatever PostgreSQL says here, such as that replaying went first (40001), the primary may not say. The work's own errors stay, and what
        // took too long here would take as long there.
        if (sqlState(error) === '57014' || (sqlState(error) === undefined && !isUnavailable(error))) throw error;
      }
    }
    counts.left++;
    return fromPrimary();
  }

  const query: Query = (text, values) =>
    mayWrite(text)
      ? db.query(text, values)
      : read(
          () => onConnection(connections, (client) => queryOn(client)(text, values)),
          () => db.query(text, values),
        );
  return {
    reads: {
      query,
      ...sharedLookups({ query }),
      snapshot: (work) =>
        read(
          () => inOneTransaction({ connections, announce: () => {} }, work, SNAPSHOT),
          () => db.snapshot(work),
        ),
    },
    state: () => ({ ...watching.seen(), ...counts }),
    firstLook: watching.firstLook,
    async close() {
      watching.stop();
      // One that is silent would keep it.
      await inTime(Promise.all([pool.end(), ownPool.end()]));
    },
  };
}

/**
 * The log is also flushed by whole pages, which may end within a record. No standby replays half of it, and the rest comes with the next
 * COMMIT. On a quiet server that takes long, so this is one.
 */
async function readPrimaryPoint(db: Database): Promise<HistoryPoint> {
  const point = (await db.lookUp(PRIMARY_POINT, ''))!;
  if (point.position % LOG_PAGE !== 0n) return point;
  await db.transaction(async ({ query }) => {
    await query('SET LOCAL synchronous_commit = local');
    await query(`SELECT pg_logical_emit_message(true, 'quarters', '')`);
  });
  return (await db.lookUp(PRIMARY_POINT, ''))!;
}

/** A connection to a standby that has replayed what the primary had committed. Throws `UnusableServer` if it is none, or does not get there. */
async function takeAt(pool: DatabasePool, primary: HistoryPoint, mostLagMs: number): Promise<pg.PoolClient> {
  const client = await pool.take();
  const since = performance.now();
  client.on('error', ignoreEvent);
  try {
    for (;;) {
      const [row] = await queryOn(client, ANSWERS_WITHIN_MS)<HistoryRow>(READ_REPLICA_POINT);
      const { system, timeline, position } = pointOf(row!);
      if (!row!.isStandby) throw new UnusableServer('it is no standby');
      if (system !== primary.system) throw new UnusableServer('it has another database cluster than DATABASE_URL');
      if (timeline !== primary.timeline) throw new UnusableServer('it does not follow the timeline of the primary');
      if (position >= primary.position) return client;
      if (performance.now() - since > mostLagMs) throw new Behind('it is behind');
      await delay(ASK_AGAIN_MS);
    }
  } catch (error) {
    client.release(error instanceof Behind ? undefined : (error as Error));
    throw error;
  } finally {
    client.off('error', ignoreEvent);
  }
}

type Seen = Omit<ReplicaState, 'answered' | 'left'>;

/** Looks at the replica every second, and decides whether it is used. */
function watchReplica(
  readPrimary: () => Promise<HistoryPoint>,
  take: (point: HistoryPoint) => Promise<pg.PoolClient>,
  { onChange, onGone }: { onChange(seen: Seen): void; onGone(): void },
) {
  let seen: Seen | null = null;
  let steady = 0;
  /** What the primary had committed at an earlier look, and the replica has not replayed yet. */
  let awaited: { readonly point: HistoryPoint; readonly since: number } | null = null;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  function note(lagMs: number | null, fault: string | null): void {
    if (isStopped) return;
    steady = fault === null ? steady + 1 : 0;
    const isInUse = fault === null && (seen?.isInUse !== false || steady >= STEADY_LOOKS);
    const isChange = isInUse !== seen?.isInUse;
    seen = { isInUse, lagMs, reason: isInUse ? null : (fault ?? 'it has just come back') };
    if (isChange) onChange(seen);
  }

  async function look(): Promise<void> {
    const since = performance.now();
    try {
      awaited ??= { point: await readPrimary(), since };
    } catch (error) {
      // Without the primary there is nothing to compare with, and reads fail as without a replica. One that does not say where it is never will.
      if (!isUnavailable(error)) note(null, (error as Error).message);
      return;
    }
    const fault = await inReplica(awaited.point);
    const lagMs = performance.now() - awaited.since;
    const behind = `it is ${(lagMs / 1_000).toFixed(1)} seconds behind`;
    if (fault instanceof Behind) return note(lagMs, behind);
    // A process that is busy itself sees more than there is, so one look alone that took long says nothing.
    const wasBehind = awaited.since !== since;
    awaited = null;
    if (!fault) return note(lagMs, wasBehind ? behind : null);
    note(null, fault.message);
    if (!(fault instanceof UnusableServer)) onGone();
  }

  /** What is in the way of reading there what the primary had at a point; null if nothing is. */
  function inReplica(point: HistoryPoint): Promise<Error | null> {
    const late = delay(ANSWERS_WITHIN_MS * 2, new Error('it does not answer'), { ref: false });
    const asked = take(point).then(
      (client) => client.release(),
      (error: Error) => error,
    );
    return Promise.race([asked.then((error) => error ?? null), late]);
  }

  async function lookAgain(): Promise<void> {
    await look();
    if (!isStopped) timer = setTimeout(lookAgain, LOOK_EVERY_MS).unref();
  }

  const firstLook = lookAgain();
  return {
    firstLook,
    seen: (): Seen => seen ?? { isInUse: false, lagMs: null, reason: 'it was not compared with the primary yet' },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
