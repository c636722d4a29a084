import { randomUUID } from 'node:crypto';
import type { ClientMetadata } from 'oidc-provider';
import { canonicalRedirectUri } from '../base/redirect-uri.ts';

/** An app as the provider sees it. */
export type OAuthClient = {
  readonly id: string;
  readonly redirectUris: readonly string[];
  /** It can keep no secret (RFC 6749, section 2.1): PKCE is required of it. */
  readonly publicClient: boolean;
};

/**
 * Stands where the provider insists on a redirect address and there is none: for apps that registered none, and in codes that
 * were not handed out by redirect. Nobody can be sent there.
 */
export const NO_REDIRECT = 'urn:quarters:no-redirect';

/** The response mode that needs no redirect address: a page of ours hands the answer to the app's own pages. */
export const PAGE_MODE = 'quarters_page';

/** The provider demands a secret of who has one. Ours are compared by their hashes; this one is nobody's. */
const UNUSED_SECRET = randomUUID();

/** Metadata of a client (RFC 7591). `responseModes`: the ways it may get an answer. */
export function clientMetadata(client: OAuthClient, responseModes: readonly string[]): ClientMetadata {
  const uris = client.redirectUris.map(canonicalRedirectUri);
  return {
    client_id: client.id,
    redirect_uris: uris.length > 0 ? uris : [NO_REDIRECT],
    post_logout_redirect_uris: uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // The library's way to refuse a response type that we do not offer.
    response_modes: [...responseModes, 'fragment'],
    ...(client.publicClient
      ? { token_endpoint_auth_method: 'none' }
      : { token_endpoint_auth_method: 'client_secret_basic', client_secret: UNUSED_SECRET }),
  };
}
