import type { AppId, UserId } from '../../src/base/ids.ts';
import { ALL_KEY_SCOPES } from '../../src/identity/app-keys.ts';
import type { AppCaller, UserCaller } from '../../src/identity/callers.ts';
import { ALL_SCOPES } from '../../src/identity/scopes.ts';

/** An app that came with a server key that may do everything. */
export function asApp(appId: AppId): AppCaller {
  return { kind: 'app', appId, keyHash: Buffer.alloc(32), scopes: ALL_KEY_SCOPES, payPerDay: null };
}

/** A user that came with a token that may do everything. */
export function asUser(userId: UserId, appId: AppId): UserCaller {
  return { kind: 'user', userId, appId, scopes: ALL_SCOPES };
}
