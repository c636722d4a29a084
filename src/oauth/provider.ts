import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Client, JWK, KoaContextWithOIDC } from 'oidc-provider';
import type { SecurityEvent, SecurityFacts } from '../base/security-events.ts';
import { CommitUnknown, isUnavailable, type Query } from '../db/database.ts';
import { adapterOn } from './adapter.ts';
import { clientMetadata, type OAuthClient } from './clients.ts';
import { CODE_SECONDS, NEW_GRANT_SECONDS } from './codes.ts';
import { adjustLibrary } from './library.ts';
import { errors, Provider } from './oidc-provider.ts';
import { OAUTH_PATHS } from './paths.ts';
import { type FindConsent, grantBy, interactions } from './policy.ts';
import { noteProviderEvents } from './security-events.ts';
import { sessionEnd } from './sessions.ts';
import { prefixTokens } from './token-ids.ts';

/** What the provider's pages are given: the request and its answer (Koa's), and what is known of the OAuth request in `oidc`. */
export type OAuthContext = KoaContextWithOIDC;

/** What an app may be told of a user (OpenID Connect Core, section 5.1). */
export type OAuthAccount = { readonly name: string; readonly email: string; readonly emailVerified: boolean };

export type Views = {
  /** An error that can not be sent to the app. `out`: RFC 6749, section 5.2. */
  renderError(
    ctx: OAuthContext,
    out: { error: string; error_description?: string | undefined },
    error: Error,
  ): Promise<void>;
  /** Asks whether to sign out. */
  logoutSource(ctx: OAuthContext): Promise<void>;
  postLogoutSuccessSource(ctx: OAuthContext): Promise<void>;
  /** Ways to deliver an answer besides the query of the redirect address. */
  readonly responseModes: Readonly<
    Record<string, (ctx: OAuthContext, redirectUri: string, answer: Record<string, unknown>) => Promise<void>>
  >;
};

export type ProviderParts = {
  readonly db: { readonly query: Query };
  /** Our origin as a setting: never what a request says it is. */
  readonly issuer: string;
  readonly sessionCookie: string;
  /** How long a session lives without use. */
  readonly sessionIdleMinutes: number;
  readonly interactionCookie: string;
  /** The private key of ID tokens. */
  readonly signingKey: JWK;
  /** What an app can ask for. */
  readonly scopes: readonly string[];
  readonly views: Views;
  findClient(id: string): Promise<OAuthClient | null>;
  isClientSecret(clientId: string, secret: string): Promise<boolean>;
  findAccount(id: string): Promise<OAuthAccount | null>;
  readonly findConsent: FindConsent;
  /** 32 bytes. */
  mac(data: string): Buffer;
  /** The page that asks somebody to sign in or to agree. */
  interactionPath(uid: string): string;
  noteSecurity(event: SecurityEvent, facts: SecurityFacts): void;
  /** Told what went wrong on our side. */
  onError(error: unknown, route: string): void;
};

/** Answers one HTTP request to an OAuth endpoint whose body has not been read. */
export type OAuthHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const HOUR = 3600;
const REFRESH_TOKEN_DAYS = 180;

/** The OAuth 2 and OpenID Connect provider on our records. */
export function openProvider(parts: ProviderParts): OAuthHandler {
  const { issuer, scopes, views, findAccount } = parts;
  const modes = ['query', ...Object.keys(views.responseModes)];
  const findClient = async (id: string) => {
    const client = await parts.findClient(id);
    return client ? clientMetadata(client, modes) : undefined;
  };
  const provider = new Provider(issuer, {
    adapter: adapterOn(parts.db, findClient, parts.sessionIdleMinutes),
    jwks: { keys: [parts.signingKey] },
    routes: OAUTH_PATHS,
    scopes,
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' },
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      introspection: { enabled: true, allowedPolicy: mayIntrospect(findAccount) },
      revocation: { enabled: true, allowedPolicy: mayRevoke },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: views.logoutSource,
        postLogoutSuccessSource: views.postLogoutSuccessSource,
      },
    },
    cookies: {
      names: {
        session: parts.sessionCookie,
        interaction: parts.interactionCookie,
        resume: `${parts.interactionCookie}_resume`,
      },
      long: { httpOnly: true, sameSite: 'lax', path: '/' },
      short: { httpOnly: true, sameSite: 'lax' },
    },
    // How the page that asks is to look, and where it may send people first.
    extraParams: ['inline', 'force_signup', 'frame_id', 'opened_by'],
    interactions: { policy: interactions(), url: (_ctx, { uid }) => parts.interactionPath(uid) },
    loadExistingGrant: grantBy(parts.findConsent),
    findAccount: async (_ctx, accountId) => {
      const account = await findAccount(accountId);
      if (!account) return undefined;
      const { name, email, emailVerified } = account;
      return { accountId, claims: () => ({ sub: accountId, name, email, email_verified: emailVerified }) };
    },
    // Signing out here ends no game's tokens; its access is withdrawn on the account page.
    expiresWithSession: () => false,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: () => true,
    revokeGrantPolicy: () => true,
    ttl: {
      AccessToken: HOUR,
      AuthorizationCode: CODE_SECONDS,
      Grant: NEW_GRANT_SECONDS,
      IdToken: HOUR,
      Interaction: HOUR,
      RefreshToken: REFRESH_TOKEN_DAYS * 24 * HOUR,
      Session: (_ctx, { accountId, loginTs }) => sessionSeconds(accountId, loginTs),
    },
    // Tokens come with no cookie, so a page may use its own from wherever it is; a secret has no place in a page.
    clientBasedCORS: (ctx) => ctx.oidc.route !== 'introspection',
    renderError: views.renderError,
  });
  for (const [name, deliver] of Object.entries(views.responseModes)) provider.registerResponseMode(name, deliver);
  prefixTokens(provider, parts.mac);
  adjustLibrary(provider, { ...parts, modes });
  noteProviderEvents(provider, parts.noteSecurity);
  provider.on('server_error', (ctx, error) => {
    if (isUnavailable(error)) sayUnavailable(ctx, error instanceof CommitUnknown);
    parts.onError(error, ctx.oidc.route);
  });
  // Koa's own event, which the library's types leave out. It tells of connections that broke, too.
  (provider as EventEmitter).on('error', (error: unknown, ctx?: { readonly req: IncomingMessage }) => {
    if (error !== ctx?.req.socket.errored) parts.onError(error, 'unknown');
  });
  const handle = provider.callback();
  return (request, response) => handle(request, response);
}

/**
 * For how long the provider stores a session again, which it does at every authorization: until it would have ended anyway, so that no
 * use lengthens it. Where nobody is signed in yet, only their way through our pages is noted.
 */
function sessionSeconds(accountId: string | undefined, signedInAt: number | undefined): number {
  if (accountId === undefined || signedInAt === undefined) return HOUR;
  return Math.max(1, Math.floor((sessionEnd(signedInAt).getTime() - Date.now()) / 1000));
}

/** RFC 6749, section 4.1.2.1, has the word; here as JSON, or on the page that says what an error page says. */
function sayUnavailable(ctx: OAuthContext, mayBeDone: boolean): void {
  ctx.status = 503;
  if (!mayBeDone) ctx.set('retry-after', '5');
  if (ctx.type === 'application/json') {
    ctx.body = { error: 'temporarily_unavailable', error_description: 'the database is not available; try again' };
  }
}

type TokenPolicy = (
  ctx: OAuthContext,
  client: Client,
  token: { readonly clientId?: string | undefined; readonly accountId?: string | undefined },
) => Promise<boolean>;

/** RFC 7662, section 2.1: by a client that has proved who it is; and only what was issued to it. */
function mayIntrospect(findAccount: ProviderParts['findAccount']): TokenPolicy {
  return async (_ctx, client, token) =>
    client.clientAuthMethod !== 'none' &&
    token.clientId === client.clientId &&
    token.accountId !== undefined &&
    (await findAccount(token.accountId)) !== null;
}

/** RFC 7009, section 2.1. */
const mayRevoke: TokenPolicy = async (_ctx, client, token) => {
  if (token.clientId !== client.clientId) throw new errors.InvalidRequest('the token was not issued to this client');
  return true;
};
