import pg from 'pg';
import { Problem } from '../base/problems.ts';
import { isOnAccount, resumed } from '../base/thread-time.ts';
import { CommitUnknown } from './failures.ts';
import type { Query } from './queries.ts';
import type { History } from './server-history.ts';
import { SET_STYLE } from './session-style.ts';

const INT8_OID = 20;
const MOST_CONNECTIONS = 16;
const CONNECTS_WITHIN_MS = 10_000;

/** Start-up parameters that a connection pooler may not know. `docs/operate/start.md` says what it needs then. */
export const SESSION_LIMITS = {
  // Every statement of a call finds its rows by an index. Without this the planner, which makes a plan once for each connection, would
  // read whole tables for ever that were small at that moment. A COMMIT says with a warning that its wait for a standby was cancelled, which
  // a setting of the role must not hide.
  options: '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c client_min_messages=warning',
  statement_timeout: 60_000,
  // Waiting for a lock may not take as long as a statement.
  lock_timeout: 10_000,
  // No transaction waits for the network. A client that is silent for this long is gone and blocks rows that others need.
  idle_in_transaction_session_timeout: 20_000,
} as const;

/**
 * The connections of a pool, all to one server. Requests on an account (`base/thread-time.ts`) hold half of them at most, so that payments
 * find others while strangers wait for each other's rows.
 */
export type DatabasePool = {
  /** A connection for one statement or transaction. Give it back with `release`, and with an error if it is unfit. */
  take(): Promise<pg.PoolClient>;
  /**
   * Throws `CommitUnknown` if what was committed on the connection a moment ago may be lost: its wait for a standby was cancelled, or
   * another server has taken over in the meantime.
   */
  assertKept(client: pg.PoolClient): void;
  end(): Promise<void>;
};

type Options = {
  readonly maxConnections?: number;
  readonly onError?: (error: Error) => void;
  /** How long to wait for a connection. */
  readonly connectsWithinMs?: number;
  /** Which servers are used. */
  readonly history: History;
};

export function openPool(url: string, options: Options): DatabasePool {
  const { history, maxConnections = MOST_CONNECTIONS, connectsWithinMs = CONNECTS_WITHIN_MS } = options;
  const strangers = openPlaces(Math.ceil(maxConnections / 2), connectsWithinMs);
  const strangersClients = new WeakSet<pg.ClientBase>();
  const unreplicated = new WeakSet<pg.ClientBase>();
  const pool = new pg.Pool({
    connectionString: url,
    ...SESSION_LIMITS,
    // Statements of a transaction that do not wait for each other's results share a round trip.
    pipeline: true,
    max: maxConnections,
    connectionTimeoutMillis: connectsWithinMs,
    // Keeping a connection is cheaper than opening one, and the loops of an idle service need a few from time to time.
    idleTimeoutMillis: 120_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // Otherwise a connection whose other end vanished would wait for TCP, for a quarter of an hour.
    query_timeout: 70_000,
    application_name: 'quarters',
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8_OID ? BigInt : pg.types.getTypeParser(oid, format as 'text'),
    } as pg.CustomTypesConfig,
    async onConnect(client) {
      client.on('notice', ({ routine }) => {
        // By its place in PostgreSQL's source: its SQLSTATE is that of any warning, and its text may be translated.
        if (routine === 'SyncRepWaitForLSN') unreplicated.add(client);
      });
      await Promise.all([history.meet(client), client.query(SET_STYLE)]);
    },
  });
  // Without a listener, an idle connection that breaks (a restarted server) would end the process. A connection that is
  // being closed may break too, if the server stops.
  pool.on('error', (error) => {
    if (!pool.ending) options.onError?.(error);
  });
  pool.on('release', (_error, client) => {
    if (strangersClients.delete(client)) strangers.leave();
  });
  const takeCurrent = async () => {
    for (;;) {
      const client = await pool.connect();
      if (history.isCurrent(client)) return client;
      client.release(true);
    }
  };
  return {
    async take() {
      if (!isOnAccount()) return takeCurrent();
      await strangers.enter();
      try {
        const client = await takeCurrent();
        strangersClients.add(client);
        return client;
      } catch (error) {
        strangers.leave();
        throw error;
      }
    },
    assertKept(client) {
      if (unreplicated.delete(client)) throw new CommitUnknown(new Error('The wait for a standby was cancelled'));
      if (!history.isCurrent(client)) throw new CommitUnknown(new Error('Another database server has taken over'));
    },
    end: () => pool.end(),
  };
}

/** Lets so many in, and the others in their order. One that has waited for `withinMs` is refused. */
function openPlaces(count: number, withinMs: number) {
  const waiting = new Set<() => void>();
  let free = count;
  return {
    async enter(): Promise<void> {
      if (free > 0) {
        free--;
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const go = () => {
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(() => {
          waiting.delete(go);
          reject(new Problem('overloaded', 'Too many requests wait for the database. Try again in a second.'));
        }, withinMs);
        waiting.add(go);
      });
    },
    leave(): void {
      const [next] = waiting;
      if (next) {
        waiting.delete(next);
        next();
      } else {
        free++;
      }
    },
  };
}

/** Runs `work` on one connection, outside a transaction. A connection on which it failed is not used again. */
export async function onConnection<T>(
  { take, assertKept }: DatabasePool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await take();
  let failure: Error | undefined;
  client.on('error', ignoreEvent);
  try {
    const result = await work(client);
    assertKept(client);
    return result;
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    client.off('error', ignoreEvent);
    client.release(failure);
  }
}

/** For a connection's `error` events: a broken one also rejects its statement, but without a listener its event ends the process. */
export function ignoreEvent(): void {}

const statementNames = new Map<string, string>();

function statementName(text: string): string {
  let name = statementNames.get(text);
  if (!name) {
    name = `s${statementNames.size}`;
    statementNames.set(text, name);
  }
  return name;
}

/** Runs prepared statements on a connection. */
export function queryOn(client: pg.PoolClient, timeoutMs?: number): Query {
  const limit = timeoutMs === undefined ? {} : { query_timeout: timeoutMs };
  return async <Row extends object>(text: string, values: readonly unknown[] = []) => {
    const result = await client.query({ name: statementName(text), text, values: values as unknown[], ...limit });
    resumed();
    return result.rows as Row[];
  };
}
