import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../base/problems.ts';
import type { Service } from '../service/service.ts';
import { refusalText } from '../words/words.ts';
import { isOwnForm } from './form-guard.ts';
import { messageForError } from './message-page.ts';
import { failureOf } from './page-scope.ts';

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** A scope for what the scripts of our pages send: JSON from our own pages only, with refusals as `{message}`. */
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
        service.security.note('foreign-form');
        await reply.code(403).send({ message: request.words.messages.foreignCall });
      }
    });
    server.setErrorHandler(async (thrown: unknown, request, reply) => {
      const { error, status } = failureOf(service, thrown, request, reply);
      const { title, text } = messageForError(request.words, error, status);
      // How long to wait helps even in the little room that a script has.
      // Also of what was refused before the hook above.
      return reply
        .code(status)
        .headers(HEADERS)
        .send({ message: status === 429 ? request.words.messages.tooManyInLine(text) : title });
    });
    register(server);
  });
}

/** The answer of the passkey. */
export function answerOf({ body }: FastifyRequest): object {
  const { answer } = (body ?? {}) as { answer?: unknown };
  return typeof answer === 'object' && answer !== null ? answer : {};
}

/** Refuses what somebody has typed. The page's script says it beside `field`, if the form has such an input. */
export function refuseEntry(reply: FastifyReply, refusal: Problem): FastifyReply {
  const field = refusal.faults[0]?.pointer.slice(1);
  return reply.code(422).send({ message: refusalText(reply.request.words, refusal), field });
}
