import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../base/problems.ts';
import { onAccountOf, resumed } from '../base/thread-time.ts';
import { openTurns } from '../base/turns.ts';
import { API_TOKEN } from '../oauth/clients.ts';
import type { Service } from '../service/service.ts';
import { clientAddress, isKnownCaller, isProbe } from './rate-limits.ts';

/**
 * Requests of pages and sign-in, and calls without a valid credential, share a part of the thread's time, so that no number of strangers
 * keeps it from payments. While that is short they wait, and the address that has used the least goes first.
 */
export function takeTurns(app: FastifyInstance, service: Pick<Service, 'settings' | 'rateLimits'>): void {
  const { pagesPercent } = service.settings;
  if (pagesPercent === 100) return;
  const turns = openTurns({ share: pagesPercent / 100 });
  // A request's address is read, and its route found, before its hooks run: that counts too.
  let latest: { readonly raw: IncomingMessage; readonly at: number } | undefined;
  app.server.prependListener('request', (raw: IncomingMessage) => {
    latest = { raw, at: performance.now() };
  });
  app.addHook('onRequest', (request, { raw }, done) => {
    if (!waitsForTurn(service, request)) {
      resumed();
      return done();
    }
    const inContext = AsyncLocalStorage.snapshot();
    const before = latest?.raw === request.raw ? performance.now() - latest.at : 0;
    const turn = turns.take(
      clientAddress(request),
      ({ spend }) => inContext(() => onAccountOf(spend, done)),
      () => inContext(() => done(new Problem('overloaded', 'Too many requests are waiting. Try again in a second.'))),
    );
    turn.spend(before);
    raw.once('close', () => turn.end());
  });
  // The body has arrived.
  app.addHook('preValidation', (_request, _reply, done) => {
    resumed();
    done();
  });
}

function waitsForTurn({ rateLimits }: Pick<Service, 'rateLimits'>, request: FastifyRequest): boolean {
  if (request.method === 'OPTIONS' || isProbe(request)) return false;
  const isCall = request.url.startsWith('/v1/') && request.routeOptions.url !== API_TOKEN;
  return !isCall || !isKnownCaller(rateLimits, request);
}
