import type { DestinationStream } from 'pino';
import pretty, { type MessageFormatFunc, type PrettyOptions } from 'pino-pretty';
import { printable } from '../base/printable.ts';

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

/** An error as the log shows it. */
export type LoggedError = {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: string;
  readonly [fact: string]: unknown;
};

/** Where an error came from, and what caused it. */
function stackOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return [];
  const { stack, type, message, cause, ...facts } = error as Partial<LoggedError>;
  const lines = (stack ?? `${type}: ${message}`).split('\n').map((line) => printable(line.trim()));
  const known = Object.entries(facts).flatMap(([name, value]) => factsOf(name, value));
  return [...lines, ...(known.length > 0 ? [known.join(' ')] : []), ...stackOf(cause)];
}
