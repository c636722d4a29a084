import type { Address } from '../../base/address.ts';
import { newRewardId, type UserId } from '../../base/ids.ts';
import { namesAddress, pastedAddress } from '../../base/pasted-address.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import { asQuarters, lesser, type Quarters } from '../../base/quarters.ts';
import type { Tx } from '../../db/database.ts';
import type { UserCaller } from '../../identity/callers.ts';
import { lookUpNamedUser, lookUpUser, type User } from '../../identity/users.ts';
import { addHolds, available, lookUpAccount } from '../../ledger/accounts.ts';
import { orphanedDeposits } from '../../ledger/orphaned-deposits.ts';
import { claimLostRewards, spentOfLostRewards } from '../../ledger/reward-claims.ts';
import {
  findRewards,
  type Granting,
  insertRewards,
  lockForGrants,
  type Reward,
  readRewardsOf,
  unclaimedRewards,
} from '../../ledger/rewards.ts';
import { recordChange } from '../../operator-log/record.ts';
import { quartersUnconfirmed } from '../../service/instruction.ts';
import type { Service } from '../../service/service.ts';
import { refuseWhileSuspended } from '../../settlement/may-act.ts';
import { ownAccount } from '../../views/accounts/read-account.ts';

const MAX_KEY_LENGTH = 255;

export function checkRewardKey(key: string | undefined): void {
  if (key === undefined || (key.length >= 1 && key.length <= MAX_KEY_LENGTH)) return;
  throw invalidInput('/key', `must have 1 to ${MAX_KEY_LENGTH} characters`);
}

/** Whom nobody may reward now: a guest belongs to its app, so the app would be rewarding itself. */
export function refuseReward(service: Pick<Service, 'readiness'>, user: User): void {
  refuseWhileSuspended(service);
  if (user.kind !== 'full') throw invalidInput('/user', 'is a guest; rewards are for full users only');
}

/**
 * Grants quarters of the treasury to a full user, once for each key, however much later. The treasury holds them from then on, and the
 * user's next approved transfers claim them.
 *
 * `isNamed`: an operator has chosen the key, so a restored database may have lost the reward. What the user has spent of lost rewards then
 * counts as spent of this one.
 */
export async function grantRewardIn(
  tx: Tx,
  userId: UserId,
  amount: Quarters,
  { key, isNamed, reason }: { readonly key: string; readonly isNamed: boolean; readonly reason: string },
): Promise<Reward & { readonly replayed: boolean }> {
  // From here on grants run one after another, so that equal ones find each other.
  const { treasury, open } = await lockForGrants(tx, [userId]);
  const { address } = treasury;
  const [earlier] = await findRewards(tx, 'operator', [key]);
  if (earlier) {
    if (earlier.userId === userId && earlier.amount === amount) return { ...earlier, replayed: true };
    throw new Problem('idempotency-mismatch', 'This key was used before, for another user or another amount.');
  }
  if (!open.has(userId)) throw invalidInput('/user', 'has closed their account in the meantime');
  const spent = isNamed ? lesser(amount, await spentOfLostRewards(tx, userId)) : asQuarters(0);
  const held = asQuarters(amount - spent);
  await requireFree(tx, treasury, held);
  const id = newRewardId();
  await insertRewards(tx, [{ id, userId, amount, source: 'operator', key, appId: null }]);
  await claimLostRewards(tx, userId, id, spent);
  await addHolds(tx, new Map([[address, held]]));
  const after = { reward: id, amount };
  await recordChange(tx, { action: 'reward-granted', subject: { kind: 'user', id: userId }, after, reason });
  return { ...(await findRewards(tx, 'operator', [key]))[0]!, replayed: false };
}

async function requireFree(tx: Tx, treasury: Granting['treasury'], amount: Quarters): Promise<void> {
  const free = available(treasury);
  if (free >= amount) return;
  const orphaned = (await orphanedDeposits(tx, [treasury.address])).get(treasury.address);
  if (orphaned && treasury.posted - treasury.held + orphaned >= amount) throw quartersUnconfirmed(orphaned);
  throw new Problem('insufficient-quarters', `The treasury has ${free} free quarters; ${amount} are needed.`);
}

/** All rewards ever granted to a user (an id, or the address of the account), oldest first. */
export async function listRewards(
  service: Pick<Service, 'db' | 'chain'>,
  text: string,
): Promise<{ readonly user: User; readonly rewards: readonly Reward[] }> {
  const user = await findNamedUser(service, text);
  return { user, rewards: await readRewardsOf(service.db, user.id) };
}

/** The user whom an operator names by id, or by the address of their account. */
export async function findNamedUser(service: Pick<Service, 'db' | 'chain'>, text: string): Promise<User> {
  const { db } = service;
  const user = await (namesAddress(text) ? lookUpUser(db, await ownerOf(service, text)) : lookUpNamedUser(db, text));
  if (!user) throw new Problem('not-found', `There is no user "${text}".`);
  return user;
}

async function ownerOf({ db, chain }: Pick<Service, 'db' | 'chain'>, text: string): Promise<UserId> {
  const address = pastedAddress(text, chain.chainId, '/user');
  const userId = (await lookUpAccount(db, address))?.userId;
  if (!userId) throw new Problem('not-found', `The account ${text} is no user's.`);
  return userId;
}

/** Quarters granted to the user and not yet claimed. */
export async function readRewards(service: Service, caller: UserCaller, address: Address): Promise<Quarters> {
  await ownAccount(service, caller, address);
  return unclaimedRewards(service.db, caller.userId);
}

/** A reward, as commands print it. */
export function rewardJson({ id, userId, amount, left, source, key, appId, grantedAt }: Reward) {
  return {
    id,
    userId,
    quarters: Number(amount),
    left: Number(left),
    source,
    key,
    appId,
    grantedAt: grantedAt.toISOString(),
  };
}
