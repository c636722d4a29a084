/** The reply to COMMIT was lost; only a look at the data tells what happened. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
  constructor(cause: unknown) {
    super('The reply to COMMIT was lost', { cause });
  }
}

type Answered = { readonly code: string; readonly severity: string; readonly file?: string };

/** An error that PostgreSQL answered; null for every other. */
function answered(error: unknown): Answered | null {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  const isAnswer = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && typeof severity === 'string';
  return isAnswer ? (error as Answered) : null;
}

/** The SQLSTATE of an error that PostgreSQL answered, else undefined. */
export function sqlState(error: unknown): string | undefined {
  return answered(error)?.code;
}

/** True where a row would have been the second with the same value. `index`: its name. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  return sqlState(error) === '23505' && (error as { constraint?: string }).constraint === index;
}

/** Class 08 connection exception; 57P01–57P05 shutdown and start. */
const CONNECTION_LOST = /^(08|57P)/;
/** What only ever ends a session, or refuses one, whatever its code is. */
const SESSION_ENDED = ['FATAL', 'PANIC'];
/**
 * Class 40 but constraints: lost to others again and again; 57014, 55P03: statement and lock timeouts. Nothing is wrong with the statement, which may
 * succeed at another time.
 */
const LOST_TO_OTHERS = ['40001', '40P01', '40003', '57014', '55P03'];

/**
 * True where the database could not do this now, and nothing is wrong with the statement: it could not be reached, went away, is
 * read-only, lacks space, memory or connections, or others held what was needed for too long. Also for {@link CommitUnknown}, which is more than that:
 * who answers a caller looks for it first.
 */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) return error instanceof CommitUnknown || isConnectionBroken(error);
  return isConnectionBroken(error) || lacksResources(error) || LOST_TO_OTHERS.includes(state);
}

/** True where the connection can not be used any more. */
export function isConnectionBroken(error: unknown): boolean {
  const answer = answered(error);
  // 25006: it leads to a server that has become a standby, or is kept from writing; a new one may lead elsewhere.
  if (answer) {
    const { code, severity } = answer;
    return CONNECTION_LOST.test(code) || SESSION_ENDED.includes(severity) || code === '25006';
  }
  if (error instanceof CommitUnknown) return true;
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENET)/.test(code ?? '') ||
    /Connection terminated|Query read timeout|connection timeout|timeout exceeded when trying to connect|Client has encountered a connection error/i.test(
      message ?? '',
    )
  );
}

/**
 * True where the database lacks what writing needs: class 53 (space, memory, connections), class 58 (its files can not be written), 25006
 * (read-only). Going over a quota is an internal error to PostgreSQL; that it comes from where files are written shows it.
 */
export function lacksResources(error: unknown): boolean {
  if (error instanceof CommitUnknown) return lacksResources(error.cause);
  const answer = answered(error);
  if (!answer) return false;
  const { code, file } = answer;
  return /^(53|58)/.test(code) || code === '25006' || (code === 'XX000' && file === 'md.c');
}

/** True where others were in the way, again and again or for too long: perhaps of one row of many. */
export function lostToOthers(error: unknown): boolean {
  return LOST_TO_OTHERS.includes(sqlState(error) ?? '');
}

/** True where somebody held what was needed for longer than anybody waits. */
export function gaveUpWaiting(error: unknown): boolean {
  const state = sqlState(error);
  return state === '55P03' || state === '57014';
}

/**
 * Whether COMMIT was refused by this error, and nothing is committed. Everything else leaves it open: no error of the server's, one that ended
 * the session, or 40003, which says so itself. A server that speaks another language than English is not understood, and so leaves it open too.
 */
export function isRefusedCommit(error: unknown): boolean {
  const answer = answered(error);
  return answer?.severity === 'ERROR' && !CONNECTION_LOST.test(answer.code) && answer.code !== '40003';
}
