import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerClass, Area } from '../base/answer-counts.ts';
import { type RequestContext, withContext } from '../base/log.ts';
import type { Problem } from '../base/problems.ts';
import { shortHash } from '../base/secrets.ts';
import { beginSpan, type OpenSpan } from '../base/spans.ts';
import type { Service } from '../service/service.ts';
import type { EndedCall, TakeCall } from './additions.ts';
import { namedIds } from './named-ids.ts';
import { clientAddress } from './rate-limits.ts';

/** Probes, styles, scripts and pictures are neither logged nor counted: they are frequent and say nothing. */
const UNOBSERVED = /^\/(healthz|readyz|metrics|assets\/.*|apps\/:id.*)$/;
/** Our ids in paths. Other values may be a secret in the wrong place, so they are not logged. */
const AN_ID = /^(0x[\da-f]{40}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|[a-z\d]{20}|[a-z\d]{28})$/i;
/** How many characters of an address are logged: a proxy may pass on text of any length. */
const MAX_CLIENT = 64;

/**
 * Writes one line and counts one for each request, once it is answered or its caller has gone. Also opens the context that
 * names the request in all other log lines. It listens to the raw response, as OAuth's endpoints and streams bypass the framework.
 */
export function logRequests(app: FastifyInstance, beginRequest: BeginRequest): void {
  app.addHook('onRequest', (request, reply, done) => {
    const span = spanOf(request, reply);
    const context = beginRequest(request, reply, span);
    if (span) span.within(() => withContext(context, done));
    else withContext(context, done);
  });
}

/** The span of a request; undefined for what is not observed, and while nothing is traced. */
function spanOf(
  { method, headers, routeOptions: { url } }: FastifyRequest,
  { raw }: FastifyReply,
): OpenSpan | undefined {
  if (areaOf(url) === null) return undefined;
  const { traceparent } = headers;
  const span = beginSpan(url === undefined ? method : `${method} ${url}`, {
    kind: 'server',
    attributes: { 'http.request.method': method, ...(url !== undefined && { 'http.route': url }) },
    ...(typeof traceparent === 'string' && { traceparent }),
  });
  raw.once('close', () => span?.end({ attributes: { 'http.response.status_code': raw.statusCode } }));
  return span;
}

/** Also for requests that the framework refuses before its hooks run. API callers get the id, for when they ask for help. */
export type BeginRequest = (request: FastifyRequest, reply: FastifyReply, span?: OpenSpan) => RequestContext;

/** `takers`: of {@link CALL_ENDED}. */
export function requestBeginner(service: Service, takers: readonly TakeCall[]): BeginRequest {
  return (request, reply, span) => beginRequest(service, takers, request, reply, span);
}

function beginRequest(
  service: Service,
  takers: readonly TakeCall[],
  request: FastifyRequest,
  reply: FastifyReply,
  span: OpenSpan | undefined,
): RequestContext {
  const { raw } = reply;
  const context: RequestContext = {
    requestId: request.id,
    ...(span && { traceId: span.traceId }),
    client: clientAddress(request).slice(0, MAX_CLIENT),
  };
  const route = request.routeOptions.url;
  const area = areaOf(route);
  if (area === null) return context;
  // Only the API sends the id, as its callers keep logs. Pages and OAuth give every refused caller the same response.
  const isOfApi = area === 'api' || (route === undefined && request.url.startsWith('/v1/'));
  if (isOfApi) reply.header('request-id', request.id);
  const startedAt = performance.now();
  let isOver = false;
  const over = (isComplete: boolean) => {
    if (isOver) return;
    isOver = true;
    const ended = { context, route, isComplete, milliseconds: performance.now() - startedAt };
    for (const take of takers) take(request, reply, ended);
    recordAnswer(service, request, reply, { ...ended, area });
  };
  raw.once('finish', () => over(true));
  raw.once('close', () => over(false));
  return context;
}

function recordAnswer(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  { area, context, route, isComplete, milliseconds }: EndedCall & { readonly area: Area },
): void {
  const { settings, log, answers } = service;
  const { raw } = reply;
  answers.add(area, isComplete ? classOf(raw.statusCode) : 'aborted');
  if (settings.accessLog !== 'on') return;
  const { 'idempotency-key': key } = request.headers;
  const about = isComplete ? namedIds(service, request, raw.statusCode) : null;
  log.info(
    {
      ...context,
      method: request.method,
      // The pattern, as an unknown path may hold anything, even a token.
      route,
      ...idsIn(request.params),
      ...(about !== null && { about }),
      ...(raw.headersSent && { status: raw.statusCode }),
      ms: Math.round(milliseconds * 10) / 10,
      ...(!isComplete && { aborted: true }),
      ...(typeof key === 'string' && { idempotency: shortHash(key) }),
    },
    'request',
  );
}

/** For what the HTTP parser refuses: it never becomes a request. The address is the connection's, perhaps a proxy's. */
export function recordBrokenRequest({ settings, log, answers }: Service, socket: Socket, problem: Problem): void {
  answers.add('none', classOf(problem.status));
  if (settings.accessLog !== 'on') return;
  const client = socket.remoteAddress && clientAddress({ ip: socket.remoteAddress });
  log.info({ client, status: problem.status, refused: problem.code }, 'request');
}

/** Without `uid`: with a browser's cookie it opens an authorization under way. */
function idsIn(params: unknown): Readonly<Record<string, string>> {
  const found = Object.entries((params ?? {}) as Record<string, string>);
  return Object.fromEntries(found.filter(([name, value]) => name !== 'uid' && AN_ID.test(value)));
}

/** By route, of which there are only so many. */
const areas = new Map<string | undefined, Area | null>([[undefined, 'none']]);

/** Null for a route that is not observed. */
function areaOf(route: string | undefined): Area | null {
  let area = areas.get(route);
  if (area === undefined) {
    area = UNOBSERVED.test(route!) ? null : findArea(route!);
    areas.set(route, area);
  }
  return area;
}

function findArea(route: string): Area {
  if (/^\/(v1\/)?oauth\/|^\/\.well-known\//.test(route)) return 'oauth';
  if (route.startsWith('/v1/')) return 'api';
  return /^\/(developer|operator|docs)(\/|$)/.test(route) ? 'console' : 'pages';
}

function classOf(status: number): AnswerClass {
  return `${Math.floor(status / 100)}xx` as AnswerClass;
}
