import type { User } from '../../identity/users.ts';
import { type Reward, listRewards as readRewards } from '../../ledger/rewards.ts';
import type { Service } from '../../settlement/service.ts';
import { findNamedUser } from './find-user.ts';

/** All rewards ever granted to a user (an id, or the address of the account), oldest first. Throws `not-found`. */
export async function listRewards(
  { db }: Pick<Service, 'db'>,
  text: string,
): Promise<{ readonly user: User; readonly rewards: readonly Reward[] }> {
  const user = await findNamedUser({ db }, text);
  return { user, rewards: await readRewards(db, user.id) };
}
