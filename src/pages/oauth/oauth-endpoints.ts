import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { appIdFrom, userIdFrom } from '../../base/ids.ts';
import { lazily } from '../../base/lazily.ts';
import { currentContext, identifyCaller } from '../../base/log.ts';
import { Problem, type ProblemCode } from '../../base/problems.ts';
import { loadIdTokenKey } from '../../custody/signing-keys.ts';
import { useClientSecret } from '../../identity/app-keys.ts';
import { lookUpNamedLivingApp } from '../../identity/apps.ts';
import { SCOPES } from '../../identity/callers.ts';
import { findConsent } from '../../identity/consents.ts';
import { lookUpNamedUser } from '../../identity/users.ts';
import { API_TOKEN, OAUTH_PATHS } from '../../oauth/clients.ts';
import type { OAuthHandler } from '../../oauth/provider.ts';
import type { Service } from '../../service/service.ts';
import { pageScope } from '../../web/page-scope.ts';
import { pageHeaders } from '../../web/send-page.ts';
import { sessionCookieName } from '../../web/session-cookie.ts';
import type { Shell } from '../../web/shell.ts';
import { renderOAuthError, responseModes } from './authorization-result.ts';
import { authorizeRoute, countAuthorization, type Handler } from './authorize.ts';
import { INTERACTION_COOKIE, interactionPath } from './interaction-address.ts';
import { logoutPages } from './logout.ts';
import { readingBodies } from './provider-body.ts';

type Endpoint = {
  readonly path: string;
  readonly methods: HTTPMethods[];
  /** Visited by a person's browser, not by a program. */
  readonly page?: boolean;
};

const { authorization, token, jwks, revocation, introspection, userinfo, end_session } = OAUTH_PATHS;

const ENDPOINTS: readonly Endpoint[] = [
  { path: `${authorization}/:uid`, methods: ['GET', 'HEAD'], page: true },
  { path: `${end_session}/confirm`, methods: ['POST'], page: true },
  { path: `${end_session}/success`, methods: ['GET', 'HEAD'], page: true },
  { path: token, methods: ['POST', 'OPTIONS'] },
  { path: revocation, methods: ['POST', 'OPTIONS'] },
  { path: introspection, methods: ['POST', 'OPTIONS'] },
  { path: userinfo, methods: ['GET', 'HEAD', 'POST', 'OPTIONS'] },
  { path: jwks, methods: ['GET', 'HEAD', 'OPTIONS'] },
  { path: '/.well-known/openid-configuration', methods: ['GET', 'HEAD', 'OPTIONS'] },
  { path: '/.well-known/oauth-authorization-server', methods: ['GET', 'HEAD', 'OPTIONS'] },
];

const PROGRAM_HEADERS = {
  'content-security-policy': `default-src 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** The endpoints for OAuth and OpenID Connect clients. The provider reads and answers these requests itself. */
export async function oauthEndpoints(server: FastifyInstance, service: Service): Promise<void> {
  const provider = readingBodies(await openOAuth(service, server.shell));
  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The body stays unread for the provider.
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    scope.setErrorHandler(refuseInOAuthsForm);
    for (const { path, methods, page = false } of ENDPOINTS) {
      scope.route({ url: path, method: methods, handler: answering(provider, page) });
    }
    scope.route({ url: API_TOKEN, method: ['POST', 'OPTIONS'], handler: answering(provider, false, token) });
  });
  const answerPage = answering(provider, true);
  await pageScope(server, service, (pages) => {
    authorizeRoute(pages, service, answerPage);
    endSessionRoute(pages, service, answerPage);
  });
}

/** RFC 6749, section 5.2. It has no error code for a rate limit. The nearest is the one for an overloaded server. */
function refuseInOAuthsForm(error: unknown, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const codes: Partial<Record<ProblemCode, string>> = {
    'rate-limited': 'temporarily_unavailable',
    overloaded: 'temporarily_unavailable',
    'invalid-input': 'invalid_request',
  };
  const code = error instanceof Problem && codes[error.code];
  if (!code) throw error;
  return reply
    .code(error.status)
    .headers({
      ...PROGRAM_HEADERS,
      'access-control-allow-origin': '*',
      ...(error.retryAfter !== undefined && { 'retry-after': error.retryAfter }),
    })
    .send({ error: code, error_description: error.message });
}

/** GET /oauth/logout. The provider stores each request for an hour, even if nobody is signed in, so requests are counted. */
function endSessionRoute(pages: FastifyInstance, service: Service, provider: Handler): void {
  pages.get(end_session, async (request, reply) => {
    await countAuthorization(service, 'sign-out', request);
    return provider(request, reply);
  });
}

/** `path`: the provider's path of the endpoint, if it was reached by another one. */
function answering(provider: OAuthHandler, page: boolean, path?: string) {
  // A game opens these pages in its own window and waits for a message from it.
  const headers = page ? pageHeaders({ opener: true }) : PROGRAM_HEADERS;
  return async ({ raw: request }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.hijack();
    reply.raw.setHeaders(new Map(Object.entries(headers)));
    if (path) request.url = path;
    await provider(request, reply.raw);
  };
}

/** The provider, loaded on first use: its two hundred files would take a tenth of each start. */
async function openOAuth(service: Service, shell: Shell): Promise<OAuthHandler> {
  const signingKey = await loadIdTokenKey(service.db, service.vault);
  const handler = lazily(() => assemble(service, shell, signingKey));
  return async (request, response) => (await handler())(request, response);
}

/** Assembles the provider with what it needs from other modules. */
async function assemble(
  service: Service,
  shell: Shell,
  signingKey: Awaited<ReturnType<typeof loadIdTokenKey>>,
): Promise<OAuthHandler> {
  const { db, vault, publicUrl, settings, log, security } = service;
  const { openProvider } = await import('../../oauth/provider.ts');
  return openProvider({
    db,
    issuer: publicUrl,
    sessionCookie: sessionCookieName(publicUrl),
    sessionIdleMinutes: settings.sessionIdleMinutes,
    interactionCookie: INTERACTION_COOKIE,
    signingKey,
    scopes: SCOPES,
    // They replace the library's pages, which have inline styles and outside fonts.
    views: {
      renderError: (ctx, out, error) => renderOAuthError({ service, shell }, ctx, out, error),
      responseModes: responseModes({ service, shell }),
      ...logoutPages({ service, shell }),
    },
    findClient: (id) => lookUpNamedLivingApp(db, id),
    async isClientSecret(clientId, secret) {
      const appId = appIdFrom(clientId);
      if (!appId || !(await useClientSecret(db, appId, secret))) return false;
      identifyCaller({ appId });
      return true;
    },
    async findAccount(id) {
      const user = await lookUpNamedUser(db, id);
      return user?.kind === 'full'
        ? { name: user.displayName, email: user.email, emailVerified: user.emailVerified }
        : null;
    },
    async findConsent(accountId, clientId, how) {
      const [userId, appId] = [userIdFrom(accountId), appIdFrom(clientId)];
      return (userId && appId && (await findConsent(db, userId, appId, how))?.scopes) ?? null;
    },
    mac: (data) => vault.mac('successor tokens', data),
    interactionPath,
    noteSecurity: security.note,
    onError: (error, route) =>
      log.error({ err: error, requestId: currentContext()?.requestId, route }, 'an OAuth endpoint failed'),
  });
}
