import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { identifyCaller } from '../base/request-context.ts';
import { findUser, type User } from '../identity/users.ts';
import { findSession, type Session } from '../oauth/sessions.ts';
import type { Service } from '../usecases/service.ts';
import { isForeignForm, parameter } from './arrival.ts';
import { browserName } from './browser-name.ts';
import { FOREIGN_FORM } from './message-page.ts';
import { sendMessage } from './send.ts';
import { sessionCookieName, sessionCookieOptions } from './session-cookie.ts';

/** Somebody who is signed in on our pages. */
export type Visitor = {
  readonly user: User;
  readonly session: Session;
  /** The hidden field `csrf` of every form they are shown. */
  readonly csrf: string;
};

/** How long after signing in somebody may change what protects the account. */
const FRESH_MS = 15 * 60_000;

/** What our cookie holds, whoever put it there. */
export function sessionCookie({ publicUrl }: Service, request: FastifyRequest): string | undefined {
  return request.cookies[sessionCookieName(publicUrl)];
}

/** What signing in is told of the browser: the value its session cookie held before, and its name in words. */
export function arrivingBrowser(
  service: Service,
  request: FastifyRequest,
): { readonly former: string | undefined; readonly browser: string | null } {
  return { former: sessionCookie(service, request), browser: browserName(request.headers['user-agent']) };
}

/** Who is signed in, by our cookie; null: nobody. */
export async function readVisitor(service: Service, request: FastifyRequest): Promise<Visitor | null> {
  const cookie = sessionCookie(service, request);
  const session = cookie ? await findSession(service.db, cookie, service.settings.sessionIdleMinutes) : null;
  const user = session && (await findUser(service.db, session.userId));
  if (!session || user?.kind !== 'full') return null;
  identifyCaller({ userId: user.id });
  return { user, session, csrf: csrfToken(service, session) };
}

/** Bound to the session: it ends with it, and nobody else's fits (synchroniser token). */
function csrfToken({ vault }: Service, { uid }: Session): string {
  return vault.mac('form', uid).toString('base64url');
}

/** Whether somebody has proved a moment ago who they are. */
function isFresh({ signedInAt }: Session): boolean {
  return Date.now() - signedInAt.getTime() < FRESH_MS;
}

type Handler = (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => Promise<unknown>;

/**
 * A route for who is signed in; everybody else is sent to sign in, and back. A form is taken from our own pages only, with the
 * session's own token. `fresh`: who signed in long ago signs in again first.
 */
export function signedIn(service: Service, handler: Handler, { fresh = false } = {}) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const visitor = await readVisitor(service, request);
    const isForm = request.method === 'POST';
    if (!visitor || (fresh && !isFresh(visitor.session))) {
      // What a form held is gone then; its page, at the same address or above it, is where one goes on.
      const back = isForm ? (parameter(request.body, 'page') ?? '/account') : request.url;
      return reply.redirect(signInAddress(back, visitor !== null), 303);
    }
    if (isForm && !isOurForm(service, request, visitor)) {
      service.security.note('foreign-form');
      return sendMessage(request, reply, FOREIGN_FORM, []);
    }
    return handler(request, reply, visitor);
  };
}

/**
 * For a form that is costly to read: what of {@link signedIn} can be decided before its body is looked at. `page`: where somebody goes on
 * after signing in. The form's own token is left to `signedIn`.
 */
export function signedInBeforeBody(
  service: Service,
  page: (request: FastifyRequest) => string,
  { fresh = false } = {},
): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const visitor = await readVisitor(service, request);
    if (!visitor || (fresh && !isFresh(visitor.session))) {
      return reply.redirect(signInAddress(page(request), visitor !== null), 303);
    }
    if (isForeignForm(request.headers, service.publicUrl)) {
      service.security.note('foreign-form');
      return sendMessage(request, reply, FOREIGN_FORM, []);
    }
  };
}

function isOurForm(service: Service, request: FastifyRequest, visitor: Visitor): boolean {
  if (isForeignForm(request.headers, service.publicUrl)) return false;
  const given = Buffer.from(parameter(request.body, 'csrf') ?? '');
  const expected = Buffer.from(visitor.csrf);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** `again`: somebody is signed in, and has to prove it once more. */
export function signInAddress(returnTo: string, again: boolean): string {
  return `/sign-in?${new URLSearchParams({ ...(again && { again: 'true' }), return_to: returnTo })}`;
}

/**
 * Where to go on after signing in: a path of ours, whatever was asked for (no open redirect). Read the way browsers do, which
 * take `//host`, `/\host` and control characters for another host.
 */
export function safeReturn(returnTo: string | undefined, publicUrl: string): string {
  if (!returnTo?.startsWith('/') || !URL.canParse(returnTo, publicUrl)) return '/account';
  const { origin, pathname, search } = new URL(returnTo, publicUrl);
  return origin === publicUrl && !pathname.startsWith('//') ? pathname + search : '/account';
}

/** Gives the browser a new session; the value before it, if any, opens nothing any more (session fixation). */
export function setSessionCookie(service: Service, reply: FastifyReply, value: string): void {
  reply.setCookie(sessionCookieName(service.publicUrl), value, sessionCookieOptions(service.publicUrl));
}

export function clearSessionCookie(service: Service, reply: FastifyReply): void {
  const { maxAge: _, ...options } = sessionCookieOptions(service.publicUrl);
  reply.clearCookie(sessionCookieName(service.publicUrl), options);
}
