import type { AppId, UserId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import type { KeyScope } from './key-scopes.ts';

/** What a user's token may tell about them. */
export type Profile = {
  readonly displayName: string;
  /** Empty if the user has none. */
  readonly email: string;
  readonly emailVerified: boolean;
};

/** A user, through the client of one app. The token covers only what concerns that app. */
export type UserCaller = {
  readonly kind: 'user';
  readonly userId: UserId;
  readonly appId: AppId;
  /** A guest's token has all scopes. */
  readonly scopes: readonly Scope[];
  /** Left out if it was not read with the credential. */
  readonly profile?: Profile;
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

/** The scopes of access tokens (RFC 6749, section 3.3). */
export const SCOPES = ['openid', 'profile', 'email', 'wallet', 'requests'] as const;

export type Scope = (typeof SCOPES)[number];

/** Reads space-separated scopes. Unknown ones are left out. */
export function parseScopes(text: string): Scope[] {
  return text.split(' ').filter((word): word is Scope => (SCOPES as readonly string[]).includes(word));
}
