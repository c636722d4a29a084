import type OidcProvider from 'oidc-provider';
import type { Client, KoaContextWithOIDC } from 'oidc-provider';
import { canonicalRedirectUri } from '../base/redirect-uri.ts';
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
};

/** Where the library has no setting for what we need. Every change leans on its source, version 9.13. */
export function adjustLibrary(provider: OidcProvider, rules: Rules): void {
  pinOrigin(provider, rules.issuer);
  keepSessionIds(provider);
  trustRegistration(provider);
  compareSecrets(provider, rules);
  boundCodesOnly(provider);
  provider.use(completeRequest(rules));
  provider.use(correctDiscovery);
  provider.use(skipEmptyLogout);
}

/** The library builds its addresses from the request's: whoever sets the Host header would lead players and games elsewhere. */
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
 * A session has its identifier from our sign-in, which makes a new one every time (session fixation). A second one, made in
 * the midst of an authorization, would break off that of another tab.
 */
function keepSessionIds({ Session }: OidcProvider): void {
  Session.prototype.resetIdentifier = () => {};
}

/**
 * Redirect addresses were checked when they were registered, by rules of ours: one app may have web addresses and schemes of
 * its own. They are compared to the letter (RFC 9700, section 4.1.3), the library's way with clients of type `web`, once what came is
 * in the canonical form: at the endpoints for browsers by {@link completeRequest}, at that for tokens by {@link boundCodesOnly}.
 */
function trustRegistration({ Client }: OidcProvider): void {
  const { Schema } = Client as unknown as { Schema: { prototype: { redirectUris(): void } } };
  Schema.prototype.redirectUris = () => {};
  const isRegistered = Client.prototype.redirectUriAllowed;
  Client.prototype.redirectUriAllowed = function (this: InstanceType<typeof Client>, uri) {
    if (uri === NO_REDIRECT) return Provider.ctx?.oidc.params?.response_mode === PAGE_MODE;
    return isRegistered.call(this, uri);
  };
}

/**
 * An app has up to two living secrets, of which we know hashes.
 *
 * And a client that has proved with one that it is the one the code was issued to need not repeat the redirect address, which
 * existing clients never do. Repeating it guards against a code that was led astray to another client (RFC 6749, section
 * 10.6); such a client has its own secret, not this one.
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
 * A code that came without a challenge (of a guest who became a user) is nothing for a client without a secret. With one, such a
 * client need not repeat the redirect address either: the verifier proves what that would (RFC 9700, section 2.1.1), and a
 * code that a page of ours has handed over has no address to repeat.
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
    // The library insists on an address before it looks for the code.
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

/** What is said before the library reads a request. */
function completeRequest({ scopes, modes }: Rules) {
  return (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    // No parameter has a NUL (RFC 6749, appendix A), and PostgreSQL could not store one.
    if (ctx.querystring.includes('%00')) ctx.querystring = ctx.querystring.replaceAll('%00', '%EF%BF%BD');
    const { scope, response_type: type, response_mode: mode } = ctx.query;
    if (ctx.path === '/oauth/authorize') {
      ctx.query = {
        ...ctx.query,
        // Existing clients name none. The library would call that an authorization of nothing.
        ...(!scope && { scope: scopes.join(' ') }),
        // Some modes can not be switched off; as an unknown one it is refused.
        ...(mode && !modes.includes(String(mode)) && { response_mode: 'unknown' }),
        // Else it looks for the mode that goes with no type, and blames the mode.
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

/** What is repeated stays as it is, for the library to refuse. */
function canonical<Address>(address: Address): Address | string {
  return typeof address === 'string' ? canonicalRedirectUri(address) : address;
}

/** What the library says it can, and we have left out; and what it leaves out. */
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
 * Signing out where nobody is signed in: there is nothing to ask. The library would answer with a form that an inline script
 * sends, which no page of ours runs.
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
