import type { FastifyInstance } from 'fastify';
import { Problem } from '../base/problems.ts';

/** Answers every method on a path but those that are `handled` with 405; `allow` says which make sense there. */
export function refuseOtherMethods(
  server: FastifyInstance,
  url: string,
  handled: readonly string[],
  allow: string = handled.join(', '),
): void {
  server.route({
    url,
    method: server.supportedMethods.filter((method) => !handled.includes(method)),
    onRequest: async (request, reply) => {
      reply.header('allow', allow);
      throw new Problem('method-not-allowed', `${request.method} is not allowed here; allowed: ${allow}.`);
    },
    handler: () => {},
  });
}
