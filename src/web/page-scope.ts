import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../base/problems.ts';
import type { Service } from '../settlement/service.ts';
import { type Failure, sendFailure } from './delivery.ts';
import { type Message, messageForError } from './message-page.ts';
import { failureOf } from './page-failure.ts';
import { countAddress } from './rate-limits.ts';
import { sendMessage } from './send.ts';

/** Far above our largest form. */
const MAX_FORM_BYTES = 16 * 1024;

type Options = {
  /** Messages that replace the general ones, by a problem's code or by status. */
  readonly messages?: Readonly<Record<string, Message>>;
  /** The game that is told of this error and may frame the page. Without it: none. */
  readonly hears?: (error: unknown, request: FastifyRequest) => Promise<Failure | null>;
};

/**
 * A scope for hosted pages beside the API on the same server. Forms and cookies are parsed, and errors become pages, so that people
 * never see JSON and the API takes no forms.
 */
export async function pageScope(
  server: FastifyInstance,
  service: Service,
  register: (pages: FastifyInstance) => void | Promise<void>,
  { messages = {}, hears }: Options = {},
): Promise<void> {
  await server.register(async (pages) => {
    pages.removeAllContentTypeParsers();
    await pages.register(formbody, { bodyLimit: MAX_FORM_BYTES });
    await pages.register(cookie);
    pages.addHook('onRequest', async (request, reply) => {
      // For redirects too. A page may override them.
      reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
      countAddress(service, request, reply);
    });
    pages.setErrorHandler(async (thrown: unknown, request, reply) => {
      const { error, status } = failureOf(service, thrown, request, reply);
      const code = error instanceof Problem ? error.code : 'internal';
      const message = messages[code] ?? messages[status] ?? messageForError(error, status);
      // If the game cannot be looked up, only the player is told.
      const game = await hears?.(error, request).catch(() => null);
      return game ? sendFailure(request, reply, message, game) : sendMessage(request, reply, message, []);
    });
    await register(pages);
  });
}
