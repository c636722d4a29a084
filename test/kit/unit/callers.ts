import type { AppId, UserId } from '../../../src/base/ids.ts';
import { asQuarters } from '../../../src/base/quarters.ts';
import { CAPPED_SCOPES, type NewKey } from '../../../src/identity/app-keys.ts';
import type { AppCaller, UserCaller } from '../../../src/identity/callers.ts';
import { SCOPES } from '../../../src/identity/callers.ts';
import { ALL_KEY_SCOPES, type KeyScope } from '../../../src/identity/key-scopes.ts';

/** An app that called with a server key that has all scopes. */
export function asApp(appId: AppId): AppCaller {
  return { kind: 'app', appId, keyHash: Buffer.alloc(32), scopes: ALL_KEY_SCOPES, payPerDay: null };
}

/** A server API key with these scopes, and with a cap that is never reached for each scope that needs one. */
export function keyWith(scopes: readonly KeyScope[]): NewKey & { readonly kind: 'server' } {
  const capped = Object.entries(CAPPED_SCOPES).filter(([scope]) => scopes.some((held) => held === scope));
  const caps = Object.fromEntries(capped.map(([, cap]) => [cap, asQuarters(1_000_000_000)]));
  return { kind: 'server', scopes, payPerDay: null, ...caps };
}

/** A user who called with a token that has all scopes. */
export function asUser(userId: UserId, appId: AppId): UserCaller {
  return { kind: 'user', userId, appId, scopes: SCOPES };
}
