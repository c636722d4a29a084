import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../../../base/problems.ts';
import { clientAddress } from '../../../http/rate-limits.ts';
import type { Service } from '../../../service/service.ts';
import { MARK_HEADER, openMarkCheck, type SeenRequest } from '../diagnostics/marks.ts';

/** Long enough to tell two events that arrive apart from two that a proxy has held back. */
const BETWEEN_EVENTS_MS = 1_000;
const HEADERS = {
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
};

/**
 * `GET /doctor` tells `quarters doctor` what arrives here of a request that it sends to the public address. Strangers have no mark, and
 * get the 404 of an unknown address. A caller learns only about the caller's own request.
 */
export function doctorMirror({ vault, settings }: Service) {
  const isGenuine = openMarkCheck(vault);
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/doctor', async (request, reply) => {
      const mark = request.headers[MARK_HEADER];
      if (typeof mark !== 'string' || !isGenuine(mark)) {
        throw new Problem('not-found', 'There is nothing at this address.');
      }
      reply.headers(HEADERS);
      if (request.headers.accept === 'text/event-stream') {
        return reply.type('text/event-stream').send(Readable.from(twoEvents()));
      }
      const { host = '', 'x-forwarded-for': chain = '', 'x-forwarded-proto': protocol } = request.headers;
      const seen: SeenRequest = {
        client: clientAddress(request),
        host,
        forwardedFor: [chain]
          .flat()
          .join(',')
          .split(',')
          .map((entry) => entry.trim())
          .filter((entry) => entry !== ''),
        protocol: [protocol ?? []].flat()[0] ?? null,
        trustProxy: settings.trustProxy,
      };
      return seen;
    });
  };
}

async function* twoEvents(): AsyncGenerator<string> {
  yield 'data: first\n\n';
  await delay(BETWEEN_EVENTS_MS);
  yield 'data: second\n\n';
}
