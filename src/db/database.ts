import pg from 'pg';
import { bytesToHex, type Hex } from '../base/hex.ts';
import { type SpanDetails, traced } from '../base/spans.ts';
import { announcements, listenToOthers, NOTIFY, SEND_NOTES, type Topic } from './announcements.ts';
import { CommitUnknown, isConnectionBroken, isRefusedCommit, sqlState, statementsOf, watchWrites } from './failures.ts';
import type { Queries, Query } from './queries.ts';
import { type Lookups, sharedLookups } from './shared-lookups.ts';

export { CommitUnknown, gaveUpWaiting, isUnavailable, isUniqueViolation, lostToOthers, sqlState } from './failures.ts';
export type { Queries, Query } from './queries.ts';
export type { Lookup, Lookups } from './shared-lookups.ts';

/** A transaction's connection. Never wait for the network while one is open. */
export type Tx = Queries & {
  /** Wakes the loop that works on `topic`, once this is committed. */
  announce(topic: Topic): void;
};

export type Database = Queries & {
  /** See {@link Lookups}. */
  readonly lookUp: Lookups['lookUp'];
  /**
   * Runs `work` in one READ COMMITTED transaction and commits it.
   *
   * Serialisation failures and deadlocks (40001, 40P01) run `work` again, so it must have no effect outside the database.
   * Throws {@link CommitUnknown} if the reply to COMMIT was lost: the work may or may not be done.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs `work`, which may only read, on one consistent snapshot of the database. */
  snapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Rejects if the database does not answer, is read-only or a standby, or if a write has failed for lack of resources and
   * none has succeeded since.
   */
  assertWritable(): Promise<void>;
  /** Announces at once, without a transaction. */
  announce(topic: Topic): void;
  /** Calls `listener` at each announcement of `topic` in this process, and of others while `hearOthers` is on. */
  onAnnounced(topic: Topic, listener: () => void): void;
  /** Notifies the other processes. Never inside a transaction: transactions that notify commit one after the other. */
  notifyOthers(topics: readonly Topic[]): Promise<void>;
  /** Sends texts of up to 7 kB each to all processes that are listening now. */
  sendNotes(notes: readonly string[]): Promise<void>;
  /** Starts listening to other processes. `onNote` receives their texts. */
  hearOthers(onNote?: (note: string) => void): { close(): Promise<void> };
  close(): Promise<void>;
};

/** Many calls wait for one look-up. Behind a server that has vanished, the next one tries another connection after this time. */
const LOOKUP_TIMEOUT_MS = 10_000;
const RETRIED = new Set(['40001', '40P01']);
const MAX_TRIES = 6;
const INT8_OID = 20;
const SPAN: SpanDetails = { kind: 'client', inner: true, attributes: { 'db.system.name': 'postgresql' } };
// Reading whole tables may take longer than a call may. It is background work: it neither takes the other cores nor compiles,
// and a statement for ranges is planned for its range.
const BEGIN_SNAPSHOT = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = '10min';
  SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on;
  SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off; SET LOCAL plan_cache_mode = force_custom_plan`;

type Options = {
  readonly maxConnections?: number;
  /** Called when an idle connection breaks. */
  readonly onError?: (error: Error) => void;
  /** Called when a write fails for lack of resources, once until a write succeeds again. */
  readonly onWriteFault?: (error: Error) => void;
};

/** Opens a pool. `url`: `postgres://…`. int8 columns arrive as bigint, timestamps as Date, bytea as Buffer. */
export function openDatabase(url: string, options: Options = {}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    // Every statement of a call finds its rows by an index. Without this the planner, which makes a plan once for each connection, would
    // read whole tables for ever that were small at that moment.
    options: '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off',
    // Statements of a transaction that do not wait for each other's results share a round trip.
    pipeline: true,
    max: options.maxConnections ?? 16,
    connectionTimeoutMillis: 10_000,
    // Keeping a connection is cheaper than opening one, and the loops of an idle service need a few from time to time.
    idleTimeoutMillis: 120_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: 60_000,
    // Waiting for a lock may not take as long as a statement.
    lock_timeout: 10_000,
    // Otherwise a connection whose other end vanished would wait for TCP, for a quarter of an hour.
    query_timeout: 70_000,
    // No transaction waits for the network. A client that is silent for this long is gone and blocks rows that others need.
    idle_in_transaction_session_timeout: 20_000,
    application_name: 'quarters',
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8_OID ? BigInt : pg.types.getTypeParser(oid, format as 'text'),
    } as pg.CustomTypesConfig,
  });
  // Without a listener, an idle connection that breaks (a restarted server) would end the process. A connection that is
  // being closed may break too, if the server stops.
  pool.on('error', (error) => {
    if (!pool.ending) options.onError?.(error);
  });

  const { noticed, assertWritable } = watchWrites((text) => pool.query(text), options.onWriteFault ?? (() => {}));
  const noticing = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      noticed(error);
      throw error;
    });
  const queryPool = queryOn(pool);
  const query: Query = (text, values) => noticing(queryPool(text, values));
  const lookUpInPool = queryOn(pool, LOOKUP_TIMEOUT_MS);
  const { lookUp } = sharedLookups({ query: (text, values) => noticing(lookUpInPool(text, values)) });
  const { on, announce } = announcements();
  return {
    query,
    lookUp,
    transaction: (work) => traced('transaction', SPAN, () => noticing(inTransaction(pool, work, announce))),
    snapshot: (work) =>
      traced('snapshot', SPAN, () => noticing(inTransaction(pool, work, announce, BEGIN_SNAPSHOT, endSnapshot))),
    assertWritable,
    announce,
    onAnnounced: on,
    async notifyOthers(topics) {
      await query(NOTIFY, [topics]);
    },
    async sendNotes(notes) {
      await query(SEND_NOTES, [notes]);
    },
    hearOthers: (onNote = () => {}) => listenToOthers(url, { announce, onNote }),
    close: () => pool.end(),
  };
}

/** Rows as one parameter for `jsonb_to_recordset`, to insert them. A bigint becomes text: JSON has no number for it. */
export function jsonRows(rows: readonly object[]): string {
  // A replacer of JSON.stringify takes several times as long.
  return JSON.stringify(rows.map(withoutBigints));
}

function withoutBigints(row: object): object {
  const plain: Record<string, unknown> = { ...row };
  for (const field in plain) if (typeof plain[field] === 'bigint') plain[field] = String(plain[field]);
  return plain;
}

/**
 * Rows as one array for each field, for `unnest`, where a statement joins them with a table. The planner knows the length of an array, but
 * expects 100 rows of any JSON, and so may read the whole table.
 */
export function columnsOf<Row, Field extends keyof Row>(rows: readonly Row[], fields: readonly Field[]): unknown[][] {
  return fields.map((field) => rows.map((row) => row[field]));
}

/** Bytes in a row of {@link jsonRows}. */
export function byteaText(bytes: Uint8Array): string {
  return `\\x${bytesToHex(bytes).slice(2)}`;
}

/** A hash in a row of {@link jsonRows}, for a column of bytes. */
export function hexText(hash: Hex): string {
  return `\\x${hash.slice(2)}`;
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

function queryOn(target: pg.Pool | pg.PoolClient, timeoutMs?: number): Query {
  const limit = timeoutMs === undefined ? {} : { query_timeout: timeoutMs };
  return async <Row extends object>(text: string, values: readonly unknown[] = []) => {
    const result = await target.query({ name: statementName(text), text, values: values as unknown[], ...limit });
    return result.rows as Row[];
  };
}

async function inTransaction<T>(
  pool: pg.Pool,
  work: (tx: Tx) => Promise<T>,
  announce: (topic: Topic) => void,
  begin = 'BEGIN',
  end = commit,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect();
    const topics = new Set<Topic>();
    // A broken connection rejects its statement and also emits an event, which without a listener ends the process.
    client.on('error', ignoreEvent);
    const { query, finish, causeOf } = statementsOf(queryOn(client));
    let broken: Error | undefined;
    try {
      await client.query(begin);
      const result = await work({ query, announce: (topic) => void topics.add(topic) }).finally(finish);
      await end(client);
      topics.forEach(announce);
      return result;
    } catch (rejection) {
      const error = causeOf(rejection);
      // The work may be committed.
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
  const { command } = await client.query('COMMIT').catch((error: unknown) => {
    throw isRefusedCommit(error) ? error : new CommitUnknown(error);
  });
  // After a failed statement, COMMIT rolls back and reports no error.
  if (command !== 'COMMIT')
    throw new Error('A transaction continued after one of its statements had failed, so it was rolled back');
}

/** Ends a snapshot. Nothing was written, so a lost reply leaves nothing unknown. */
async function endSnapshot(client: pg.PoolClient): Promise<void> {
  await client.query('COMMIT');
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
