import type { EventEmitter } from 'node:events';
import type { FastifyInstance } from 'fastify';
import type { RequestId } from '../base/ids.ts';
import type { Service } from '../usecases/service.ts';
import { type Progress, readProgress, type WatchRequests, watchRequests } from '../usecases/watch-requests.ts';

const MOST_SECONDS = 30;

/**
 * Holds the answers of routes that wait until the transfer is confirmed, or as long as the caller prefers (RFC 7240, section
 * 4.3). Then it is the same answer: only `GET /v1/requests/{id}` tells how far it is.
 */
export function holdAnswers(app: FastifyInstance, service: Service): void {
  const watch = watchRequests(service);
  const held = new Set<() => void>();
  let stopping = false;

  app.addHook('preSerialization', async (request, reply, payload: { readonly requestId: RequestId }) => {
    const seconds = preferredSeconds(request.headers.prefer);
    if (!request.routeOptions.config.operation?.waits || reply.statusCode !== 200 || seconds === 0) return payload;
    reply.header('preference-applied', `wait=${seconds}`);
    // What is decided stays decided, whatever hinders us from looking after it.
    await readProgress(service, [payload.requestId])
      // One that is decided while the stop begins is held no more.
      .then((known) => (stopping ? undefined : untilFinal({ watch, known, seconds, connection: reply.raw, held })))
      .catch(() => {});
    // Else the connection, idle only after the stop has closed those that were, would keep the stop waiting.
    if (stopping) reply.header('connection', 'close');
    return payload;
  });
  // A service that stops answers with what it has.
  app.addHook('preClose', async () => {
    stopping = true;
    for (const end of held) end();
  });
}

type Waiting = {
  readonly watch: WatchRequests;
  readonly known: Progress;
  readonly seconds: number;
  /** Who has gone waits for nothing. */
  readonly connection: EventEmitter;
  /** Where what ends the waiting is kept as long as it lasts. */
  readonly held: Set<() => void>;
};

/** Resolves when nothing more is to come, time is up, or nobody waits any more. */
export async function untilFinal({ watch, known, seconds, connection, held }: Waiting): Promise<void> {
  if (known.final) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, seconds * 1000);
    const unwatch = watch(known, ({ final }) => final && end());
    function end() {
      clearTimeout(timer);
      unwatch();
      connection.off('close', end);
      held.delete(end);
      resolve();
    }
    connection.once('close', end);
    held.add(end);
  });
}

/** Of `Prefer: respond-async, wait=10`; 0 where there is none, or none that can be read: a preference is never an error. */
export function preferredSeconds(header: string | string[] | undefined): number {
  const preferences = [header ?? []].flat().join(',').split(',');
  const wait = preferences.map((text) => /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(;|$)/i.exec(text)?.[1]).find(Boolean);
  return Math.min(Number(wait ?? 0), MOST_SECONDS);
}
