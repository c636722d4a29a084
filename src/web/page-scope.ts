import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../base/problems.ts';
import type { Service } from '../usecases/service.ts';
import { type Failure, sendFailure } from './delivery.ts';
import { type Message, messageForError } from './message-page.ts';
import { failureOf } from './page-failure.ts';
import { countAddress } from './rate-limits.ts';
import { sendMessage } from './send.ts';

/** No form of ours comes near it. */
const MAX_FORM_BYTES = 16 * 1024;

type Options = {
  /** What a page says for a problem's code, or for a status, where it is not what all pages say. */
  readonly messages?: Readonly<Record<string, Message>>;
  /** The game that hears of this error, and may frame the page that tells of it; none, unless said. */
  readonly hears?: (error: unknown, request: FastifyRequest) => Promise<Failure | null>;
};

/**
 * A room for hosted pages beside the API on the same server: forms are parsed, cookies read, and errors become pages, so that
 * people never see JSON, and the API takes no forms.
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
      // Of redirects, too. A page says more, and may say otherwise.
      reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
      countAddress(service, request, reply);
    });
    pages.setErrorHandler(async (thrown: unknown, request, reply) => {
      const { error, status } = failureOf(service, thrown, request, reply);
      const code = error instanceof Problem ? error.code : 'internal';
      const message = messages[code] ?? messages[status] ?? messageForError(error, status);
      // Where the game can not be looked up, the player is told alone.
      const game = await hears?.(error, request).catch(() => null);
      return game ? sendFailure(request, reply, message, game) : sendMessage(request, reply, message, []);
    });
    await register(pages);
  });
}
