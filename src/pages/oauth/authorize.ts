import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countAttempt, limitsOfClient } from '../../features/attempts/throttle.ts';
import { clientAddress } from '../../http/rate-limits.ts';
import { type App, lookUpNamedLivingApp } from '../../identity/apps.ts';
import { NO_REDIRECT, OAUTH_PATHS, PAGE_MODE } from '../../oauth/clients.ts';
import type { Service } from '../../service/service.ts';
import { gameSuspended, type PageMessage } from '../../web/message-page.ts';
import { offerOwnWindow } from '../../web/own-window.ts';
import { frameIdOf, isFramed, isInline, parameter } from '../../web/request-parameters.ts';
import { sendFailure } from '../../web/result-delivery.ts';
import { sendMessage } from '../../web/send-page.ts';
import { readVisitor } from '../../web/visitor.ts';
import type { Words } from '../../words/words.ts';

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export function unknownGame({ authorization: texts }: Words): PageMessage {
  return { status: 400, ...texts.unknownGame };
}

const MAX_VALUE = 2000;

function tooLong({ authorization: texts }: Words): PageMessage {
  return { status: 400, title: texts.tooLong.title, text: texts.tooLong.text(MAX_VALUE) };
}

/** A redirect as existing clients expect it. No client names our modes: {@link withResponseMode} adds them. */
export const EXISTING_REDIRECT_MODE = 'quarters_redirect';

/**
 * GET /oauth/authorize. A framed request never reaches the provider: it would have no cookie, and the game around us could trick
 * the player into consent. At top level the request is completed with what existing clients leave out.
 */
export function authorizeRoute(server: FastifyInstance, service: Service, provider: Handler): void {
  const path = OAUTH_PATHS.authorization;
  server.get(path, async (request, reply) => {
    const { words } = request;
    const app = await lookUpNamedLivingApp(service.db, parameter(request.query, 'client_id') ?? '');
    const query = queryOf(request);
    if (app && isTooLong(query)) {
      return sendFailure(request, reply, tooLong(words), { app, frameId: frameIdOf(request.query) });
    }
    if (app?.suspendedAt) return sendSuspended(request, reply, app);
    if (isFramed(request.headers)) {
      return app ? offerWindow(request, reply, app) : sendMessage(request, reply, unknownGame(words), []);
    }
    if (app) {
      await countAuthorization(service, 'authorization', request);
      request.raw.url = `${path}?${withResponseMode(query, app)}`;
    }
    return provider(request, reply);
  });
}

/** Says that the game is suspended, and tells the game. */
export function sendSuspended(request: FastifyRequest, reply: FastifyReply, app: App): Promise<FastifyReply> {
  const frameId = frameIdOf(request.query);
  return sendFailure(request, reply, gameSuspended(request.words), { app, frameId, reason: 'app-suspended' });
}

/** Keeps repeated parameters, unlike the parsed query, so that the provider can refuse them. */
function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URL(url, 'http://any').searchParams;
}

/** Request parameters are stored until the request is answered, so their length is limited. */
function isTooLong(query: URLSearchParams): boolean {
  return [...query.values()].some(({ length }) => length > MAX_VALUE);
}

function offerWindow(request: FastifyRequest, reply: FastifyReply, app: App) {
  const texts = request.words.authorization;
  const query = queryOf(request);
  for (const name of ['inline', 'frame_id', 'opened_by']) query.delete(name);
  return offerOwnWindow(reply, {
    inline: isInline(request.query),
    title: texts.signIn,
    asks: texts.asks,
    button: texts.open(reply.server.shell.brandName),
    windowPath: `${OAUTH_PATHS.authorization}?${query}&opened_by=frame`,
    tabPath: `${OAUTH_PATHS.authorization}?${query}`,
    app,
    frameId: frameIdOf(request.query),
  });
}

/**
 * Counts a request for which the provider stores something for an hour. Signed-out visitors are counted by their network address,
 * which hundreds share in a mobile network or a school: so the limit is three times that of sign-ins from one place. Signed-in users
 * are counted one by one.
 */
export async function countAuthorization(service: Service, what: string, request: FastifyRequest): Promise<void> {
  const visitor = await readVisitor(service, request);
  const limits = visitor
    ? [{ key: `user ${visitor.user.id}`, most: 300, minutes: 15 }]
    : limitsOfClient(clientAddress(request), 300, 15);
  await countAttempt(service, what, limits);
}

/**
 * The query of an authorization request, with the response mode that existing clients leave out. They send `frame_id` from a
 * frame, `redirect_uri` to get a redirect, and neither from a popup. They never send `state`, PKCE or a nonce, which tells them
 * from all other clients; requests of other clients are not changed.
 */
export function withResponseMode(query: URLSearchParams, { redirectUris }: Pick<App, 'redirectUris'>): URLSearchParams {
  // Without a value a parameter counts as absent (RFC 6749, section 3.1).
  const completed = new URLSearchParams([...query].filter(([, value]) => value !== ''));
  const named = completed.has('redirect_uri');
  const forOurFrame = completed.get('opened_by') === 'frame';
  // Our own window ends on our own page, whatever the game's frame asked for.
  if (completed.has('response_mode') && !forOurFrame) return completed;
  const waits = forOurFrame || (!named && completed.has('frame_id'));
  if (!waits && !isExistingClient(Object.fromEntries(completed))) return completed;
  completed.set('response_mode', waits || !named ? PAGE_MODE : EXISTING_REDIRECT_MODE);
  // A popup without a listener redirects to the only registered address. A frame redirects nowhere.
  if (!named) completed.set('redirect_uri', (!waits && redirectUris.length === 1 && redirectUris[0]) || NO_REDIRECT);
  return completed;
}

/** Existing clients send none of these. */
export function isExistingClient({ state, code_challenge, nonce }: Readonly<Record<string, unknown>>): boolean {
  return state === undefined && code_challenge === undefined && nonce === undefined;
}
