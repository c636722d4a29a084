import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type OidcProvider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { appIdFrom, userIdFrom } from '../base/ids.ts';
import { type CallerIdentity, identifyCaller, noteRefusal } from '../base/log.ts';
import type { SecurityEvent, SecurityFacts } from '../base/security-log.ts';
import { CommitUnknown, isUnavailable } from '../db/database.ts';

type Note = (event: SecurityEvent, facts: SecurityFacts) => void;
type Context = KoaContextWithOIDC;

/** The errors of the endpoints at which apps authenticate. */
const REFUSALS = ['grant.error', 'introspection.error', 'revocation.error'];

/**
 * Records what the library finds (its documentation, "Events"): whose a call is and why it is refused, failed authentication of an app, and
 * the end of a family of tokens, which is when the library deletes the grant.
 */
export function noteProviderEvents(provider: OidcProvider, note: Note): void {
  const on = (name: string, listener: (ctx: Context, what: unknown) => void) =>
    // The library's types do not list all of its events.
    (provider as EventEmitter).on(name, listener);
  for (const name of REFUSALS) {
    on(name, (ctx, error) => {
      const reason = (error as { error?: unknown }).error;
      noteRefusal(String(reason));
      if (reason !== 'invalid_client') return;
      note('client-denied', { appId: ctx.oidc?.client?.clientId, what: ctx.oidc?.route });
    });
  }
  // A client without a secret proves who it is by its code and its verifier (PKCE).
  on('grant.success', (ctx) => identifyCaller(callerOf(ctx)));
  on('userinfo.error', (_ctx, error) => {
    if ((error as { error?: unknown }).error === 'invalid_token') {
      note('credential-denied', { what: 'OAuth access token at userinfo' });
    }
  });
  on('grant.revoked', (ctx) => {
    const event = endingOf(ctx);
    if (event) note(event, callerOf(ctx));
  });
}

/** Why a family of tokens was ended. The token endpoint does so only when a code or refresh token is used again. */
function endingOf({ oidc }: Context): SecurityEvent | null {
  if (oidc.route === 'revocation') return 'token-revoked';
  if (oidc.route !== 'token') return null;
  return oidc.params?.grant_type === 'refresh_token' ? 'refresh-token-reused' : 'code-replayed';
}

/** The library detects a replayed code before it stores the code's account in the context. */
function callerOf({ oidc }: Context): CallerIdentity {
  const { RefreshToken, AccessToken, AuthorizationCode } = oidc.entities;
  const { accountId = '' } = RefreshToken ?? AccessToken ?? AuthorizationCode ?? {};
  return {
    appId: appIdFrom(oidc.client?.clientId ?? '') ?? undefined,
    userId: userIdFrom(accountId) ?? undefined,
  };
}

/** Passes on errors of ours, and answers those of a missing database. */
export function handleProviderErrors(provider: OidcProvider, onError: (error: unknown, route: string) => void): void {
  provider.on('server_error', (ctx, error) => {
    if (isUnavailable(error)) sayUnavailable(ctx, error instanceof CommitUnknown);
    onError(error, ctx.oidc.route);
  });
  // Koa's own event, which is missing in the library's types. It also reports broken connections, which are no error of ours.
  (provider as EventEmitter).on('error', (error: unknown, ctx?: { readonly req: IncomingMessage }) => {
    if (error !== ctx?.req.socket.errored) onError(error, 'unknown');
  });
}

/** Answers 503 with the error code of RFC 6749, section 4.1.2.1: as JSON, or on the error page. */
function sayUnavailable(ctx: Context, mayBeDone: boolean): void {
  ctx.status = 503;
  if (!mayBeDone) ctx.set('retry-after', '5');
  if (ctx.type === 'application/json') {
    ctx.body = { error: 'temporarily_unavailable', error_description: 'the database is not available; try again' };
  }
}
