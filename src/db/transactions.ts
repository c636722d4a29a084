import type pg from 'pg';
import type { Topic } from './announcements.ts';
import { type CommitWatch, onlyReads } from './commits.ts';
import {
  CommitUnknown,
  isConnectionBroken,
  isRefusedCommit,
  isUnanswered,
  sqlState,
  statementsOf,
} from './failures.ts';
import { type DatabasePool, ignoreEvent, queryOn } from './pool.ts';
import type { Queries } from './queries.ts';

/** A transaction's connection. Never wait for the network while one is open. */
export type Tx = Queries & {
  /** Wakes the loop that works on `topic`, once this is committed. */
  announce(topic: Topic): void;
};

const RETRIED = new Set(['40001', '40P01']);
const MAX_TRIES = 6;
// Reading whole tables may take longer than a call may. It is background work: it neither takes the other cores nor compiles,
// and a statement for ranges is planned for its range.
const BEGIN_SNAPSHOT = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = '10min';
  SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on;
  SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off; SET LOCAL plan_cache_mode = force_custom_plan`;

type Deps = {
  readonly connections: DatabasePool;
  readonly announce: (topic: Topic) => void;
};

type Ending = {
  readonly begin: string;
  readonly end: (client: pg.PoolClient, connections: DatabasePool) => Promise<void>;
};

export function committedWith(commits: CommitWatch): Ending {
  return { begin: 'BEGIN', end: (client, connections) => commit(client, connections, commits) };
}

/** Nothing was written, so a lost reply leaves nothing unknown. */
export const SNAPSHOT: Ending = { begin: BEGIN_SNAPSHOT, end: async (client) => void (await client.query('COMMIT')) };

/** Runs `work` in a transaction, again after a deadlock or serialisation failure. */
export function inTransaction<T>(deps: Deps, work: (tx: Tx) => Promise<T>, ending: Ending): Promise<T> {
  return repeatIfLost(() => inOneTransaction(deps, work, ending));
}

/** Runs `work` again after a deadlock or serialisation failure, which have rolled back all that it did in the database. */
export async function repeatIfLost<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!RETRIED.has(sqlState(error) ?? '') || attempt === MAX_TRIES) throw error;
    }
  }
}

/** As {@link inTransaction}, but once. */
export async function inOneTransaction<T>(
  { connections, announce }: Deps,
  work: (tx: Tx) => Promise<T>,
  { begin, end }: Ending,
): Promise<T> {
  const client = await connections.take();
  const topics = new Set<Topic>();
  client.on('error', ignoreEvent);
  let broken: Error | undefined;
  const began = client.query(begin);
  const { query, finish, causeOf } = statementsOf(queryOn(client), untilBegun(began));
  try {
    const result = await work({ query, announce: (topic) => void topics.add(topic) }).finally(finish);
    await began;
    await end(client, connections);
    topics.forEach(announce);
    return result;
  } catch (rejection) {
    const error = causeOf(rejection);
    // The work may be committed.
    if (error instanceof CommitUnknown) topics.forEach(announce);
    broken = await rollBack(client, error as Error);
    throw error;
  } finally {
    client.off('error', ignoreEvent);
    client.release(broken);
  }
}

/**
 * What a statement waits for. One that only reads is sent with BEGIN, which saves a round trip. Any other waits for BEGIN's reply, and so
 * do all behind it, which may need what it changes: should BEGIN fail, each would commit by itself.
 */
function untilBegun(began: Promise<unknown>): (text: string) => Promise<unknown> | null {
  let isOpen = false;
  let waits = false;
  // Who waits for it, or the end of the work, gets its failure.
  began.then(
    () => {
      isOpen = true;
    },
    () => {},
  );
  return (text) => {
    waits ||= !onlyReads(text);
    return waits && !isOpen ? began : null;
  };
}

async function commit(client: pg.PoolClient, connections: DatabasePool, commits: CommitWatch): Promise<void> {
  const committing = client.query({ text: 'COMMIT', query_timeout: commits.withinMs } as pg.QueryConfig);
  const { command } = await committing.catch((error: unknown) => {
    if (isRefusedCommit(error)) throw error;
    if (isUnanswered(error)) commits.noteUnanswered();
    throw new CommitUnknown(error);
  });
  // After a failed statement, COMMIT rolls back and reports no error.
  if (command !== 'COMMIT')
    throw new Error('A transaction continued after one of its statements had failed, so it was rolled back');
  connections.assertKept(client);
}

/** Returns the error that makes the connection unfit for the pool, if any. */
async function rollBack(client: pg.PoolClient, error: Error): Promise<Error | undefined> {
  if (isConnectionBroken(error)) return error;
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (rollbackError) {
    return rollbackError as Error;
  }
}
