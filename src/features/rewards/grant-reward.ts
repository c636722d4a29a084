import { newRewardId, type UserId } from '../../base/ids.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import type { Quarters } from '../../base/quarters.ts';
import type { Tx } from '../../db/database.ts';
import { addHolds, available } from '../../ledger/accounts.ts';
import { orphanedDeposits } from '../../ledger/orphaned-deposits.ts';
import { findRewards, insertRewards, lockForGrants, type Reward } from '../../ledger/rewards.ts';
import { quartersUnconfirmed } from '../../settlement/accept/instruction.ts';
import type { Service } from '../../settlement/service.ts';
import { refuseWhileSuspended } from '../../settlement/suspension.ts';
import { orLook, whatToDo } from '../../settlement/unknown-outcome.ts';
import { findNamedUser } from './read-rewards.ts';

const MAX_KEY_LENGTH = 255;

export type Grant = {
  /** A user's id, or the address of their account. */
  readonly user: string;
  readonly amount: Quarters;
  /** A repetition with the same key, however much later, is the same grant. */
  readonly key?: string | undefined;
};

/**
 * Grants quarters of the treasury to a full user. The treasury holds them from then on, and the user's next approved
 * transfers claim them.
 *
 * Throws `invalid-input` (a guest), `not-found`, `insufficient-quarters`, `quarters-unconfirmed`,
 * `idempotency-mismatch`, `payments-suspended`, `outcome-unknown`.
 */
export async function grantReward(
  service: Pick<Service, 'db' | 'readiness' | 'security'>,
  { user: text, amount, key }: Grant,
): Promise<Reward & { readonly replayed: boolean }> {
  if (key !== undefined && (key.length < 1 || key.length > MAX_KEY_LENGTH)) {
    throw invalidInput('/key', `must have 1 to ${MAX_KEY_LENGTH} characters`);
  }
  refuseWhileSuspended(service);
  const user = await findNamedUser(service, text);
  // A guest belongs to its app, so the app would be rewarding itself.
  if (user.kind !== 'full') throw invalidInput('/user', 'is a guest; rewards are for full users only');
  const look = `Grant again only if \`quarters rewards list ${user.id}\` does not show it.`;
  const granted = await orLook(
    service.db.transaction((tx) => grantIn(tx, user.id, amount, key)),
    whatToDo(key, look),
  );
  if (!granted.replayed) service.security.note('reward-granted', { userId: user.id, what: granted.id });
  return granted;
}

async function grantIn(tx: Tx, userId: UserId, amount: Quarters, givenKey: string | undefined) {
  // From here on grants run one after another, so that equal ones find each other.
  const { treasury, open } = await lockForGrants(tx, [userId]);
  const { address } = treasury;
  const earlier = givenKey === undefined ? undefined : (await findRewards(tx, 'operator', [givenKey]))[0];
  if (earlier) {
    if (earlier.userId === userId && earlier.amount === amount) return { ...earlier, replayed: true };
    throw new Problem('idempotency-mismatch', 'This key was used before, for another user or another amount.');
  }
  if (!open.has(userId)) throw invalidInput('/user', 'has closed their account in the meantime');
  const free = available(treasury);
  if (free < amount) {
    const orphaned = (await orphanedDeposits(tx, [address])).get(address);
    if (orphaned && treasury.posted - treasury.held + orphaned >= amount) throw quartersUnconfirmed(orphaned);
    throw new Problem('insufficient-quarters', `The treasury has ${free} free quarters; ${amount} are needed.`);
  }
  const id = newRewardId();
  const key = givenKey ?? id;
  await insertRewards(tx, [{ id, userId, amount, source: 'operator', key, appId: null }]);
  await addHolds(tx, new Map([[address, amount]]));
  return { ...(await findRewards(tx, 'operator', [key]))[0]!, replayed: false };
}
