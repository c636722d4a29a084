import type { FastifyInstance } from 'fastify';
import { Problem } from '../base/problems.ts';

/**
 * Registers routes with `register` and then answers every other method on their paths with 405 and `Allow`
 * (RFC 9110, section 15.5.6), before a credential or a body is looked at. OPTIONS is left to CORS.
 */
export function withOtherMethodsRefused(app: FastifyInstance, register: () => void): void {
  const allowed = new Map<string, Set<string>>();
  let registering = true;
  app.addHook('onRoute', ({ method, routePath }) => {
    if (!registering) return;
    const methods = allowed.get(routePath) ?? new Set<string>();
    for (const name of [method].flat()) methods.add(name);
    if (methods.has('GET')) methods.add('HEAD');
    allowed.set(routePath, methods);
  });
  register();
  registering = false;

  for (const [url, methods] of allowed) {
    const allow = [...methods].sort().join(', ');
    app.route({
      url,
      method: app.supportedMethods.filter((method) => method !== 'OPTIONS' && !methods.has(method)),
      onRequest: async (request, reply) => {
        reply.header('allow', allow);
        throw new Problem('method-not-allowed', `${request.method} is not allowed here; allowed: ${allow}.`);
      },
      handler: () => {},
    });
  }
}
