import pg from 'pg';
import { announcements, listenToOthers, NOTIFY, type Topic } from './announcements.ts';

/** Runs one SQL statement; `text` must be a constant of the program (each is prepared once per connection). */
export type Query = <Row extends object = Record<string, never>>(
  text: string,
  values?: readonly unknown[],
) => Promise<Row[]>;

/** A transaction's connection. Nothing that waits for a network may happen while one is open. */
export type Tx = {
  readonly query: Query;
  /** Wakes the loop that works on `topic`, once this is committed. */
  announce(topic: Topic): void;
};

export type Database = {
  readonly query: Query;
  /**
   * Runs `work` in one READ COMMITTED transaction and commits it.
   *
   * Serialisation failures and deadlocks (40001, 40P01) run `work` anew, so it must have no effect outside the database.
   * Throws {@link CommitUnknown} when the reply to COMMIT was lost: the work may or may not be done.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs `work`, which may only read, on one consistent state of the database, whatever others commit meanwhile. */
  snapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** As in a transaction, but at once. */
  announce(topic: Topic): void;
  /** Calls `listener` at each announcement of `topic` in this process, and of others while `hearOthers` is on. */
  onAnnounced(topic: Topic, listener: () => void): void;
  /** Tells the processes that hear others. Not inside a transaction: notifying ones commit one after the other. */
  notifyOthers(topics: readonly Topic[]): Promise<void>;
  hearOthers(): { close(): Promise<void> };
  close(): Promise<void>;
};

/** The connection broke while COMMIT was under way; only a look at the data tells what happened. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
  constructor(cause: unknown) {
    super('The reply to COMMIT was lost', { cause });
  }
}

const RETRIED = new Set(['40001', '40P01']);
/** statement_timeout, lock_timeout, and what remains after the last retry. */
const WAITED_TOO_LONG = new Set(['57014', '55P03', ...RETRIED]);
const MAX_TRIES = 6;
const INT8_OID = 20;
// What reads whole tables may take longer than what somebody waits for.
const BEGIN_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = '10min'";

/** Opens a pool. `url`: `postgres://…`. int8 columns arrive as bigint, timestamps as Date, bytea as Buffer. */
export function openDatabase(
  url: string,
  options: { maxConnections?: number; onError?: (error: Error) => void } = {},
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.maxConnections ?? 16,
    connectionTimeoutMillis: 10_000,
    // A new connection costs more than keeping one; the loops of an idle service need a few now and then.
    idleTimeoutMillis: 120_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: 60_000,
    // A connection whose other end is gone without a word would otherwise wait for TCP, for a quarter of an hour.
    query_timeout: 70_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'quarters',
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8_OID ? BigInt : pg.types.getTypeParser(oid, format as 'text'),
    } as pg.CustomTypesConfig,
  });
  // Without a listener an idle connection that breaks (a restarted server) would end the process. Those that are being closed
  // may break as well, if the server stops next.
  pool.on('error', (error) => {
    if (!pool.ending) options.onError?.(error);
  });

  const query = queryOn(pool);
  const { on, announce } = announcements();
  return {
    query,
    transaction: (work) => inTransaction(pool, work, announce),
    snapshot: (work) => inTransaction(pool, work, announce, BEGIN_SNAPSHOT),
    announce,
    onAnnounced: on,
    async notifyOthers(topics) {
      await query(NOTIFY, [topics]);
    },
    hearOthers: () => listenToOthers(url, announce),
    close: () => pool.end(),
  };
}

const statementNames = new Map<string, string>();

function statementName(text: string): string {
  let name = statementNames.get(text);
  if (!name) {
    name = `s${statementNames.size}`;
    statementNames.set(text, name);
  }
  return name;
}

function queryOn(target: pg.Pool | pg.PoolClient): Query {
  return async <Row extends object>(text: string, values: readonly unknown[] = []) => {
    const result = await target.query({ name: statementName(text), text, values: values as unknown[] });
    return result.rows as Row[];
  };
}

async function inTransaction<T>(
  pool: pg.Pool,
  work: (tx: Tx) => Promise<T>,
  announce: (topic: Topic) => void,
  begin = 'BEGIN',
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect();
    const topics = new Set<Topic>();
    // A connection that breaks tells its statement, and once more by an event, which without a listener ends the process.
    client.on('error', ignoreEvent);
    let broken: Error | undefined;
    try {
      await client.query(begin);
      const result = await work({ query: queryOn(client), announce: (topic) => void topics.add(topic) });
      await commit(client);
      topics.forEach(announce);
      return result;
    } catch (error) {
      // It may be committed.
      if (error instanceof CommitUnknown) topics.forEach(announce);
      broken = await rollBack(client, error as Error);
      if (!RETRIED.has(sqlState(error) ?? '') || attempt === MAX_TRIES) throw error;
    } finally {
      client.off('error', ignoreEvent);
      client.release(broken);
    }
  }
}

function ignoreEvent(): void {}

async function commit(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('COMMIT');
  } catch (error) {
    // A coded refusal (a deferred constraint, a serialisation failure) is an answer; anything else is a lost one.
    throw sqlState(error) && !isUnavailable(error) ? error : new CommitUnknown(error);
  }
}

/** Returns the error that makes the connection unfit for the pool, if any. */
async function rollBack(client: pg.PoolClient, error: Error): Promise<Error | undefined> {
  if (error instanceof CommitUnknown || isUnavailable(error)) return error;
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (rollbackError) {
    return rollbackError as Error;
  }
}

/** The SQLSTATE of an error that PostgreSQL answered, else undefined. */
function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in (error as object) ? code : undefined;
}

/** True where a row would have been the second with the same value. `index`: its name. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  return sqlState(error) === '23505' && (error as { constraint?: string }).constraint === index;
}

/** True where a statement waited too long for what others hold: a timeout, or a conflict that came again and again. */
export function waitedTooLong(error: unknown): boolean {
  return WAITED_TOO_LONG.has(sqlState(error) ?? '');
}

/** True where the database could not be reached or went away: nothing is known to be wrong with the statement itself. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  // Class 08 connection exception; 57P01–57P05 shutdown and start; 53300 too many connections; 25006 a standby.
  if (state) return state.startsWith('08') || state.startsWith('57P') || state === '53300' || state === '25006';
  if (error instanceof CommitUnknown) return true;
  const { code, message } = error as { code?: string; message?: string };
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENET)/.test(code ?? '') ||
    /Connection terminated|Query read timeout|connection timeout|timeout exceeded when trying to connect|Client has encountered a connection error/i.test(
      message ?? '',
    )
  );
}
