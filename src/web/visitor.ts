import { timingSafeEqual } from 'node:crypto';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  RouteHandlerMethod,
} from 'fastify';
import { identifyCaller } from '../base/log.ts';
import { managesApps } from '../identity/app-members.ts';
import { lookUpUser, type User } from '../identity/users.ts';
import { findEndedSession, findSession, listSessionsOf, type Session } from '../oauth/sessions.ts';
import type { Service } from '../service/service.ts';
import type { Words } from '../words/words.ts';
import { endDraft, keepForm } from './form-drafts.ts';
import { checksForm, isForeignForm } from './form-guard.ts';
import { rememberVisitor } from './known-visitor.ts';
import { foreignForm } from './message-page.ts';
import { rememberReader } from './readers-words.ts';
import { MOST_ADDRESS, parameter } from './request-parameters.ts';
import { sendMessage } from './send-page.ts';
import { sessionCookie } from './session-cookie.ts';

/** A user who is signed in on our pages. */
export type Visitor = {
  readonly user: User;
  readonly session: Session;
  /** The form token, in the hidden field `csrf` of every form. */
  readonly csrf: string;
};

/** What form tokens are MACs for. */
const FORM = 'form';

/** How long after signing in a user may change what protects the account. */
const FRESH_MS = 15 * 60_000;

/** The signed-in user, by the session cookie. Null: nobody. */
export async function readVisitor(service: Service, request: FastifyRequest): Promise<Visitor | null> {
  const cookie = sessionCookie(service, request);
  const session = cookie ? await findSession(service.db, cookie, service.settings.sessionIdleMinutes) : null;
  const user = session && (await lookUpUser(service.db, session.userId));
  if (!session || user?.kind !== 'full') return null;
  identifyCaller({ userId: user.id });
  const csrf = csrfToken(service, session);
  rememberVisitor(request, { csrf, managesApps: () => managesApps(service.db, user.id) });
  rememberReader(request, { language: user.locale });
  return { user, session, csrf };
}

/** Whether the session has not ended since. Does not count as a use of it. */
export async function isStillSignedIn({ db, settings }: Service, { userId, uid }: Session): Promise<boolean> {
  const living = await listSessionsOf(db, userId, settings.sessionIdleMinutes);
  return living.some((session) => session.uid === uid);
}

/**
 * Whose session the cookie names, although it was idle for too long or has expired: somebody who may keep what they typed until they
 * have signed in again. A session that was ended names nobody.
 */
async function formerVisitor(service: Service, request: FastifyRequest): Promise<Sender | null> {
  const cookie = sessionCookie(service, request);
  const session = cookie ? await findEndedSession(service.db, cookie) : null;
  return session && { userId: session.userId, uid: session.uid };
}

/** Who sends a form. Its form token shows it. */
type Sender = Pick<Session, 'userId' | 'uid'>;

/** The form token is bound to the session: it ends with it, and fits no other one (synchroniser token). */
function csrfToken({ vault }: Service, { uid }: Pick<Session, 'uid'>): string {
  return vault.mac(FORM, uid).toString('base64url');
}

/** Whether the sign-in is recent. */
export function isFresh({ signedInAt }: Session): boolean {
  return Date.now() - signedInAt.getTime() < FRESH_MS;
}

type Handler = (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => Promise<unknown>;

/** What a route asks of its visitors, beside being signed in. */
export type RouteAccess = {
  /** A user who signed in long ago must sign in again. */
  readonly fresh?: boolean;
  /** What the form does, to complete the sentence "You were about to …". Consoles say it in English. */
  readonly action?: string | ((words: Words) => string);
};

type RouteOptions = RouteAccess & {
  /** Where loading the path of a form by hand leads. The address bar shows it while a refused form or a new secret is shown. */
  readonly back?: (request: FastifyRequest) => string;
  /** A path that is no page of its own. */
  readonly isUnlisted?: boolean;
};

type AddRoute<Guarded> = (path: string, ...route: [Guarded] | [RouteOptions, Guarded]) => void;

/** Adds routes as Fastify does, to handlers that all have one guard. */
export type GuardedRoutes<Guarded> = { readonly get: AddRoute<Guarded>; readonly post: AddRoute<Guarded> };

export function guardedRoutes<Guarded>(
  pages: FastifyInstance,
  guard: (handler: Guarded, access: RouteAccess) => RouteHandlerMethod,
): GuardedRoutes<Guarded> {
  const adding =
    (method: 'get' | 'post'): AddRoute<Guarded> =>
    (path, ...route) => {
      const [options, handler]: [RouteOptions, Guarded] = route.length === 2 ? route : [{}, ...route];
      const { back, isUnlisted = false, ...access } = options;
      pages[method](path, { config: { isUnlisted } }, guard(handler, access));
      if (back) {
        pages.get(path, { config: { isUnlisted: true } }, (request, reply) => reply.redirect(back(request), 303));
      }
    };
  return { get: adding('get'), post: adding('post') };
}

export type SignedInRoutes = GuardedRoutes<Handler>;

/** Routes for signed-in users: see {@link signedIn}. */
export function signedInRoutes(pages: FastifyInstance, service: Service): SignedInRoutes {
  return guardedRoutes<Handler>(pages, (handler, access) => signedIn(service, handler, access));
}

/**
 * A route for signed-in users. Everybody else is sent to sign in and back. A form is taken from our own pages only, with the
 * session's form token. What it holds is kept meanwhile ({@link keepForm}), or else the visitor returns to the page that held it.
 */
export function signedIn(service: Service, handler: Handler, { fresh = false, action }: RouteAccess = {}) {
  return checksForm(async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const visitor = await readVisitor(service, request);
    const isForm = request.method === 'POST';
    if (!visitor || (fresh && !isFresh(visitor.session))) {
      const back = isForm ? await afterSignIn(service, request, reply, visitor, action) : request.url;
      return reply.redirect(signInAddress(back, visitor !== null), 303);
    }
    if (isForm) {
      if (!isOurForm(service, request, visitor.session)) {
        service.security.note('foreign-form');
        return sendMessage(request, reply, foreignForm(request.words), []);
      }
      await endDraft(service, visitor.user.id, request.body);
    }
    return handler(request, reply, visitor);
  });
}

/** Where the sender of a form goes after signing in: to what they sent, if it is kept, or to the page that held the form. */
async function afterSignIn(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: Visitor | null,
  action: RouteAccess['action'],
): Promise<string> {
  const sender = visitor ? visitor.session : await formerVisitor(service, request);
  const kept =
    sender && isOurForm(service, request, sender)
      ? await keepForm(service, request, reply, {
          userId: sender.userId,
          action: (typeof action === 'function' ? action(request.words) : action) ?? null,
        })
      : null;
  return kept ?? parameter(request.body, 'page') ?? '/account';
}

/**
 * For a form whose body is costly to read: the checks of {@link signedIn} that need no body. `page`: where the visitor returns to
 * after signing in. `signedIn` checks the form token.
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
      return sendMessage(request, reply, foreignForm(request.words), []);
    }
  };
}

function isOurForm(service: Service, request: FastifyRequest, { uid }: Pick<Sender, 'uid'>): boolean {
  if (isForeignForm(request.headers, service.publicUrl)) return false;
  const given = Buffer.from(parameter(request.body, 'csrf') ?? '');
  // A page may be older than the newest data key.
  const expected = service.vault.everyMac(FORM, uid).map((mac) => Buffer.from(mac.toString('base64url')));
  return expected.some((token) => given.length === token.length && timingSafeEqual(given, token));
}

/** `again`: the visitor is signed in, and must confirm it. */
export function signInAddress(returnTo: string, again: boolean): string {
  return `/sign-in?${new URLSearchParams({ ...(again && { again: 'true' }), return_to: returnTo })}`;
}

/** Where somebody signs in with any account, also if they are signed in. */
export function anyAccountAddress(returnTo: string): string {
  return `/sign-in?${new URLSearchParams({ any: 'true', return_to: returnTo })}`;
}

/**
 * The path to return to after signing in. It is always our own (no open redirect). It is parsed as browsers do, which read
 * `//host`, `/\host` and control characters as another host.
 */
export function safeReturn(returnTo: string | undefined, publicUrl: string): string {
  if (!returnTo?.startsWith('/') || returnTo.length > MOST_ADDRESS || !URL.canParse(returnTo, publicUrl))
    return '/account';
  const { origin, pathname, search } = new URL(returnTo, publicUrl);
  return origin === publicUrl && !pathname.startsWith('//') ? pathname + search : '/account';
}
