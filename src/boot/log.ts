import { type Logger, type LoggerOptions, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Settings } from '../config/settings.ts';
import { loggedError } from './logged-error.ts';

/** How every line of the log is made, wherever it is written to. */
export function logOptions({ logLevel }: Pick<Settings, 'logLevel'>): LoggerOptions {
  return { level: logLevel, base: null, serializers: { err: loggedError } };
}

/** Lines of JSON for machines, readable ones for a terminal; on the error stream, apart from what commands print. */
export function openLog(settings: Pick<Settings, 'logLevel'>): Logger {
  const options = logOptions(settings);
  return process.stderr.isTTY
    ? pino(options, pretty({ destination: 2, sync: true, ignore: 'pid,hostname', singleLine: true, messageFormat }))
    : pino(options, pino.destination({ fd: 2, sync: true }));
}

/** The words of a line on a terminal: whoever develops a game reads what it has called. */
function messageFormat(line: Record<string, unknown>, messageKey: string): string {
  const { method, route = '(no such address)', status = 'aborted', ms, security } = line;
  if (typeof security === 'string') return security;
  return method === undefined ? String(line[messageKey]) : `${method} ${route} ${status} (${ms} ms)`;
}
