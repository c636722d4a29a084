/** The reply to COMMIT was lost. Only the data shows whether the transaction was committed. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
  constructor(cause: unknown) {
    super('The reply to COMMIT was lost', { cause });
  }
}

/** The server that a new connection leads to must not be used. The next connection may lead to another one. */
export class UnusableServer extends Error {
  override readonly name = 'UnusableServer';
}

/** Nothing was done: COMMITs are not answered, mostly because a standby does not answer, so this one would wait too. */
export class CommitsWait extends Error {
  override readonly name = 'CommitsWait';
  constructor(message = 'COMMITs are not answered') {
    super(message);
  }
}

/** No standby has confirmed what a statement has read, so nobody may act on it. Nothing was done. */
export class Unconfirmed extends Error {
  override readonly name = 'Unconfirmed';
  constructor(cause: unknown) {
    super('No standby has confirmed what was read', { cause });
  }
}

/** Rows went to another table while a statement waited for them. As after a lost conflict, the transaction runs again and finds them there. */
export class RowsMoved extends Error {
  override readonly name = 'RowsMoved';
  readonly code = '40001';
  readonly severity = 'ERROR';
  constructor() {
    super('Rows were moved while they were waited for');
  }
}

type Answered = { readonly code: string; readonly severity: string; readonly file?: string };

/** Returns an error that PostgreSQL sent; null for any other. */
function answered(error: unknown): Answered | null {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  const isAnswer = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && typeof severity === 'string';
  return isAnswer ? (error as Answered) : null;
}

/** The SQLSTATE of an error that PostgreSQL sent, else undefined. */
export function sqlState(error: unknown): string | undefined {
  return answered(error)?.code;
}

/** Whether a row violated the unique index of that name. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  return sqlState(error) === '23505' && (error as { constraint?: string }).constraint === index;
}

/** Class 08: connection exception. 57P01–57P05: shutdown and start. */
const CONNECTION_LOST = /^(08|57P)/;
/** Severities that end or refuse a session, whatever the code. */
const SESSION_ENDED = ['FATAL', 'PANIC'];
/**
 * Class 40 without constraints: repeated conflicts with other transactions. 57014, 55P03: statement and lock timeouts. The
 * statement is correct and may succeed later.
 */
const LOST_TO_OTHERS = ['40001', '40P01', '40003', '57014', '55P03'];

/**
 * Whether the database could not do this now although the statement is correct: it was unreachable, closed the connection,
 * is read-only, lacks space, memory or connections, or others held the rows for too long.
 *
 * Also true for {@link CommitUnknown}, which says more, so check for that first before answering a caller.
 */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) {
    return error instanceof CommitsWait || error instanceof Unconfirmed || isConnectionBroken(error);
  }
  return isConnectionBroken(error) || lacksResources(error) || LOST_TO_OTHERS.includes(state);
}

/** Whether the connection can no longer be used. */
export function isConnectionBroken(error: unknown): boolean {
  const answer = answered(error);
  // 25006: the server has become a standby or is read-only. A new connection may lead to another server.
  if (answer) {
    const { code, severity } = answer;
    return CONNECTION_LOST.test(code) || SESSION_ENDED.includes(severity) || code === '25006';
  }
  if (error instanceof CommitUnknown || error instanceof UnusableServer) return true;
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENET)/.test(code ?? '') ||
    /Connection terminated|Query read timeout|connection timeout|timeout exceeded when trying to connect|Client has encountered a connection error/i.test(
      message ?? '',
    )
  );
}

/**
 * Whether the database lacks what a write needs: class 53 (space, memory, connections), class 58 (files that cannot be
 * written), 25006 (read-only). PostgreSQL reports an exceeded quota as an internal error; its source file, which writes
 * files, identifies it.
 */
export function lacksResources(error: unknown): boolean {
  if (error instanceof CommitUnknown) return lacksResources(error.cause);
  const answer = answered(error);
  if (!answer) return false;
  const { code, file } = answer;
  return /^(53|58)/.test(code) || code === '25006' || (code === 'XX000' && file === 'md.c');
}

/** Whether other transactions conflicted repeatedly or for too long, perhaps over one row of many. */
export function lostToOthers(error: unknown): boolean {
  return LOST_TO_OTHERS.includes(sqlState(error) ?? '');
}

/** Whether a statement or lock timeout ended the wait. */
export function gaveUpWaiting(error: unknown): boolean {
  const state = sqlState(error);
  return state === '55P03' || state === '57014';
}

/**
 * Whether this error refused the COMMIT, so that nothing is committed. The outcome stays unknown if the error is not the
 * server's, if it ended the session, or if it is 40003, which says so itself. A server whose messages are not in English is
 * not understood, so its outcome stays unknown too.
 */
export function isRefusedCommit(error: unknown): boolean {
  const answer = answered(error);
  return answer?.severity === 'ERROR' && !CONNECTION_LOST.test(answer.code) && answer.code !== '40003';
}

/** Whether the driver has waited for an answer for as long as it may. */
export function isUnanswered(error: unknown): boolean {
  return (error as Error | undefined)?.message === 'Query read timeout';
}

/** Raises an error instead of returning a row, so that the pool drops this connection. Another may reach a writable server. */
const REFUSE_READ_ONLY = `
  DO $$ BEGIN
    IF current_setting('transaction_read_only')::boolean THEN RAISE read_only_sql_transaction; END IF;
  END $$`;
/** Allocates space and releases it. A full disk still allows updates in place, so a smaller write proves nothing. */
const TAKE_SPACE = `
  BEGIN;
  CREATE TABLE quarters_write_probe AS
    SELECT string_agg(uuid_send(gen_random_uuid()), '') AS bytes FROM generate_series(1, 4096);
  ROLLBACK`;
const TRY_AGAIN_AFTER_MS = 1_000;

/**
 * Watches whether the database accepts writes. After a write has failed for lack of resources, each check tries a write, at
 * most once a second, until one succeeds.
 *
 * `query` runs statements on a connection of their own. `onFault` receives the error that began the failure.
 */
export function watchWrites(
  query: (text: string) => Promise<unknown>,
  onFault: (error: Error) => void,
): { noticed(error: unknown): void; assertWritable(): Promise<void> } {
  let faulty = false;
  let trying: Promise<void> | null = null;
  const forget = () => {
    trying = null;
  };

  function noticed(error: unknown): void {
    if (faulty || !lacksResources(error)) return;
    faulty = true;
    onFault(error as Error);
  }

  async function tryToWrite(): Promise<void> {
    try {
      await query(TAKE_SPACE);
    } catch (error) {
      // Any other failure of this statement, such as a missing privilege, proves nothing about other writes.
      if (isUnavailable(error)) throw error;
    }
    faulty = false;
  }

  return {
    noticed,
    async assertWritable() {
      await query(REFUSE_READ_ONLY).catch((error: unknown) => {
        noticed(error);
        throw error;
      });
      if (!faulty) return;
      trying ??= tryToWrite().then(forget, (error: unknown) => {
        setTimeout(forget, TRY_AGAIN_AFTER_MS).unref();
        throw error;
      });
      await trying;
    },
  };
}

/** The transaction is aborted; or a statement was not prepared, because it is. */
const AFTER_ANOTHER = new Set(['25P02', '26000']);

/**
 * The statements of one transaction, several of which may wait for their turn at once. If one fails, those behind it fail because the
 * transaction is aborted, and any of them may be the first to reject the work: `causeOf` finds the one that failed by itself.
 *
 * After `finish` no statement runs. The work may have ended with one of its parts, while another part continues. `before`: what a statement
 * waits for before it is sent.
 */
export function statementsOf<Run extends (text: string, values?: readonly unknown[]) => Promise<unknown>>(
  run: Run,
  before: (text: string) => Promise<unknown> | null,
) {
  let finished = false;
  let first: unknown;
  const query = async (text: string, values?: readonly unknown[]) => {
    const waited = before(text);
    if (waited) await waited;
    if (finished) throw new Error('The transaction has ended');
    return run(text, values).catch((error: unknown) => {
      first ??= error;
      throw error;
    });
  };
  const finish = () => {
    finished = true;
  };
  return {
    query: query as Run,
    finish,
    causeOf: (error: unknown) => (AFTER_ANOTHER.has(sqlState(error) ?? '') ? first : error),
  };
}
