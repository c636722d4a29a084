import { bytesToHex, type Hex } from '../base/hex.ts';
import { type SpanDetails, traced } from '../base/spans.ts';
import { announcements, listenToOthers, NOTIFY, SEND_NOTES, type Topic } from './announcements.ts';
import { isConfirmed, mayWrite, watchCommits } from './commits.ts';
import { CommitUnknown, isUnanswered, Unconfirmed, watchWrites } from './failures.ts';
import { onConnection, openPool, queryOn } from './pool.ts';
import type { Queries, Query } from './queries.ts';
import { watchHistory } from './server-history.ts';
import { type Lookups, sharedLookups } from './shared-lookups.ts';
import { committedWith, inTransaction, repeatIfLost, SNAPSHOT, type Tx } from './transactions.ts';

export {
  CommitsWait,
  CommitUnknown,
  gaveUpWaiting,
  isUnavailable,
  isUniqueViolation,
  lostToOthers,
  RowsMoved,
  sqlState,
} from './failures.ts';
export type { Queries, Query } from './queries.ts';
export type { Lookup, Lookups } from './shared-lookups.ts';
export type { Tx } from './transactions.ts';

export type Database = Queries & {
  /** See {@link Lookups}. */
  readonly lookUp: Lookups['lookUp'];
  /**
   * Runs `work` in one READ COMMITTED transaction and commits it.
   *
   * Serialisation failures and deadlocks (40001, 40P01) run `work` again, so it must have no effect outside the database.
   * Throws {@link CommitUnknown} if the reply to COMMIT was lost, if no standby confirmed it, or if another server has taken over: the
   * work may or may not be done. Throws {@link CommitsWait}, and nothing was done, while COMMITs wait for a standby.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs `work`, which may only read, on one consistent snapshot of the database. */
  snapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Rejects if the database does not answer, is read-only or a standby, if a write has failed for lack of resources and none has
   * succeeded since, or if COMMITs wait for a standby.
   */
  assertWritable(): Promise<void>;
  /** Announces at once, without a transaction. */
  announce(topic: Topic): void;
  /** Calls `listener` at each announcement of `topic` in this process, and of others while `hearOthers` is on. */
  onAnnounced(topic: Topic, listener: () => void): void;
  /**
   * Calls `listener` when new connections lead to a server that may lack the last commits of the one before: a standby that was promoted,
   * or a restored backup. It is called before such a connection is used. Must not throw.
   */
  onServerChange(listener: () => void): void;
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
/** A COMMIT without an answer for so long waits for a standby, or its server is gone. */
const COMMIT_TIMEOUT_MS = 10_000;
const SPAN: SpanDetails = { kind: 'client', inner: true, attributes: { 'db.system.name': 'postgresql' } };

type Options = {
  readonly maxConnections?: number;
  /** How long to wait for the answer to a COMMIT; after that its outcome is unknown. */
  readonly commitsWithinMs?: number;
  /** Called when an idle connection breaks. */
  readonly onError?: (error: Error) => void;
  /** Called when a write fails for lack of resources, or COMMIT for lack of a standby, once until a write succeeds again. */
  readonly onWriteFault?: (error: Error) => void;
  /** Called when a COMMIT has no answer in time although it waits for no standby. */
  readonly onSlowCommit?: () => void;
};

/** Opens a pool. `url`: `postgres://…`. int8 columns arrive as bigint, timestamps as Date, bytea as Buffer. */
export function openDatabase(url: string, options: Options = {}): Database {
  const onServerChange = new Set<() => void>();
  const connections = openPool(url, {
    ...options,
    history: watchHistory(() => {
      for (const listener of onServerChange) listener();
    }),
  });
  const onWriteFault = options.onWriteFault ?? (() => {});
  const { noticed, assertWritable } = watchWrites(
    (text) => onConnection(connections, (client) => client.query(text)),
    onWriteFault,
  );
  const noticing = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      noticed(error);
      throw error;
    });
  const queryIn =
    (timeoutMs?: number): Query =>
    (text, values) =>
      noticing(onConnection(connections, (client) => queryOn(client, timeoutMs)(text, values)));
  const commits = watchCommits(options.commitsWithinMs ?? COMMIT_TIMEOUT_MS, queryIn, {
    onFault: onWriteFault,
    onSlow: options.onSlowCommit ?? (() => {}),
  });
  /** Statements outside a transaction. One that may write ends with a COMMIT of its own, and runs again as a transaction does. */
  const alone =
    (timeoutMs?: number): Query =>
    async (text, values) => {
      if (!mayWrite(text)) return queryIn(timeoutMs)(text, values);
      await commits.assertAnswered();
      const write = queryIn(isConfirmed(text) ? commits.withinMs : timeoutMs);
      try {
        return await repeatIfLost(() => write(text, values));
      } catch (error) {
        if (isUnanswered(error)) commits.noteUnanswered();
        throw isConfirmed(text) && error instanceof CommitUnknown ? new Unconfirmed(error) : error;
      }
    };
  const query = alone();
  const { lookUp } = sharedLookups({ query: alone(LOOKUP_TIMEOUT_MS) });
  const { on, announce } = announcements();
  const deps = { connections, announce };
  const committed = committedWith(commits);
  return {
    query,
    lookUp,
    transaction: (work) =>
      traced('transaction', SPAN, async () => {
        await commits.assertAnswered();
        return noticing(inTransaction(deps, work, committed));
      }),
    snapshot: (work) => traced('snapshot', SPAN, () => noticing(inTransaction(deps, work, SNAPSHOT))),
    async assertWritable() {
      await assertWritable();
      await commits.check();
    },
    announce,
    onAnnounced: on,
    onServerChange: (listener) => void onServerChange.add(listener),
    async notifyOthers(topics) {
      await query(NOTIFY, [topics]);
    },
    async sendNotes(notes) {
      await query(SEND_NOTES, [notes]);
    },
    hearOthers: (onNote = () => {}) => listenToOthers(url, { announce, onNote }),
    close: () => connections.end(),
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
