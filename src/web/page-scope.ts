import { parse } from 'node:querystring';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem, type ProblemCode } from '../base/problems.ts';
import { hasTooManyParameters, tooManyParameters } from '../http/parameters.ts';
import type { Service } from '../service/service.ts';
import { databaseProblem } from '../service/unknown-outcome.ts';
import type { Words } from '../words/words.ts';
import { guardForms } from './form-guard.ts';
import { messageForError, type PageMessage } from './message-page.ts';
import { type Failure, sendFailure } from './result-delivery.ts';
import { sendMessage } from './send-page.ts';

/** The result of `act`, or its refusal of invalid input, with which the form is shown again. Other errors are thrown. */
export function catchInvalidInput<T>(act: () => Promise<T>): Promise<T | Problem> {
  return catchRefusal(act, 'invalid-input');
}

/** The result of `act`, or its refusal if it has one of these codes. Other errors are thrown. */
export async function catchRefusal<T>(act: () => Promise<T>, ...codes: readonly ProblemCode[]): Promise<T | Problem> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem) || !codes.includes(error.code)) throw error;
    return error;
  }
}

/**
 * A page's error, as a Problem if it is one, and the status of the response: the problem's, the framework's (a form too large, not
 * a form), or 500. Logs our own faults and sets `Retry-After`.
 */
export function failureOf(
  { log }: Pick<Service, 'log'>,
  thrown: unknown,
  { id, method, routeOptions }: FastifyRequest,
  reply: FastifyReply,
): { error: unknown; status: number } {
  const error = databaseProblem(thrown) ?? thrown;
  const status = error instanceof Problem ? error.status : ((error as { statusCode?: number }).statusCode ?? 500);
  if (status === 500) log.error({ err: error, requestId: id, method, route: routeOptions.url }, 'a page failed');
  const seconds = error instanceof Problem ? error.retryAfter : undefined;
  if (seconds !== undefined) reply.header('retry-after', seconds);
  return { error, status };
}

/** Far above our largest form. */
const MAX_FORM_BYTES = 16 * 1024;

/** As the query of an address is read, with `+` for a space (WHATWG URL, application/x-www-form-urlencoded). */
function parseForm(text: string): Record<string, unknown> {
  if (hasTooManyParameters(text)) throw tooManyParameters('form');
  return parse(text);
}

type Options = {
  /** Messages that replace the general ones, by a problem's code or by status. */
  readonly messages?: (words: Words) => Readonly<Record<string, PageMessage>>;
  /** The game that gets this error and may frame the page. Without it, no game does. */
  readonly hears?: (error: unknown, request: FastifyRequest) => Promise<Failure | null>;
};

/**
 * A scope for hosted pages beside the API on the same server. Forms and cookies are parsed, forms are taken from our own pages
 * only, and errors become pages, so that people never see JSON and the API takes no forms.
 */
export async function pageScope(
  server: FastifyInstance,
  service: Service,
  register: (pages: FastifyInstance) => void | Promise<void>,
  { messages = () => ({}), hears }: Options = {},
): Promise<void> {
  await server.register(async (pages) => {
    pages.removeAllContentTypeParsers();
    await pages.register(formbody, { bodyLimit: MAX_FORM_BYTES, parser: parseForm });
    await pages.register(cookie);
    pages.addHook('onRequest', async (_request, reply) => {
      // For redirects too. A page may override them.
      reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    });
    guardForms(pages, service);
    pages.setErrorHandler(async (thrown: unknown, request, reply) => {
      const { error, status } = failureOf(service, thrown, request, reply);
      const code = error instanceof Problem ? error.code : 'internal';
      const own = messages(request.words);
      const message = own[code] ?? own[status] ?? messageForError(request.words, error, status);
      // If the game cannot be looked up, only the player learns of the error.
      const game = await hears?.(error, request).catch(() => null);
      return game ? sendFailure(request, reply, message, game) : sendMessage(request, reply, message, []);
    });
    await register(pages);
  });
}
