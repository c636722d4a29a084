import type { FastifyInstance } from 'fastify';
import { Problem } from '../base/problems.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `Allow` does not offer this method, such as GET on a form's address: it serves people who reload it by hand. */
    isUnlisted?: boolean;
  }
}

/**
 * For each path registered after this call, answers all methods it does not have with 405 and `Allow` (RFC 9110, section
 * 15.5.6), before the credential or the body is read. All routes of a path must be in one scope, whose hooks then apply.
 */
export function refuseOtherMethods(app: FastifyInstance): void {
  const paths = new Map<string, Map<string, { readonly isListed: boolean }>>();
  app.addHook('onRoute', function ({ url, routePath, prefix, method, config }) {
    if (url.endsWith('*')) return;
    const known = paths.get(url);
    const methods = known ?? new Map();
    for (const name of [method].flat()) methods.set(name, { isListed: !config?.isUnlisted });
    if (known) return;
    paths.set(url, methods);
    // Runs once the scope has registered its routes. Where CORS is registered for the prefix, it answers OPTIONS.
    this.after(() => {
      const hasCors = this.hasRoute({ method: 'OPTIONS', url: `${prefix}*` });
      const listed = [...methods.keys()].filter((name) => methods.get(name)?.isListed && name !== 'OPTIONS').sort();
      const allow = [...listed, ...(methods.has('OPTIONS') ? ['OPTIONS'] : [])].join(', ');
      this.route({
        url: routePath,
        method: this.supportedMethods.filter((name) => !methods.has(name) && !(hasCors && name === 'OPTIONS')),
        onRequest: async (request, reply) => {
          reply.header('allow', allow);
          throw new Problem('method-not-allowed', `${request.method} is not allowed here; allowed: ${allow}.`);
        },
        handler: () => {},
      });
    });
  });
}
