import { Problem } from '../../base/problems.ts';
import { hashSecret, isSecret } from '../../base/secrets.ts';
import { findServerKey } from '../../identity/app-keys.ts';
import { type Caller, parseScopes, SCOPES } from '../../identity/callers.ts';
import { useGuestToken } from '../../identity/guest-tokens.ts';
import { findAccessToken } from '../../oauth/tokens.ts';
import type { Service } from '../../settlement/service.ts';

/**
 * Finds who holds this bearer secret: a server API key, a guest's access token, or an access token issued by OAuth.
 * Throws `token-invalid` or `token-expired`.
 */
export async function authenticate(service: Service, secret: string): Promise<Caller> {
  if (isSecret('server key', secret)) return authenticateApp(service, secret);
  const user = isSecret('OAuth access token', secret)
    ? await oauthUser(service, secret)
    : await guestUser(service, secret);
  if (!user) throw unknownCredential();
  if (user.expired) throw new Problem('token-expired', 'The access token has expired.');
  const { expired: _, ...caller } = user;
  return { kind: 'user', ...caller };
}

async function authenticateApp({ db }: Service, secret: string): Promise<Caller> {
  const key = await findServerKey(db, secret);
  if (!key) throw unknownCredential();
  return { kind: 'app', appId: key.appId, keyHash: key.hash, scopes: key.scopes, payPerDay: key.payPerDay };
}

async function oauthUser({ db }: Service, secret: string) {
  const token = await findAccessToken(db, secret);
  return (
    token && { userId: token.userId, appId: token.appId, expired: token.expired, scopes: parseScopes(token.scope) }
  );
}

async function guestUser({ db, settings }: Service, secret: string) {
  const token = await useGuestToken(db, hashSecret(secret), 'access', settings.guestTokenDays);
  return token && { ...token, scopes: SCOPES };
}

function unknownCredential(): Problem {
  return new Problem('token-invalid', 'The credential is not known here, or was revoked.');
}
