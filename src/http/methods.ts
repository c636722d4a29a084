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

/** What is known of a path: the scope of its routes, and the methods that `Allow` offers. */
type Path = { readonly scope: FastifyInstance; readonly listed: Set<string> };

/** The framework's own default. */
const MAX_PARAM_LENGTH = 100;

/**
 * Answers all that no route serves, before the credential or the body is read: 405 and `Allow` where the path has other
 * methods (RFC 9110, section 15.5.6), in the form that the errors of its scope have, else 404. Covers the routes registered after
 * this call. A scope with a not-found handler of its own throws the returned refusal itself, after its own hooks.
 *
 * The refused methods have no routes: with 35 methods for each path a start took twice as long.
 */
export function refuseOtherMethods(app: FastifyInstance, maxParamLength = MAX_PARAM_LENGTH): RefuseMethod {
  const router = findMyWay({ maxParamLength });
  const paths = new Map<string, Path>();
  app.addHook('onRoute', function ({ url, method, config }) {
    if (url.endsWith('*')) return;
    const known = paths.get(url);
    const path = known ?? { scope: this, listed: new Set() };
    if (!known) {
      paths.set(url, path);
      router.on('GET', url, () => {}, path);
    }
    if (!config?.isUnlisted) for (const name of [method].flat()) path.listed.add(name);
  });
  const find = ({ raw }: FastifyRequest): Path | undefined => router.find('GET', raw.url ?? '')?.store;
  app.setNotFoundHandler(() => {});
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 || request.server !== app) return done();
    const path = find(request);
    if (!path) return done(new Problem('not-found', 'There is nothing at this address.'));
    const answer = async () => path.scope.errorHandler(refusalOf(path, request, reply), request, reply);
    answer().catch(done);
  });
  return (request, reply) => {
    const path = find(request);
    return path ? refusalOf(path, request, reply) : null;
  };
}

function refusalOf({ listed }: Path, { method }: FastifyRequest, reply: FastifyReply): Problem {
  const names = [...listed].filter((name) => name !== 'OPTIONS').sort();
  const allow = [...names, ...(listed.has('OPTIONS') ? ['OPTIONS'] : [])].join(', ');
  // The hooks of the path's scope have not run.
  reply.headers({ allow, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  return new Problem('method-not-allowed', `${method} is not allowed here; allowed: ${allow}.`);
}
