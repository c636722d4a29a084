import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import pretty, { type MessageFormatFunc, type PrettyOptions } from 'pino-pretty';
import { printable } from './base/printable.ts';
import type { Settings } from './config/settings.ts';

/** Options of every log line, whatever its destination. */
export function logOptions({ logLevel }: Pick<Settings, 'logLevel'>): LoggerOptions {
  return { level: logLevel, base: null, serializers: { err: loggedError } };
}

/** Writes JSON lines, or readable lines on a terminal. It uses stderr, because commands print to stdout. */
export function openLog(settings: Pick<Settings, 'logLevel'>): Logger {
  const to = process.stderr.isTTY ? forTerminal({ destination: 2 }) : pino.destination({ fd: 2, sync: true });
  return pino(logOptions(settings), to);
}

/** Takes the lines of a log, and writes each as text for people: `message  name=value name=value`. */
export function forTerminal(options: Pick<PrettyOptions, 'destination' | 'colorize'>): DestinationStream {
  return pretty({ ...options, sync: true, hideObject: true, messageFormat });
}

/** What stands elsewhere in a line, and the number of the worker, which says little. */
const NOT_LISTED = new Set(['level', 'time', 'msg', 'worker', 'err']);

const messageFormat: MessageFormatFunc = ({ err, ...line }, _key, _label, { colors }) => {
  const { said, listed } = sentenceOf(line);
  const facts = Object.entries(listed).flatMap(([name, value]) => (NOT_LISTED.has(name) ? [] : factsOf(name, value)));
  const head = [printable(said), ...(facts.length > 0 ? [colors.gray(facts.join(' '))] : [])].join('  ');
  return [head, ...stackOf(err)].join('\n    ');
};

/** A request and a security event are said in short, so that the developer of a game sees its calls. `listed`: what that leaves. */
function sentenceOf(line: Record<string, unknown>): { said: string; listed: Record<string, unknown> } {
  const { security, ...entry } = line;
  if (typeof security === 'string') return { said: security, listed: entry };
  const { method, route = '(no such address)', status = 'aborted', ms, ...listed } = line;
  if (method === undefined) return { said: String(line.msg), listed: line };
  return { said: `${method} ${route} ${status} (${ms} ms)`, listed };
}

/** `name=value` for each value in it. */
function factsOf(name: string, value: unknown): string[] {
  if (typeof value !== 'object' || value === null) {
    const text = String(value);
    return [`${name}=${printable(/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text))}`];
  }
  return Object.entries(value).flatMap(([key, inner]) => factsOf(`${name}.${key}`, inner));
}

/** Where an error came from, and what caused it. */
function stackOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return [];
  const { stack, type, message, cause, ...facts } = error as Partial<LoggedError>;
  const lines = (stack ?? `${type}: ${message}`).split('\n').map((line) => printable(line.trim()));
  const known = Object.entries(facts).flatMap(([name, value]) => factsOf(name, value));
  return [...lines, ...(known.length > 0 ? [known.join(' ')] : []), ...stackOf(cause)];
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
