import type { AppId, UserId } from '../../base/ids.ts';
import { lazily } from '../../base/lazily.ts';
import { currentContext, identifyCaller } from '../../base/request-context.ts';
import { loadIdTokenKey } from '../../custody/signing-keys.ts';
import { isClientSecret } from '../../identity/app-keys.ts';
import { findApp } from '../../identity/apps.ts';
import { findConsent } from '../../identity/consents.ts';
import { ALL_SCOPES } from '../../identity/scopes.ts';
import { findUser } from '../../identity/users.ts';
import type { OAuthHandler } from '../../oauth/provider.ts';
import type { Service } from '../../settlement/service.ts';
import { sessionCookieName } from '../../web/session-cookie.ts';
import { INTERACTION_COOKIE, interactionPath } from './interaction-address.ts';
import { viewsOf } from './views.ts';

/** The provider, loaded on first use: its two hundred files would take a tenth of each start. */
export async function openOAuth(service: Service): Promise<OAuthHandler> {
  const signingKey = await loadIdTokenKey(service.db, service.vault);
  const handler = lazily(() => assemble(service, signingKey));
  return async (request, response) => (await handler())(request, response);
}

/** Assembles the provider with what it needs from other modules. */
async function assemble(
  { db, vault, publicUrl, settings, log, security }: Service,
  signingKey: Awaited<ReturnType<typeof loadIdTokenKey>>,
): Promise<OAuthHandler> {
  const { openProvider } = await import('../../oauth/provider.ts');
  return openProvider({
    db,
    issuer: publicUrl,
    sessionCookie: sessionCookieName(publicUrl),
    sessionIdleMinutes: settings.sessionIdleMinutes,
    interactionCookie: INTERACTION_COOKIE,
    signingKey,
    scopes: ALL_SCOPES,
    views: viewsOf({ db }),
    findClient: (id) => findApp(db, id as AppId),
    async isClientSecret(clientId, secret) {
      const isTheirs = await isClientSecret(db, clientId as AppId, secret);
      if (isTheirs) identifyCaller({ appId: clientId });
      return isTheirs;
    },
    async findAccount(id) {
      const user = await findUser(db, id as UserId);
      return user?.kind === 'full'
        ? { name: user.displayName, email: user.email, emailVerified: user.emailVerified }
        : null;
    },
    async findConsent(accountId, clientId, how) {
      return (await findConsent(db, accountId as UserId, clientId as AppId, how))?.scopes ?? null;
    },
    mac: (data) => vault.mac('successor tokens', data),
    interactionPath,
    noteSecurity: security.note,
    onError: (error, route) =>
      log.error({ err: error, requestId: currentContext()?.requestId, route }, 'an OAuth endpoint failed'),
  });
}
