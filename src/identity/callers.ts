import type { AppId, UserId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import type { KeyScope } from './app-keys.ts';
import type { Scope } from './scopes.ts';

/** A user, through the client of one app. The token covers only what concerns that app. */
export type UserCaller = {
  readonly kind: 'user';
  readonly userId: UserId;
  readonly appId: AppId;
  /** A guest's token has all scopes. */
  readonly scopes: readonly Scope[];
};

/** An app's own server. */
export type AppCaller = {
  readonly kind: 'app';
  readonly appId: AppId;
  /** SHA-256 of its server API key. */
  readonly keyHash: Uint8Array;
  readonly scopes: readonly KeyScope[];
  /** The most the key may pay in a day (UTC). Null means no cap. */
  readonly payPerDay: Quarters | null;
};

export type Caller = UserCaller | AppCaller;
