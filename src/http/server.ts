import type { Socket } from 'node:net';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { newCallId } from '../base/ids.ts';
import type { Json } from '../base/json.ts';
import { Problem } from '../base/problems.ts';
import { basesOf } from '../config/bases.ts';
import { loadAll } from '../service/house.ts';
import type { Service } from '../service/service.ts';
import { CALL_ENDED, PROBES } from './additions.ts';
import { isAnswered } from './answer.ts';
import { COMPILERS } from './compilers.ts';
import { connectionOptions, limitConnections } from './connections.ts';
import { health } from './health.ts';
import { atOnce } from './hooks.ts';
import { type RefuseMethod, refuseOtherMethods } from './methods.ts';
import { metrics } from './metrics.ts';
import { limitParameters } from './parameters.ts';
import { problemHandler, rawAnswer } from './problems.ts';
import type { Counting } from './process-counts.ts';
import { countRequest } from './rate-limits.ts';
import { refuseAtOnce } from './refuse-at-once.ts';
import { logRequests, recordBrokenRequest, requestBeginner } from './request-log.ts';
import { takeTurns } from './take-turns.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** OpenAPI 3.1. */
    readonly apiDescription: Json;
  }
}

const BODY_LIMIT_BYTES = 16_384;
/** Longer than any address the parser accepts: each route limits its own path values. */
const MAX_PARAM_LENGTH = 65_536;

/** Answers the visit of a person to an address that leads to nothing, or fails before any page could. */
export type AnswerVisit = (
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) => FastifyReply | Promise<FastifyReply>;

/**
 * The HTTP server: limits, error handling, health and metrics. The API and the pages are registered in it, with their own body parsers
 * and error handlers. `counting`: what `/metrics` shows of other workers.
 */
export async function createHttpServer(
  service: Service,
  answerVisit: AnswerVisit,
  counting?: Counting,
): Promise<{ readonly app: FastifyInstance; readonly refuseMethod: RefuseMethod }> {
  const hosts = partsOfHosts(service);
  const handleError = errorHandler(service, hosts, answerVisit);
  const takers = (await loadAll(service.house, CALL_ENDED)).map((open) => open(service));
  const beginRequest = requestBeginner(service, takers);
  const { publicUrl } = service;
  const proxies = service.settings.trustProxy;
  const app = fastify({
    genReqId: newCallId,
    // Otherwise a client could choose the address it is rate limited by.
    trustProxy: proxies > 0 && ((_address: string, hop: number) => hop < proxies),
    bodyLimit: BODY_LIMIT_BYTES,
    ...connectionOptions(publicUrl, () => service.readiness.stopping),
    // While closing, requests that have arrived are still answered. New connections are already refused.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    schemaController: { compilersFactory: COMPILERS },
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        allErrors: true,
        verbose: true,
        keywords: ['readsAs'],
      },
    },
    frameworkErrors: (error, request, reply) => {
      beginRequest(request, reply);
      handleError(error, request, reply);
    },
    clientErrorHandler: refuseBrokenRequest(service),
  });
  const { maxConnections, maxConnectionsPerAddress } = service.settings;
  // Behind a proxy, all connections come from one address.
  const mostPerAddress = proxies > 0 || maxConnectionsPerAddress === 0 ? null : maxConnectionsPerAddress;
  limitConnections(app.server, { most: maxConnections, mostPerAddress }, (setting, open) =>
    service.log.warn({ setting, open }, 'connections are closed as they arrive: a limit is reached'),
  );
  app.removeAllContentTypeParsers();
  // Before all other hooks, so that their log lines name the request.
  logRequests(app, beginRequest);
  refuseAtOnce(app);
  app.setErrorHandler(handleError);
  app.addHook('onRequest', atOnce(countRequest(service)));
  limitParameters(app);
  takeTurns(app, service);
  separateHosts(app, hosts);
  // Before the first route: it covers the routes registered after it.
  const refuseMethod = refuseOtherMethods(app, MAX_PARAM_LENGTH);
  await app.register(health(service));
  for (const probe of await loadAll(service.house, PROBES)) await app.register(probe(service));
  if (service.settings.metricsPort === undefined) await app.register(metrics(service, counting));
  return { app, refuseMethod };
}

/** A person who mistypes the address of a page gets a page. Programs, their addresses and the API's own host get problems. */
function errorHandler(service: Service, hosts: Hosts, answerVisit: AnswerVisit) {
  const sendProblem = problemHandler(service);
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const isVisit = request.method === 'GET' && request.headers.accept?.includes('text/html');
    const isPage = partOf(request.url) === 'pages' && !/^\/(oauth|\.well-known)\//.test(request.url);
    if (!isVisit || !isPage || !serves(hosts, request, 'pages')) return sendProblem(thrown, request, reply);
    return answerVisit(thrown, request, reply);
  };
}

/** Answers what the HTTP parser refuses (headers too large, not HTTP, too slow): it never becomes a request. */
function refuseBrokenRequest(service: Service) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    if (socket.writable && !isAnswered(socket)) {
      const problem = problemOfParser(error.code);
      recordBrokenRequest(service, socket, problem);
      socket.write(rawAnswer(problem, service.publicUrl));
    }
    socket.destroySoon();
  };
}

function problemOfParser(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers-too-large', "The request's address and headers are too large; 16 kB are allowed.");
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout', 'The request did not arrive in time.');
    default:
      return new Problem('invalid-input', 'The request cannot be read.');
  }
}

type Part = 'pages' | 'api' | 'guest creation' | 'everywhere';

/** What each host serves. */
type Hosts = ReadonlyMap<string, ReadonlySet<Part>>;

/** Where the API has its own host, each host serves only its own part: the host of pages and cookies does not serve the API. */
function partsOfHosts({ settings, publicUrl }: Service): Hosts {
  const { api, devApi } = basesOf(settings, publicUrl);
  const hosts = new Map<string, Set<Part>>();
  for (const [url, part] of [
    [publicUrl, 'pages'],
    [api, 'api'],
    [devApi, 'guest creation'],
  ] as const) {
    const { host } = new URL(url);
    hosts.set(host, (hosts.get(host) ?? new Set<Part>(['everywhere'])).add(part));
  }
  return hosts;
}

/** An unknown host (a health check by address, a proxy that rewrites it) serves everything. */
function serves(hosts: Hosts, { headers }: FastifyRequest, part: Part): boolean {
  return hosts.get(headers.host?.toLowerCase() ?? '')?.has(part) ?? true;
}

function separateHosts(app: FastifyInstance, hosts: Hosts): void {
  if (hosts.size === 1) return;
  app.addHook('onRequest', async (request) => {
    if (!serves(hosts, request, partOf(request.url))) {
      throw new Problem('not-found', 'There is nothing at this address.');
    }
  });
}

function partOf(url: string): Part {
  const path = url.split('?', 1)[0]!;
  if (path === '/v1/new-guest') return 'guest creation';
  if (/^\/v1(\/|$)/.test(path)) return 'api';
  return /^\/(healthz|readyz|metrics|doctor|openapi\.json)$/.test(path) ? 'everywhere' : 'pages';
}
