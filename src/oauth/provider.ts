import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Account, Configuration, JWK, KoaContextWithOIDC } from 'oidc-provider';
import { LOCALES } from '../base/locales.ts';
import type { SecurityEvent, SecurityFacts } from '../base/security-log.ts';
import type { Query } from '../db/database.ts';
import { adapterOn } from './adapter.ts';
import { clientMetadata, OAUTH_PATHS, type OAuthClient } from './clients.ts';
import { adjustLibrary } from './library.ts';
import { Provider } from './oidc-provider.ts';
import {
  type FindConsent,
  grantByConsent,
  interactionRules,
  mayIntrospect,
  mayRevoke,
  refuseSuspended,
} from './policy.ts';
import { handleProviderErrors, noteProviderEvents } from './provider-events.ts';
import { sessionEnd } from './sessions.ts';
import { CODE_SECONDS, NEW_GRANT_SECONDS } from './tokens.ts';

/** What the provider's pages get: Koa's request and response, and the OAuth request in `oidc`. */
export type OAuthContext = KoaContextWithOIDC;

/** What an app may learn about a user (OpenID Connect Core, section 5.1). */
export type OAuthAccount = { readonly name: string; readonly email: string; readonly emailVerified: boolean };

export type Views = {
  /** An error that cannot be sent to the app. `out`: RFC 6749, section 5.2. */
  renderError(
    ctx: OAuthContext,
    out: { error: string; error_description?: string | undefined },
    error: Error,
  ): Promise<void>;
  /** Asks the user whether to sign out. */
  logoutSource(ctx: OAuthContext): Promise<void>;
  postLogoutSuccessSource(ctx: OAuthContext): Promise<void>;
  /** Channels for an answer besides the query of the redirect address. */
  readonly responseModes: Readonly<
    Record<string, (ctx: OAuthContext, redirectUri: string, answer: Record<string, unknown>) => Promise<void>>
  >;
};

export type ProviderParts = {
  readonly db: { readonly query: Query };
  /** Our origin, from a setting and never from a request. */
  readonly issuer: string;
  readonly sessionCookie: string;
  /** How long a session lives without use. */
  readonly sessionIdleMinutes: number;
  readonly interactionCookie: string;
  /** The private key of ID tokens. */
  readonly signingKey: JWK;
  /** The scopes that an app can request. */
  readonly scopes: readonly string[];
  readonly views: Views;
  findClient(id: string): Promise<OAuthClient | null>;
  isClientSecret(clientId: string, secret: string): Promise<boolean>;
  findAccount(id: string): Promise<OAuthAccount | null>;
  readonly findConsent: FindConsent;
  /** 32 bytes. */
  mac(data: string): Buffer;
  /** The page on which users sign in or agree. */
  interactionPath(uid: string): string;
  noteSecurity(event: SecurityEvent, facts: SecurityFacts): void;
  /** Receives errors of ours. */
  onError(error: unknown, route: string): void;
};

/** Answers one HTTP request to an OAuth endpoint whose body has not been read. */
export type OAuthHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const HOUR = 3600;
const REFRESH_TOKEN_DAYS = 180;

/** In seconds. */
const LIFETIMES: Configuration['ttl'] = {
  AccessToken: HOUR,
  AuthorizationCode: CODE_SECONDS,
  Grant: NEW_GRANT_SECONDS,
  IdToken: HOUR,
  Interaction: HOUR,
  RefreshToken: REFRESH_TOKEN_DAYS * 24 * HOUR,
  Session: (_ctx, { accountId, loginTs }) => sessionSeconds(accountId, loginTs),
};

/** The OAuth 2 and OpenID Connect provider on our records. */
export function openProvider(parts: ProviderParts): OAuthHandler {
  const { issuer, views } = parts;
  const modes = ['query', ...Object.keys(views.responseModes)];
  const provider = new Provider(issuer, configurationOf(parts, modes));
  for (const [name, deliver] of Object.entries(views.responseModes)) provider.registerResponseMode(name, deliver);
  adjustLibrary(provider, { ...parts, modes });
  noteProviderEvents(provider, parts.noteSecurity);
  handleProviderErrors(provider, parts.onError);
  const handle = provider.callback();
  return (request, response) => handle(request, response);
}

function configurationOf(parts: ProviderParts, modes: readonly string[]): Configuration {
  const { scopes, views } = parts;
  const findClient = async (id: string) => {
    const client = await parts.findClient(id);
    if (client) refuseSuspended(client, Provider.ctx?.oidc.route);
    return client ? clientMetadata(client, modes) : undefined;
  };
  const policy = interactionRules();
  return {
    adapter: adapterOn(parts.db, findClient, parts.sessionIdleMinutes),
    jwks: { keys: [parts.signingKey] },
    routes: OAUTH_PATHS,
    scopes,
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    responseTypes: ['code'],
    discovery: {
      ui_locales_supported: [...LOCALES],
      prompt_values_supported: ['none', ...policy.map(({ name }) => name)],
    },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' },
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      introspection: { enabled: true, allowedPolicy: mayIntrospect(parts.findAccount) },
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
    // They say how the page looks and where it may send people first.
    extraParams: ['inline', 'force_signup', 'frame_id', 'opened_by'],
    interactions: { policy, url: (_ctx, { uid }) => parts.interactionPath(uid) },
    loadExistingGrant: grantByConsent(parts.findConsent),
    findAccount: (_ctx, accountId) => readAccount(parts, accountId),
    // Signing out here does not end a game's tokens. Users withdraw its access on the account page.
    expiresWithSession: () => false,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: () => true,
    revokeGrantPolicy: () => true,
    ttl: LIFETIMES,
    // Tokens come without a cookie, so pages of any origin may use their own. Introspection needs a secret, which pages must not have.
    clientBasedCORS: (ctx) => ctx.oidc.route !== 'introspection',
    renderError: views.renderError,
  };
}

async function readAccount({ findAccount }: ProviderParts, accountId: string): Promise<Account | undefined> {
  const account = await findAccount(accountId);
  if (!account) return undefined;
  const { name, email, emailVerified } = account;
  return { accountId, claims: () => ({ sub: accountId, name, email, email_verified: emailVerified }) };
}

/**
 * How long a session lives that the provider stores again, which it does at every authorization: until it would have ended anyway, so
 * that no use extends it. Before sign-in, a session stores only progress through our pages.
 */
function sessionSeconds(accountId: string | undefined, signedInAt: number | undefined): number {
  if (accountId === undefined || signedInAt === undefined) return HOUR;
  return Math.max(1, Math.floor((sessionEnd(signedInAt).getTime() - Date.now()) / 1000));
}
