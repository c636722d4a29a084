/**
 * Loaded into the service before its own code (`node --import`). Ends the process, as kill -9 does, at one exact point
 * of its conversation with the database or the chain. The service's sources do not know about it.
 *
 * KILL_POINT_FILE names the point: it is read at the start or, for a running service, on SIGUSR2.
 */
import { existsSync, readFileSync, writeSync } from 'node:fs';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import pg from 'pg';
import type { KillPoint } from '../kit/service/crash-service.ts';

const FILE = process.env.KILL_POINT_FILE!;
let point: KillPoint | null = null;
let left = 0;

function arm(): void {
  point = JSON.parse(readFileSync(FILE, 'utf8')) as KillPoint;
  left = point.nth ?? 1;
}

if (existsSync(FILE)) arm();
process.on('SIGUSR2', () => {
  arm();
  writeSync(2, 'armed\n');
});

/** Whether this is the moment. Each match counts once; before and after belong to the same match. */
function isThePoint(at: KillPoint['at'], subject: string): boolean {
  return at === point?.at && new RegExp(point.match).test(subject) && --left === 0;
}

function die(): never {
  writeSync(2, `killed: ${point?.when} ${point?.at} ${point?.match}\n`);
  process.kill(process.pid, 'SIGKILL');
  throw new Error('not reached');
}

/** The statements of each connection's open transaction so far. */
const transactions = new WeakMap<object, string[]>();

type AnyQuery = (this: object, ...args: unknown[]) => unknown;
const prototype = pg.Client.prototype as unknown as { query: AnyQuery };
const { query } = prototype;
prototype.query = function (...args) {
  const [first] = args;
  const text = typeof first === 'string' ? first : String((first as { text?: unknown }).text ?? '');
  const open = transactions.get(this);
  if (/^BEGIN/.test(text)) transactions.set(this, []);
  else open?.push(text);
  const ends = /^(COMMIT|ROLLBACK)/.test(text);
  if (ends) transactions.delete(this);

  const at = ends ? 'commit' : open ? 'statement in a transaction' : 'statement alone';
  const found = !text.startsWith('ROLLBACK') && isThePoint(at, ends ? (open ?? []).join('\n') : text);
  if (!found) return query.apply(this, args);
  if (point?.when === 'before') die();
  const last = args.at(-1);
  if (typeof last === 'function') return query.apply(this, [...args.slice(0, -1), die]);
  return (query.apply(this, args) as Promise<unknown>).then(die);
};

const { request } = http;
http.request = ((...args: Parameters<typeof request>) => {
  const sent = request(...args);
  const { end } = sent;
  sent.end = ((body?: unknown, ...rest: unknown[]) => {
    const found = typeof body === 'string' && isThePoint('call of the chain', body);
    if (found && point?.when === 'before') die();
    // When the node has answered in full, nothing of the call is still on its way.
    if (found) sent.once('response', (response) => response.once('end', die));
    return (end as (...all: unknown[]) => typeof sent).call(sent, body, ...rest);
  }) as typeof end;
  return sent;
}) as typeof request;
syncBuiltinESMExports();
