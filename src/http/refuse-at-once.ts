import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noteRefusal } from '../base/log.ts';
import { Problem } from '../base/problems.ts';
import { PROBLEM_TYPE, problemBody } from './problems.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    refusesAtOnce?: RefusesAtOnce;
  }
}

/** How a route refuses a call before anything is done for it, but for its line in the log. */
export type RefusesAtOnce = {
  /** Null if the call goes on. Throws other refusals. */
  readonly refusal: (request: FastifyRequest, reply: FastifyReply) => Problem | null;
  /** The headers of every response of the route. */
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Under overload most calls are refused, and what a refusal takes is taken from payments. So these pass by all other hooks, the error
 * handler and the framework's way of sending, which together take twice the time of the rest.
 */
export function refuseAtOnce(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { refusesAtOnce } = request.routeOptions.config;
    if (!refusesAtOnce) return done();
    const refusal = refusalOf(refusesAtOnce, request, reply);
    if (!(refusal instanceof Problem)) return done(refusal);
    // By then its body has arrived, and nothing has to wait for it.
    process.nextTick(send, refusal, reply, refusesAtOnce.headers);
  });
}

/** An error that is no Problem is for the error handler. */
function refusalOf({ refusal }: RefusesAtOnce, request: FastifyRequest, reply: FastifyReply): Error | undefined {
  try {
    return refusal(request, reply) ?? undefined;
  } catch (error) {
    return error as Error;
  }
}

/** By refusal, of which those for many callers are made once. */
const bodies = new WeakMap<Problem, string>();

function send(problem: Problem, reply: FastifyReply, headers: RefusesAtOnce['headers']): void {
  noteRefusal(problem.code);
  let body = bodies.get(problem);
  if (body === undefined) {
    body = JSON.stringify(problemBody(problem));
    bodies.set(problem, body);
  }
  if (problem.retryAfter !== undefined) reply.header('retry-after', problem.retryAfter);
  const all = Object.assign(reply.getHeaders() as OutgoingHttpHeaders, headers);
  all['content-type'] = PROBLEM_TYPE;
  all['content-length'] = Buffer.byteLength(body);
  reply.hijack();
  reply.raw.writeHead(problem.status, all);
  reply.raw.end(body);
}
