import type { UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { findUserByEmail } from '../../identity/users.ts';
import type { Service } from '../../settlement/service.ts';

/** The user who is to own an app. Throws `not-found`. */
export async function findOwner({ db }: Pick<Service, 'db'>, email: string): Promise<UserId> {
  const user = await findUserByEmail(db, email);
  if (!user) throw new Problem('not-found', `Nobody has signed up with ${email}.`);
  return user.id;
}
