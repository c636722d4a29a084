import type { GuestTokenPurpose } from '../../src/identity/guest-tokens.ts';
import { changing, insertRows, type Queries, type Where } from './statements.ts';
import { ago, earlier } from './times.ts';

type UserColumns = {
  readonly id: string;
  readonly kind: 'guest' | 'full' | 'closed';
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly becameFullAt: Date | null;
  readonly closedAt: Date | null;
  readonly createdAt: Date;
};

/** Guests of this app. */
export function insertGuestRows(db: Queries, appId: string, ids: readonly string[]): Promise<void> {
  return insertRows(
    db,
    'users',
    ids.map((id) => ({ id, kind: 'guest', displayName: 'Guest', guestOf: appId })),
  );
}

/** Full users with these names. */
export function insertFullUserRows(
  db: Queries,
  users: readonly { readonly id: string; readonly displayName: string; readonly email: string }[],
): Promise<void> {
  const became = { kind: 'full', emailVerified: true, becameFullAt: new Date() };
  return insertRows(
    db,
    'users',
    users.map((user) => ({ ...user, ...became })),
  );
}

export const changeUsers = changing<UserColumns>('users');

/** Closes only the user: their sessions, tokens and other rows do not change. */
export function closeUserAlone(db: Queries, userId: string): Promise<void> {
  return changeUsers(db, { id: userId }, { kind: 'closed', email: null, closedAt: ago() });
}

const changePasswords = changing<{ readonly userId: string; readonly changedAt: Date }>('passwords');

/** Makes the user's password that much older. */
export function agePassword(db: Queries, userId: string, age: string): Promise<void> {
  return changePasswords(db, { userId }, { changedAt: earlier('changedAt', age) });
}

type GuestTokenColumns = {
  readonly hash: Uint8Array;
  readonly purpose: GuestTokenPurpose;
  readonly userId: string;
  readonly lastUsedAt: Date;
  readonly revokedAt: Date | null;
};

export const changeGuestTokens = changing<GuestTokenColumns>('guest_tokens');

/** Makes their last use that much older. */
export function ageGuestTokens(db: Queries, which: Where<GuestTokenColumns>, age: string): Promise<void> {
  return changeGuestTokens(db, which, { lastUsedAt: ago(age) });
}
