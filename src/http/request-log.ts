import { hash } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../base/problems.ts';
import { type RequestContext, withContext } from '../base/request-context.ts';
import type { AnswerClass, Area } from '../usecases/answer-counts.ts';
import type { Service } from '../usecases/service.ts';
import { clientAddress } from '../web/client-address.ts';

/** Probes, styles, scripts and pictures are asked for all the time and concern nobody: they are neither logged nor counted. */
const UNOBSERVED = /^\/(healthz|readyz|metrics|assets\/.*|apps\/:id.*)$/;
/** Ids of ours as they stand in paths. What else stands there may be a secret in the wrong place, so it is left out. */
const AN_ID = /^(0x[\da-f]{40}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|[a-z\d]{20}|[a-z\d]{28})$/i;
/** Characters of an address that are logged: a proxy may pass on a text of any length. */
const MAX_CLIENT = 64;

/**
 * One line and one count for each request, once it is answered or its caller has gone; and the context in which all that is done for
 * it says whose it is. It listens to the bare answer, as OAuth's endpoints and streams answer past the framework.
 */
export function logRequests(app: FastifyInstance, service: Service): void {
  app.addHook('onRequest', (request, reply, done) => withContext(beginRequest(service, request, reply), done));
}

/** For a request that the framework refuses before its hooks run, too. A caller of the API is told the id, to name it when asking for help. */
export function beginRequest(service: Service, request: FastifyRequest, reply: FastifyReply): RequestContext {
  const { raw } = reply;
  const context: RequestContext = { requestId: request.id, client: clientAddress(request).slice(0, MAX_CLIENT) };
  const route = request.routeOptions.url;
  if (route !== undefined && UNOBSERVED.test(route)) return context;
  // Pages and OAuth's answers stay the same for all who are refused: only the API, whose callers keep logs, tells the id.
  if (areaOf(route) === 'api') raw.setHeader('request-id', request.id);
  const begun = performance.now();
  let isOver = false;
  const over = (isComplete: boolean) => {
    if (isOver) return;
    isOver = true;
    noteAnswer(service, request, reply, { context, isComplete, milliseconds: performance.now() - begun });
  };
  raw.once('finish', () => over(true));
  raw.once('close', () => over(false));
  return context;
}

type Answered = {
  readonly context: RequestContext;
  /** False where the caller went away first. */
  readonly isComplete: boolean;
  readonly milliseconds: number;
};

function noteAnswer(
  { settings, log, answers }: Service,
  request: FastifyRequest,
  { raw }: FastifyReply,
  { context, isComplete, milliseconds }: Answered,
): void {
  const route = request.routeOptions.url;
  answers.add(areaOf(route), isComplete ? classOf(raw.statusCode) : 'aborted');
  if (settings.accessLog !== 'on') return;
  const { 'idempotency-key': key } = request.headers;
  log.info(
    {
      ...context,
      method: request.method,
      // The pattern, as a path nobody serves may be anything, a token too.
      route,
      ...idsIn(request.params),
      ...(raw.headersSent && { status: raw.statusCode }),
      ms: Math.round(milliseconds * 10) / 10,
      ...(!isComplete && { aborted: true }),
      ...(typeof key === 'string' && { idempotency: shortHash(key) }),
    },
    'request',
  );
}

/** What the HTTP parser has refused: it never becomes a request. The address is that of the connection, a proxy's perhaps. */
export function noteBrokenRequest({ settings, log, answers }: Service, socket: Socket, problem: Problem): void {
  answers.add('none', classOf(problem.status));
  if (settings.accessLog !== 'on') return;
  const client = socket.remoteAddress && clientAddress({ ip: socket.remoteAddress });
  log.info({ client, status: problem.status, refused: problem.code }, 'request');
}

/** Tells two keys apart, and the same one again, and opens no stored answer. */
function shortHash(key: string): string {
  return hash('sha256', key, 'hex').slice(0, 8);
}

/** `uid` names an authorization under way: with a browser's cookie it opens one. */
function idsIn(params: unknown): Readonly<Record<string, string>> {
  const found = Object.entries((params ?? {}) as Record<string, string>);
  return Object.fromEntries(found.filter(([name, value]) => name !== 'uid' && AN_ID.test(value)));
}

function areaOf(route: string | undefined): Area {
  if (route === undefined) return 'none';
  if (/^\/(v1\/)?oauth\/|^\/\.well-known\//.test(route)) return 'oauth';
  if (route.startsWith('/v1/')) return 'api';
  return /^\/(developer|docs)(\/|$)/.test(route) ? 'console' : 'pages';
}

function classOf(status: number): AnswerClass {
  return `${Math.floor(status / 100)}xx` as AnswerClass;
}
