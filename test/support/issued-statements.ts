import { join, relative } from 'node:path';
import pg from 'pg';
import { atEnd, type Ending } from './at-end.ts';

/** A statement that the service sent, and what sent it: `ledger/accounts.ts addHolds`. */
export type Issued = { readonly by: string; readonly text: string };

type AnyQuery = (this: unknown, config: string | { text: string }, ...rest: unknown[]) => unknown;

const SRC = join(import.meta.dirname, '../../src');
const FRAME = /at (?:async )?(?:(?<name>\S+) \()?file:\/\/(?<path>[^:]+):\d+:\d+/;
const DEPTH = 40;

/** Gives `listener` every statement that the code of `src` in this process sends to a database, until the test ends. */
export function watchIssued(t: Ending, listener: (issued: Issued) => void): void {
  const watch = (prototype: { query: unknown }) => {
    const query = prototype.query as AnyQuery;
    const watching: AnyQuery = function (config, ...rest) {
      const by = issuer();
      if (by) listener({ by, text: typeof config === 'string' ? config : config.text });
      return query.call(this, config, ...rest);
    };
    prototype.query = watching;
    atEnd(t, () => {
      prototype.query = query;
    });
  };
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = DEPTH;
  atEnd(t, () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  // A pool passes its statements on to a client in a later turn. Nothing of `src` is on the stack then, so each is reported once.
  watch(pg.Pool.prototype);
  watch(pg.Client.prototype);
}

/** The innermost file outside of `src/db`, and its innermost function with a name. Null if nothing of `src` called. */
function issuer(): string | null {
  let file: string | null = null;
  for (const line of new Error().stack!.split('\n')) {
    const { name, path } = FRAME.exec(line)?.groups ?? {};
    const inSrc = path && relative(SRC, path);
    if (!inSrc || inSrc.startsWith('..') || inSrc.startsWith('db/')) continue;
    file ??= inSrc;
    if (file !== inSrc) return `${file} (unnamed)`;
    if (name && name !== 'Object.<anonymous>') return `${file} ${name}`;
  }
  return file && `${file} (unnamed)`;
}
