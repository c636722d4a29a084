import { randomUUID } from 'node:crypto';
import type { ClientMetadata } from 'oidc-provider';
import { canonicalRedirectUri } from '../base/redirect-uri.ts';

/** An app as the provider sees it. */
export type OAuthClient = {
  readonly id: string;
  readonly redirectUris: readonly string[];
  /** It can keep no secret (RFC 6749, section 2.1): PKCE is required of it. */
  readonly publicClient: boolean;
  /** Since when the operator has stopped it. */
  readonly suspendedAt: Date | null;
};

/**
 * A placeholder for a redirect address where the provider requires one: for apps without any, and in codes that were not sent by
 * redirect. No browser can be sent there.
 */
export const NO_REDIRECT = 'urn:quarters:no-redirect';

/** The response mode without a redirect address: one of our pages passes the answer to the app's own pages. */
export const PAGE_MODE = 'quarters_page';

/** The provider requires a secret in the metadata of confidential clients. We compare hashes instead; no client has this one. */
const UNUSED_SECRET = randomUUID();

/** A client's metadata (RFC 7591). `responseModes`: how it may receive an answer. */
export function clientMetadata(client: OAuthClient, responseModes: readonly string[]): ClientMetadata {
  const uris = client.redirectUris.map(canonicalRedirectUri);
  return {
    client_id: client.id,
    redirect_uris: uris.length > 0 ? uris : [NO_REDIRECT],
    post_logout_redirect_uris: uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // With this mode the library refuses response types that we do not offer.
    response_modes: [...responseModes, 'fragment'],
    ...(client.publicClient
      ? { token_endpoint_auth_method: 'none' }
      : { token_endpoint_auth_method: 'client_secret_basic', client_secret: UNUSED_SECRET }),
  };
}

/** The provider's endpoints, for modules that do not load the provider. */
export const OAUTH_PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  jwks: '/oauth/jwks',
  revocation: '/oauth/revoke',
  introspection: '/oauth/introspect',
  userinfo: '/oauth/userinfo',
  end_session: '/oauth/logout',
} as const;

/** A second path of the token endpoint, at which the interface's clients look for it. */
export const API_TOKEN = '/v1/oauth/token';
