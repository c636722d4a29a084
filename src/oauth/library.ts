import type OidcProvider from 'oidc-provider';
import type { Client, KoaContextWithOIDC } from 'oidc-provider';
import { canonicalRedirectUri, isRegisteredRedirect } from '../base/redirect-uri.ts';
import { derivedSecret, newSecret, type SecretKind } from '../base/secrets.ts';
import type { Query } from '../db/database.ts';
import { NO_REDIRECT, PAGE_MODE } from './clients.ts';
import { Provider } from './oidc-provider.ts';
import { findRecord } from './records.ts';

type Rules = {
  readonly db: { readonly query: Query };
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly modes: readonly string[];
  isClientSecret(clientId: string, secret: string): Promise<boolean>;
  /** 32 bytes under a key of ours. */
  mac(data: string): Buffer;
};

/** Changes for which the library has no setting. Each of them depends on its source, version 9.13. */
export function adjustLibrary(provider: OidcProvider, rules: Rules): void {
  pinOrigin(provider, rules.issuer);
  keepSessionIds(provider);
  prefixTokens(provider, rules);
  trustRegistration(provider);
  compareSecrets(provider, rules);
  boundCodesOnly(provider);
  provider.use(completeRequest(rules));
  provider.use(correctDiscovery);
  provider.use(skipEmptyLogout);
}

/** The library builds its addresses from the request: a forged Host header would send players and games elsewhere. */
function pinOrigin({ request }: OidcProvider, issuer: string): void {
  const { host, protocol } = new URL(issuer);
  Object.defineProperties(request, {
    protocol: { get: () => protocol.slice(0, -1) },
    host: { get: () => host },
    href: {
      get(this: { url: string }) {
        const { pathname, search } = new URL(this.url, issuer);
        return issuer + pathname + search;
      },
    },
  });
}

/**
 * Our sign-in gives each session a new identifier, which prevents session fixation. Another new one during an authorization would
 * break the authorization of another tab.
 */
function keepSessionIds({ Session }: OidcProvider): void {
  Session.prototype.resetIdentifier = () => {};
}

type Named = { generateTokenId(): string };

/**
 * Gives tokens our prefixes. The successors of a refresh token are derived from it by a MAC. So a client that asks twice, because an
 * answer was lost or two threads asked at once, gets the same pair and is not taken for a thief.
 */
function prefixTokens(provider: OidcProvider, { mac }: Pick<Rules, 'mac'>): void {
  // The library's types do not name this method.
  const accessToken = provider.AccessToken.prototype as unknown as Named;
  const refreshToken = provider.RefreshToken.prototype as unknown as Named;
  const setFormat = accessToken.generateTokenId;
  accessToken.generateTokenId = function (this: unknown) {
    // The library's own method also sets the format of the token.
    setFormat.call(this);
    return tokenId('OAuth access token', mac);
  };
  refreshToken.generateTokenId = () => tokenId('refresh token', mac);
}

function tokenId(kind: SecretKind, mac: Rules['mac']): string {
  const oidc = Provider.ctx?.oidc;
  const predecessor = (oidc?.entities.RotatedRefreshToken as { jti?: string } | undefined)?.jti;
  if (predecessor === undefined) return newSecret(kind);
  // An access token with fewer scopes is a different one and must not overwrite the first.
  return derivedSecret(kind, mac(`${kind} ${predecessor} ${oidc?.params?.scope ?? ''}`));
}

/**
 * We check redirect addresses when they are registered, by rules of ours: an app may have both web addresses and schemes of its own.
 * They are compared by our rule, too. Before that, {@link completeRequest} (for browsers) and {@link boundCodesOnly} (for tokens) bring
 * the received address into its canonical form.
 */
function trustRegistration({ Client }: OidcProvider): void {
  const { Schema } = Client as unknown as { Schema: { prototype: { redirectUris(): void } } };
  Schema.prototype.redirectUris = () => {};
  type Registered = InstanceType<typeof Client>;
  Client.prototype.redirectUriAllowed = function (this: Registered, uri) {
    if (uri === NO_REDIRECT) return Provider.ctx?.oidc.params?.response_mode === PAGE_MODE;
    return isRegisteredRedirect(this.redirectUris ?? [], uri);
  };
  Client.prototype.postLogoutRedirectUriAllowed = function (this: Registered, uri) {
    return isRegisteredRedirect(this.postLogoutRedirectUris ?? [], uri);
  };
}

/**
 * An app has up to two valid secrets, of which we store hashes.
 *
 * A client that has proved its identity with a secret need not repeat the redirect address; existing clients never do. Repeating it
 * protects codes that were redirected to another client (RFC 6749, section 10.6), but such a client does not have this secret.
 */
function compareSecrets({ Client }: OidcProvider, { db, isClientSecret }: Rules): void {
  Client.prototype.compareClientSecret = async function (this: InstanceType<typeof Client>, secret: string) {
    if (!(await isClientSecret(this.clientId, secret))) return false;
    const params = Provider.ctx?.oidc.params as Record<string, unknown> | undefined;
    if (params?.grant_type === 'authorization_code' && params.redirect_uri === undefined) {
      const code = typeof params.code === 'string' ? await findRecord(db, 'AuthorizationCode', params.code) : null;
      params.redirect_uri = code?.payload.redirectUri;
    }
    return true;
  };
}

/**
 * A client without a secret cannot redeem a code without a challenge (that of a guest who became a user). If the code has one, such a
 * client need not repeat the redirect address: the verifier proves the same (RFC 9700, section 2.1.1), and a code that one of our
 * pages passed on has no address to repeat.
 */
function boundCodesOnly(provider: OidcProvider): void {
  type Context = {
    readonly route: string;
    readonly params?: Record<string, unknown>;
    entity(key: string, value: unknown): void;
  };
  const { prototype } = (provider as unknown as { OIDCContext: { prototype: Context } }).OIDCContext;
  const assign = prototype.entity;
  prototype.entity = function (this: Context, key, value) {
    assign.call(this, key, value);
    if (this.route !== 'token' || key !== 'Client' || !this.params) return;
    this.params.redirect_uri = canonical(this.params.redirect_uri);
    // The library requires an address before it looks up the code.
    if ((value as Client).clientAuthMethod === 'none') this.params.redirect_uri ??= NO_REDIRECT;
  };
  type Found = { codeChallenge?: string; redirectUri?: string } | undefined;
  const model = provider.AuthorizationCode as unknown as { find: (...args: unknown[]) => Promise<Found> };
  const find = model.find.bind(model);
  model.find = async (...args) => {
    const code = await find(...args);
    const { client, params } = Provider.ctx?.oidc ?? {};
    if (client?.clientAuthMethod !== 'none') return code;
    if (!code?.codeChallenge) return undefined;
    if (params?.redirect_uri === NO_REDIRECT) params.redirect_uri = code.redirectUri;
    return code;
  };
}

/** Completes and checks parameters before the library reads a request. */
function completeRequest({ scopes, modes }: Rules) {
  return (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    // No parameter has a NUL (RFC 6749, appendix A), and PostgreSQL could not store one.
    if (ctx.querystring.includes('%00')) ctx.querystring = ctx.querystring.replaceAll('%00', '%EF%BF%BD');
    const { scope, response_type: type, response_mode: mode } = ctx.query;
    if (ctx.path === '/oauth/authorize') {
      ctx.query = {
        ...ctx.query,
        // Existing clients name no scope. The library would refuse such a request.
        ...(!scope && { scope: scopes.join(' ') }),
        // Some modes cannot be switched off. An unknown one is refused.
        ...(mode && !modes.includes(String(mode)) && { response_mode: 'unknown' }),
        // Without a type the library would report a wrong mode instead.
        ...(!type && !mode && { response_mode: 'query' }),
      };
    }
    for (const name of ['redirect_uri', 'post_logout_redirect_uri']) {
      const address = ctx.query[name];
      if (address !== canonical(address)) ctx.query = { ...ctx.query, [name]: canonical(address) };
    }
    return next();
  };
}

/** A repeated parameter stays unchanged, so that the library refuses it. */
function canonical<Address>(address: Address): Address | string {
  return typeof address === 'string' ? canonicalRedirectUri(address) : address;
}

/** Corrects the discovery document: removes what we do not offer and adds what the library leaves out. */
async function correctDiscovery(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (!ctx.path.startsWith('/.well-known/') || typeof ctx.body !== 'object' || ctx.body === null) return;
  const methods = ['client_secret_basic', 'client_secret_post'];
  ctx.body = {
    ...ctx.body,
    response_modes_supported: ['query'],
    claims_supported: ['iss', 'sub', 'auth_time', 'name', 'email', 'email_verified'],
    revocation_endpoint_auth_methods_supported: [...methods, 'none'],
    introspection_endpoint_auth_methods_supported: methods,
  };
}

/**
 * Signs out without a question if nobody is signed in. The library would answer with a form that an inline script sends, and our pages
 * run no inline scripts.
 */
async function skipEmptyLogout(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (ctx.path !== '/oauth/logout' || ctx.status !== 200 || ctx.oidc.session?.accountId) return;
  const { postLogoutRedirectUri, state } = (ctx.oidc.session?.state ?? {}) as Record<string, string | undefined>;
  const target = new URL(postLogoutRedirectUri ?? '/oauth/logout/success', ctx.oidc.issuer);
  if (postLogoutRedirectUri !== undefined && state !== undefined) target.searchParams.set('state', state);
  ctx.status = 303;
  ctx.redirect(target.href);
}
