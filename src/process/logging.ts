import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import type { Settings } from '../config/settings.ts';
import type { LoggedError } from './terminal-log.ts';

/** Options of every log line, whatever its destination. */
export function logOptions({ logLevel }: Pick<Settings, 'logLevel'>): LoggerOptions {
  return { level: logLevel, base: null, serializers: { err: loggedError } };
}

/** Of a command's log. Its lines stand between what the command says, so it has what is wrong alone, unless more was asked for. */
export function commandLevel({ logLevel }: Pick<Settings, 'logLevel'>): Settings['logLevel'] {
  return logLevel === 'info' ? 'warn' : logLevel;
}

/**
 * Keeps a start screen whole: on a terminal a log of the usual level has what is wrong alone until the returned function is called. Elsewhere,
 * as in a file, it has everything.
 */
export function quietStart(log: Logger, { isTTY }: { readonly isTTY?: boolean }): () => void {
  if (!isTTY || !process.stderr.isTTY || log.level !== 'info') return () => {};
  log.level = 'warn';
  return () => {
    log.level = 'info';
  };
}

/** Writes JSON lines, or readable lines on a terminal. It uses stderr, because commands print to stdout. */
export async function openLog(settings: Pick<Settings, 'logLevel'>): Promise<Logger> {
  const to = process.stderr.isTTY ? await openTerminal() : pino.destination({ fd: 2, sync: true });
  return pino(logOptions(settings), to);
}

/** Loaded only where somebody reads along. */
async function openTerminal(): Promise<DestinationStream> {
  const { forTerminal } = await import('./terminal-log.ts');
  return forTerminal({ destination: 2 });
}

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
