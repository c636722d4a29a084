import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';

/** A hook that waits for nothing. A promise for each of them costs more than what they do. */
export function atOnce(step: (request: FastifyRequest, reply: FastifyReply) => unknown): onRequestHookHandler {
  return (request, reply, done) => {
    try {
      step(request, reply);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  };
}
