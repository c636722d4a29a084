import type { EventEmitter } from 'node:events';
import type { FastifyInstance } from 'fastify';
import type { RequestId } from '../base/ids.ts';
import { type Progress, readProgress, type WatchRequests, watchRequests } from '../features/requests/watch-requests.ts';
import type { Service } from '../settlement/service.ts';

const MOST_SECONDS = 30;

/**
 * Holds the responses of routes with `waits` until the transfer is confirmed, at most as long as the caller prefers (RFC 7240,
 * section 4.3). The response stays the same: only `GET /v1/requests/{id}` shows the status.
 */
export function holdAnswers(app: FastifyInstance, service: Service): void {
  const watch = watchRequests(service);
  const held = new Set<() => void>();
  let stopping = false;

  app.addHook('preSerialization', async (request, reply, payload: { readonly requestId: RequestId }) => {
    const seconds = preferredSeconds(request.headers.prefer);
    if (!request.routeOptions.config.operation?.waits || reply.statusCode !== 200 || seconds === 0) return payload;
    reply.header('preference-applied', `wait=${seconds}`);
    // The transfer is committed: a failure to watch it must not change the response.
    await readProgress(service, [payload.requestId])
      // A transfer that is committed while the service stops is not waited for.
      .then((known) => (stopping ? undefined : untilFinal({ watch, known, seconds, connection: reply.raw, held })))
      .catch(() => {});
    // The stop closes idle connections at its start. This one becomes idle later and would delay it.
    if (stopping) reply.header('connection', 'close');
    return payload;
  });
  // A service that stops sends all held responses.
  app.addHook('preClose', async () => {
    stopping = true;
    for (const end of held) end();
  });
}

type Waiting = {
  readonly watch: WatchRequests;
  readonly known: Progress;
  readonly seconds: number;
  /** A caller who has gone is not waited for. */
  readonly connection: EventEmitter;
  /** Holds the function that ends the wait, as long as it lasts. */
  readonly held: Set<() => void>;
};

/** Resolves when the outcome is final, the time is up, or the caller has gone. */
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

/** The seconds in `Prefer: respond-async, wait=10`; 0 without a readable one, as a preference is never an error. */
export function preferredSeconds(header: string | string[] | undefined): number {
  const preferences = [header ?? []].flat().join(',').split(',');
  const wait = preferences.map((text) => /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(;|$)/i.exec(text)?.[1]).find(Boolean);
  return Math.min(Number(wait ?? 0), MOST_SECONDS);
}
