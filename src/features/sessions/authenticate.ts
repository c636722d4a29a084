import { identifyCaller } from '../../base/log.ts';
import { Problem } from '../../base/problems.ts';
import { hashSecret, isSecret } from '../../base/secrets.ts';
import { keyIdOf, useServerKey } from '../../identity/app-keys.ts';
import { type Caller, parseScopes, SCOPES } from '../../identity/callers.ts';
import { useGuestToken } from '../../identity/guest-tokens.ts';
import { findAccessToken } from '../../oauth/tokens.ts';
import type { Service } from '../../service/service.ts';
import { appSuspended } from '../../service/stopped.ts';

/**
 * Finds who holds this bearer secret: a server API key, a guest's access token, or an access token issued by OAuth.
 * Throws `token-invalid` or `token-expired`, and `app-suspended`, which only the holder of a valid credential learns.
 */
export async function authenticate(service: Service, secret: string): Promise<Caller> {
  if (isSecret('server key', secret)) return authenticateApp(service, secret);
  const user = isSecret('OAuth access token', secret)
    ? await oauthUser(service, secret)
    : await guestUser(service, secret);
  if (!user) throw unknownCredential();
  if (user.expired) throw new Problem('token-expired', 'The access token has expired.');
  const { expired: _, isSuspended, ...caller } = user;
  if (isSuspended) throw suspended(service, caller);
  return { kind: 'user', ...caller };
}

async function authenticateApp(service: Service, secret: string): Promise<Caller> {
  const key = await useServerKey(service.db, secret);
  if (!key) throw unknownCredential();
  const { appId, hash, scopes, payPerDay } = key;
  if (key.isSuspended) throw suspended(service, { appId, keyId: keyIdOf(hash) });
  return { kind: 'app', appId, keyHash: hash, scopes, payPerDay };
}

/** The credential is genuine, so its developers see the refused call in the app's log. */
function suspended({ settings }: Service, caller: Parameters<typeof identifyCaller>[0]): Problem {
  identifyCaller(caller);
  return appSuspended(settings);
}

async function oauthUser({ db }: Service, secret: string) {
  const token = await findAccessToken(db, secret);
  if (!token) return null;
  const { scope, ...use } = token;
  return { ...use, scopes: parseScopes(scope) };
}

async function guestUser({ db, settings }: Service, secret: string) {
  const token = await useGuestToken(db, hashSecret(secret), 'access', settings.guestTokenDays);
  return token && { ...token, scopes: SCOPES };
}

function unknownCredential(): Problem {
  return new Problem('token-invalid', 'The credential is not known here, or was revoked.');
}
