import type { EventEmitter } from 'node:events';
import type OidcProvider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { SecurityEvent, SecurityFacts } from '../base/security-events.ts';

type Note = (event: SecurityEvent, facts: SecurityFacts) => void;
type Context = KoaContextWithOIDC;

/** The endpoints at which an app proves who it is. */
const REFUSALS = ['grant.error', 'introspection.error', 'revocation.error'];

/**
 * Notes what the library finds out: who is not the app they say, and which family of tokens it has ended. It tells of both by events
 * (its documentation, "Events"), the second when the grant is deleted.
 */
export function noteProviderEvents(provider: OidcProvider, note: Note): void {
  const on = (name: string, listener: (ctx: Context, what: unknown) => void) =>
    // The library's types name not all of its events.
    (provider as EventEmitter).on(name, listener);
  for (const name of REFUSALS) {
    on(name, (ctx, error) => {
      if ((error as { error?: unknown }).error !== 'invalid_client') return;
      note('client-denied', { appId: ctx.oidc?.client?.clientId, what: ctx.oidc?.route });
    });
  }
  on('userinfo.error', (_ctx, error) => {
    if ((error as { error?: unknown }).error === 'invalid_token') {
      note('credential-denied', { what: 'OAuth access token at userinfo' });
    }
  });
  on('grant.revoked', (ctx) => {
    const event = endingOf(ctx);
    if (event) note(event, { appId: ctx.oidc.client?.clientId, userId: ownerOf(ctx) });
  });
}

/** Why a family of tokens was ended: at the token endpoint only since something came that was used before. */
function endingOf({ oidc }: Context): SecurityEvent | null {
  if (oidc.route === 'revocation') return 'token-revoked';
  if (oidc.route !== 'token') return null;
  return oidc.params?.grant_type === 'refresh_token' ? 'refresh-token-reused' : 'code-replayed';
}

/** A replayed code is found out before the library notes whose it is. */
function ownerOf({ oidc }: Context): string | undefined {
  const { RefreshToken, AccessToken, AuthorizationCode } = oidc.entities;
  return (RefreshToken ?? AccessToken ?? AuthorizationCode)?.accountId;
}
