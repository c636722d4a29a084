import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestId } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import type { Service } from '../service/service.ts';
import { type Progress, readProgress, type WatchRequests, watchRequests } from '../views/requests/watch-requests.ts';

/** The limits of one process. A page that gets no stream polls instead. */
const BOUNDS = {
  streams: 1_000,
  /** For one user or one address. */
  streamsPerCaller: 6,
  lifeMs: 10 * 60_000,
  /** Proxies close a connection that is silent for a minute or less. */
  heartbeatMs: 20_000,
  unreadBytes: 4_096,
};

const HEADERS = {
  // Compression would buffer events that must be sent at once.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  vary: 'accept',
  'content-security-policy': `default-src 'none'; frame-ancestors 'none'`,
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/** Who reads progress. */
export type Reader = {
  /** Whose limit a stream counts against. */
  readonly caller: string;
  /** Whether they may still see it. No error is thrown to the client: the stream ends. It must not count as a use of a session. */
  readonly maySee: () => Promise<boolean>;
};

/** The id of the last event. A client that reconnects with it has got everything. */
const FINAL = 'final';

export type ProgressStreams = {
  /**
   * Answers with the state of requests. A client that accepts `text/event-stream` gets a stream (WHATWG HTML, section 9.2) until
   * all are final, and every other one gets the current state as JSON. The route has checked before that the reader may see it. A
   * stream checks it again before each change and at each heartbeat.
   */
  answer(
    request: FastifyRequest,
    reply: FastifyReply,
    ids: readonly RequestId[],
    reader: Reader,
  ): Promise<FastifyReply | undefined>;
  /** Ends all streams and refuses new ones. */
  close(): void;
};

export function openProgressStreams(
  service: Pick<Service, 'db'>,
  bounds: Partial<typeof BOUNDS> = {},
): ProgressStreams {
  const limits = { ...BOUNDS, ...bounds };
  const watch = watchRequests(service);
  const open: OpenStreams = new Map();
  let closed = false;
  return {
    async answer(request, reply, ids, reader) {
      const now = await readProgress(service, ids);
      reply.headers(HEADERS);
      if (request.method !== 'GET' || !request.headers.accept?.includes('text/event-stream')) {
        return reply.type('application/json; charset=utf-8').send(now);
      }
      // A browser reconnects after every end. This response makes it stop.
      if (now.final && request.headers['last-event-id'] === FINAL) return reply.code(204).send();
      if (closed || open.size >= limits.streams) throw new Problem('overloaded', 'There are too many streams open.');
      if ([...open.values()].filter((other) => other === reader.caller).length >= limits.streamsPerCaller) {
        throw new Problem('too-many-tries', 'Too many streams of one caller are open.', [], {
          code: 'too-many-streams',
        });
      }
      reply.hijack();
      sendEvents(reply.raw, now, reader, { limits, watch, open });
      return undefined;
    },
    close() {
      closed = true;
      for (const end of open.keys()) end();
    },
  };
}

/** Who has each open stream, by the function that ends it. */
type OpenStreams = Map<() => void, string>;

type Streams = { readonly limits: typeof BOUNDS; readonly watch: WatchRequests; readonly open: OpenStreams };

function sendEvents(raw: ServerResponse, now: Progress, reader: Reader, { limits, watch, open }: Streams): void {
  if (raw.destroyed) return;
  // `close`: a kept connection would delay a service that stops.
  raw.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream; charset=utf-8', connection: 'close' });
  const unwatch = watch(now, (progress) => ifAllowed(() => tell(progress)));
  const heartbeat = setInterval(() => ifAllowed(() => write(':\n\n')), limits.heartbeatMs);
  let checked = Promise.resolve();
  const life = setTimeout(() => {
    write('event: rest\ndata: {}\n\n');
    end();
  }, limits.lifeMs);
  open.set(end, reader.caller);
  raw.once('close', end);
  raw.on('error', end);
  // At random times, because all clients reconnect after a restart.
  write(`retry: ${2_000 + Math.floor(Math.random() * 3_000)}\n`);
  tell(now);

  /** In the order of the calls. Nothing is sent after the right has ended, or while nobody knows whether it has. */
  function ifAllowed(send: () => void): void {
    checked = checked.then(async () => {
      const allowed = open.has(end) && (await reader.maySee().catch(() => false));
      if (allowed && open.has(end)) send();
      else end();
    });
  }

  function tell(progress: Progress): void {
    write(`${progress.final ? `id: ${FINAL}\n` : ''}data: ${JSON.stringify(progress)}\n\n`);
    if (progress.final) end();
  }

  function write(text: string): void {
    if (raw.writableLength > limits.unreadBytes) raw.destroy();
    else raw.write(text);
  }

  function end(): void {
    if (!open.delete(end)) return;
    unwatch();
    clearInterval(heartbeat);
    clearTimeout(life);
    raw.end();
  }
}
