import { type Address, parseAddress } from '../../base/address.ts';
import { USER_ID_PATTERN, type UserId } from '../../base/ids.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import type { Quarters } from '../../base/quarters.ts';
import type { UserCaller } from '../../identity/callers.ts';
import { findUser, type User } from '../../identity/users.ts';
import { findAccount } from '../../ledger/accounts.ts';
import { type Reward, readRewardsOf, unclaimedRewards } from '../../ledger/rewards.ts';
import type { Service } from '../../settlement/service.ts';
import { ownAccount } from '../accounts/read-account.ts';

/** Quarters granted to the user and not yet claimed. Throws `not-found`. */
export async function readRewards(service: Service, caller: UserCaller, address: Address): Promise<Quarters> {
  await ownAccount(service, caller, address);
  return unclaimedRewards(service.db, caller.userId);
}

/** All rewards ever granted to a user (an id, or the address of the account), oldest first. Throws `not-found`. */
export async function listRewards(
  { db }: Pick<Service, 'db'>,
  text: string,
): Promise<{ readonly user: User; readonly rewards: readonly Reward[] }> {
  const user = await findNamedUser({ db }, text);
  return { user, rewards: await readRewardsOf(db, user.id) };
}

/** The user whom an operator names by id, or by the address of their account. Throws `invalid-input`, `not-found`. */
export async function findNamedUser({ db }: Pick<Service, 'db'>, text: string): Promise<User> {
  // A user's id may begin with 0x too.
  const isAddress = text.startsWith('0x') && !new RegExp(USER_ID_PATTERN).test(text);
  const user = await findUser(db, isAddress ? await ownerOf({ db }, text) : (text as UserId));
  if (!user) throw new Problem('not-found', `There is no user "${text}".`);
  return user;
}

async function ownerOf({ db }: Pick<Service, 'db'>, text: string): Promise<UserId> {
  const address = parseAddress(text);
  if (!address) throw invalidInput('/user', 'is not an Ethereum address, or its checksum is wrong');
  const userId = (await findAccount(db, address))?.userId;
  if (!userId) throw new Problem('not-found', `The account ${text} is no user's.`);
  return userId;
}
