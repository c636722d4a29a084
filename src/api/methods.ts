import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import findMyWay from 'find-my-way';
import { Problem } from '../base/problems.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `Allow` does not offer this method, such as GET on a form's address: it serves people who reload it by hand. */
    isUnlisted?: boolean;
  }
}

/** Returns the refusal of a request that no route serves but whose path has other methods, and sets its headers; else null. */
export type RefuseMethod = (request: FastifyRequest, reply: FastifyReply) => Problem | null;

/**
 * Answers all that no route serves, before the credential or the body is read: 405 and `Allow` where the path has other
 * methods (RFC 9110, section 15.5.6), else 404. Covers the routes registered after this call. A scope with a not-found handler
 * of its own throws the returned refusal itself, after its own hooks.
 *
 * The refused methods have no routes: with 35 methods for each path a start took twice as long.
 */
export function refuseOtherMethods(app: FastifyInstance, maxParamLength = 100): RefuseMethod {
  const paths = findMyWay({ maxParamLength });
  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (url.endsWith('*')) return;
    const known = methodsOf.get(url);
    const listed = known ?? new Set();
    if (!known) {
      methodsOf.set(url, listed);
      paths.on('GET', url, () => {}, listed);
    }
    if (!config?.isUnlisted) for (const name of [method].flat()) listed.add(name);
  });
  const refusal: RefuseMethod = ({ method, raw }, reply) => {
    const found: { store: Set<string> } | null = paths.find('GET', raw.url ?? '');
    if (!found) return null;
    const isLast = (name: string) => Number(name === 'OPTIONS');
    const allow = [...found.store].sort((a, b) => isLast(a) - isLast(b) || (a < b ? -1 : 1)).join(', ');
    reply.header('allow', allow);
    return new Problem('method-not-allowed', `${method} is not allowed here; allowed: ${allow}.`);
  };
  app.setNotFoundHandler(() => {});
  app.addHook('onRequest', (request, reply, done) => {
    const isOurs = request.is404 && request.server === app;
    done(
      isOurs ? (refusal(request, reply) ?? new Problem('not-found', 'There is nothing at this address.')) : undefined,
    );
  });
  return refusal;
}
