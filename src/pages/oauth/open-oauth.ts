import type { AppId, UserId } from '../../base/ids.ts';
import { loadIdTokenKey } from '../../custody/signing-keys.ts';
import { isClientSecret } from '../../identity/app-keys.ts';
import { findApp } from '../../identity/apps.ts';
import { findConsent } from '../../identity/consents.ts';
import { ALL_SCOPES } from '../../identity/scopes.ts';
import { findUser } from '../../identity/users.ts';
import { type OAuthHandler, openProvider } from '../../oauth/provider.ts';
import type { Service } from '../../usecases/service.ts';
import { sessionCookieName } from '../../web/session-cookie.ts';
import { INTERACTION_COOKIE, interactionPath } from './interaction-address.ts';
import { viewsOf } from './views.ts';

/** Puts the provider together with what it needs of the other modules. */
export async function openOAuth({ db, vault, publicUrl, log }: Service): Promise<OAuthHandler> {
  return openProvider({
    db,
    issuer: publicUrl,
    sessionCookie: sessionCookieName(publicUrl),
    interactionCookie: INTERACTION_COOKIE,
    signingKey: await loadIdTokenKey(db, vault),
    scopes: ALL_SCOPES,
    views: viewsOf({ db }),
    findClient: (id) => findApp(db, id as AppId),
    isClientSecret: (clientId, secret) => isClientSecret(db, clientId as AppId, secret),
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
    onError: (error, route) => log.error({ err: error, route }, 'an OAuth endpoint failed'),
  });
}
