import { Problem } from '../../base/problems.ts';
import type { UserCaller } from '../../identity/callers.ts';
import { findUser, type User } from '../../identity/users.ts';
import type { Service } from '../../settlement/service.ts';

export type Me = Pick<User, 'id' | 'displayName' | 'email' | 'emailVerified'>;

/** The user, as far as the token allows: no name without the scope `profile`, no address without `email`. */
export async function readMe({ db }: Service, { userId, scopes }: UserCaller): Promise<Me> {
  const user = await findUser(db, userId);
  if (!user) throw new Problem('not-found', 'There is no such user.');
  const mayKnowEmail = scopes.includes('email');
  return {
    id: user.id,
    displayName: scopes.includes('profile') ? user.displayName : '',
    email: mayKnowEmail ? user.email : '',
    emailVerified: mayKnowEmail && user.emailVerified,
  };
}
