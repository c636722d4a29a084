import { type Logger, type LoggerOptions, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Settings } from './config/settings.ts';

/** Options of every log line, whatever its destination. */
export function logOptions({ logLevel }: Pick<Settings, 'logLevel'>): LoggerOptions {
  return { level: logLevel, base: null, serializers: { err: loggedError } };
}

/** Writes JSON lines, or readable lines on a terminal. It uses stderr, because commands print to stdout. */
export function openLog(settings: Pick<Settings, 'logLevel'>): Logger {
  const options = logOptions(settings);
  return process.stderr.isTTY
    ? pino(
        options,
        pretty({ destination: 2, sync: true, ignore: 'pid,hostname,worker', singleLine: true, messageFormat }),
      )
    : pino(options, pino.destination({ fd: 2, sync: true }));
}

/** Formats a line for a terminal, so that the developer of a game sees its calls. */
function messageFormat(line: Record<string, unknown>, messageKey: string): string {
  const { method, route = '(no such address)', status = 'aborted', ms, security } = line;
  if (typeof security === 'string') return security;
  return method === undefined ? String(line[messageKey]) : `${method} ${route} ${status} (${ms} ms)`;
}

/** An error as the log shows it. */
type LoggedError = {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: string;
  readonly [fact: string]: unknown;
};

/** Fields of a database error that help to find it. `detail` and `where` are left out: they quote rows and values. */
const DATABASE_FACTS = ['severity', 'table', 'column', 'constraint', 'routine'];
const DEPTH = 3;

/**
 * Serialises an error without personal data. Libraries attach requests, rows and responses to their errors, so only the
 * fields named here are kept. Messages of PostgreSQL's data exceptions (SQLSTATE class 22) and of parsers quote the value,
 * which is cut out.
 */
function loggedError(thrown: unknown, depth = 0): LoggedError {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: 'a value that is not an Error was thrown' };
  const { code, cause } = thrown as { code?: unknown; cause?: unknown };
  const quotesInput = thrown instanceof SyntaxError || (typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code));
  const message = quotesInput ? thrown.message.replace(/".*"/s, '"…"') : thrown.message;
  const fields = thrown as unknown as Record<string, unknown>;
  return {
    type: thrown.name,
    message,
    ...(thrown.stack && { stack: thrown.stack.replace(thrown.message, () => message) }),
    ...(typeof code === 'string' && { code }),
    ...Object.fromEntries(
      DATABASE_FACTS.filter((name) => typeof fields[name] === 'string').map((name) => [name, fields[name]]),
    ),
    ...(cause instanceof Error && depth < DEPTH && { cause: loggedError(cause, depth + 1) }),
  };
}
