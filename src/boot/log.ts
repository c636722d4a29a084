import { type Logger, type LoggerOptions, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Settings } from '../config/settings.ts';
import { loggedError } from './logged-error.ts';

/** Options of every log line, whatever its destination. */
export function logOptions({ logLevel }: Pick<Settings, 'logLevel'>): LoggerOptions {
  return { level: logLevel, base: null, serializers: { err: loggedError } };
}

/** Writes JSON lines, or readable lines on a terminal. It uses stderr, because commands print to stdout. */
export function openLog(settings: Pick<Settings, 'logLevel'>): Logger {
  const options = logOptions(settings);
  return process.stderr.isTTY
    ? pino(options, pretty({ destination: 2, sync: true, ignore: 'pid,hostname', singleLine: true, messageFormat }))
    : pino(options, pino.destination({ fd: 2, sync: true }));
}

/** Formats a line for a terminal, so that the developer of a game sees its calls. */
function messageFormat(line: Record<string, unknown>, messageKey: string): string {
  const { method, route = '(no such address)', status = 'aborted', ms, security } = line;
  if (typeof security === 'string') return security;
  return method === undefined ? String(line[messageKey]) : `${method} ${route} ${status} (${ms} ms)`;
}
