import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem, type ProblemCode } from '../base/problems.ts';
import { isUnavailable } from '../db/database.ts';
import type { Service } from '../usecases/service.ts';
import { type Failure, sendFailure } from './delivery.ts';
import { type Message, messageForError } from './message-page.ts';
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
    pages.addHook('onRequest', async (request, reply) => countAddress(service, request, reply));
    pages.setErrorHandler(async (error: unknown, request, reply) => {
      const status = statusOf(error);
      if (status === 500) {
        const { method, routeOptions } = request;
        service.log.error({ err: error, requestId: request.id, method, route: routeOptions.url }, 'a page failed');
      }
      const message = messages[codeOf(error)] ?? messages[status] ?? messageForError(error, status);
      const game = await hears?.(error, request);
      return game ? sendFailure(request, reply, message, game) : sendMessage(request, reply, message, []);
    });
    await register(pages);
  });
}

function codeOf(error: unknown): ProblemCode {
  if (error instanceof Problem) return error.code;
  return isUnavailable(error) ? 'database-unavailable' : 'internal';
}

/** Of a problem, of the framework's own refusals (a form too large, not a form), or 500. */
function statusOf(error: unknown): number {
  if (error instanceof Problem) return error.status;
  if (isUnavailable(error)) return 503;
  return (error as { statusCode?: number }).statusCode ?? 500;
}
