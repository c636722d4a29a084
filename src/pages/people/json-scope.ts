import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../base/problems.ts';
import type { Service } from '../../usecases/service.ts';
import { isOwnForm } from '../../web/arrival.ts';
import { messageForStatus } from '../../web/message-page.ts';

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** A room within the pages for what their scripts send: JSON from our own pages only, and refusals as `{message}`. */
export async function jsonScope(
  pages: FastifyInstance,
  service: Service,
  register: (server: FastifyInstance) => void,
): Promise<void> {
  await pages.register(async (server) => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser(
      'application/json',
      { parseAs: 'string' },
      server.getDefaultJsonParser('error', 'error'),
    );
    server.addHook('onRequest', async (request, reply) => {
      reply.headers(HEADERS);
      if (request.method === 'POST' && !isOwnForm(request.headers, service.publicUrl)) {
        await reply.code(403).send({ message: 'That did not come from our page. Nothing was changed.' });
      }
    });
    server.setErrorHandler(async (error: unknown, request, reply) => {
      const status = error instanceof Problem ? error.status : ((error as { statusCode?: number }).statusCode ?? 500);
      if (status >= 500) service.log.error({ err: error, requestId: request.id }, 'an answer to a page failed');
      return reply.code(status).send({ message: messageForStatus(status).title });
    });
    register(server);
  });
}

/** What the passkey has answered. */
export function answerOf({ body }: FastifyRequest): object {
  const { answer } = (body ?? {}) as { answer?: unknown };
  return typeof answer === 'object' && answer !== null ? answer : {};
}
