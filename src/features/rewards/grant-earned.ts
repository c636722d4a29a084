import { type AppId, newRewardId, type RequestId, type UserId } from '../../base/ids.ts';
import { asQuarters, lesser, type Quarters } from '../../base/quarters.ts';
import type { Tx } from '../../db/database.ts';
import { holdLivingApps } from '../../identity/apps.ts';
import { fullUsersAmong } from '../../identity/users.ts';
import { addHolds } from '../../ledger/accounts.ts';
import { claimLostRewards, spentOfLostRewards } from '../../ledger/reward-claims.ts';
import {
  type Earned,
  findRewards,
  grantedToday,
  hasEarned,
  insertRewards,
  lockForGrants,
  type NewReward,
  takeEarned,
} from '../../ledger/rewards.ts';
import { findRequests } from '../../requests/requests.ts';
import type { Service } from '../../service/service.ts';
import { findTransfersOfRequests } from '../../settlement/tables/transfers.ts';

const MOST = 100;

type Deps = Pick<Service, 'db' | 'settings' | 'log'>;

/**
 * Grants what the rules owe for payments noted since the last round, as far as the caps and the treasury allow. What
 * they do not allow is not granted later either. Each rule grants once per key, so a payment that a reorganisation
 * completes a second time earns nothing more. What it earned the first time is kept, because the stored bytes pay it
 * again.
 *
 * Returns true if there may be more to do at once.
 */
export async function grantEarned({ db, settings, log }: Deps): Promise<boolean> {
  if (!(await hasEarned(db))) return false;
  const done = await db.transaction(async (tx) => {
    const earned = await takeEarned(tx, MOST);
    const found = await candidatesOf(tx, settings, earned);
    const users = found.map(({ userId }) => userId);
    // A reward's foreign key locks its app too, but later: whoever waited for its deletion would hold the treasury meanwhile.
    await holdLivingApps(
      tx,
      found.map(({ appId }) => appId),
    );
    // From here on nobody else grants, so what is counted stays true until COMMIT.
    const { treasury, open } = await lockForGrants(tx, users);
    const candidates = found.filter(({ userId }) => open.has(userId));
    const apps = candidates.map(({ appId }) => appId);
    const within = withinCaps(await ungranted(tx, candidates), await grantedToday(tx, users, apps), settings);
    const { covered, sum } = coveredBy(asQuarters(treasury.posted - treasury.held), within);
    await insertRewards(tx, covered);
    const held = asQuarters(sum - (await claimSpentWelcomes(tx, covered)));
    if (held > 0n) await addHolds(tx, new Map([[treasury.address, held]]));
    return { taken: earned.length, uncovered: within.length - covered.length };
  });
  if (done.uncovered > 0) log.warn({ rewards: done.uncovered }, 'the treasury lacks quarters for all rewards');
  return done.taken === MOST;
}

/** A reward as the rule states it, before the caps. */
export type Candidate = NewReward & { readonly source: Earned['source']; readonly appId: AppId };

async function candidatesOf(tx: Tx, settings: Service['settings'], earned: readonly Earned[]): Promise<Candidate[]> {
  const ids = [...new Set(earned.map(({ requestId }) => requestId))];
  const requests = new Map((await findRequests(tx, ids)).map((request) => [request.id, request]));
  const paid = new Map<RequestId, bigint>();
  for (const { requestId, from, amount, status } of await findTransfersOfRequests(tx, ids)) {
    // The part paid by a reward earns nothing, or rewards would feed themselves.
    const isOwn = requestId && status === 'completed' && from === requests.get(requestId)?.from;
    if (isOwn) paid.set(requestId, (paid.get(requestId) ?? 0n) + amount);
  }
  const full = await fullUsersAmong(tx, [...new Set([...requests.values()].map(({ userId }) => userId))]);
  return earned.flatMap(({ source, requestId }): Candidate[] => {
    const request = requests.get(requestId);
    if (request?.source !== 'user' || !full.has(request.userId)) return [];
    const { userId, appId } = request;
    const share = ((paid.get(requestId) ?? 0n) * BigInt(settings.rewardSharePercent)) / 100n;
    const amount = source === 'welcome' ? settings.welcomeReward : asQuarters(share);
    const key = source === 'welcome' ? userId : requestId;
    return amount > 0n ? [{ id: newRewardId(), userId, appId, amount, source, key }] : [];
  });
}

async function ungranted(tx: Tx, candidates: readonly Candidate[]): Promise<Candidate[]> {
  const taken = new Set<string>();
  for (const source of ['welcome', 'share'] as const) {
    const keys = candidates.filter((candidate) => candidate.source === source).map(({ key }) => key);
    for (const { key } of await findRewards(tx, source, keys)) taken.add(`${source} ${key}`);
  }
  return candidates.filter(({ source, key }) => {
    const name = `${source} ${key}`;
    const isNew = !taken.has(name);
    taken.add(name);
    return isNew;
  });
}

/**
 * What the caps leave of the rewards, one after the other. `granted`: today's shares by user and sums by app, which
 * this function adds to. A share is cut to what is left of the day. A welcome reward is granted in full or not now,
 * because the next payment can earn it as well.
 */
export function withinCaps(
  candidates: readonly Candidate[],
  granted: Map<UserId | AppId, Quarters>,
  {
    rewardsPerUserPerDay,
    rewardsPerAppPerDay,
  }: Pick<Service['settings'], 'rewardsPerUserPerDay' | 'rewardsPerAppPerDay'>,
): Candidate[] {
  const today = (id: UserId | AppId) => granted.get(id) ?? asQuarters(0);
  const note = (id: UserId | AppId, amount: Quarters) => granted.set(id, asQuarters(today(id) + amount));
  return candidates.flatMap((candidate) => {
    const { userId, appId, source } = candidate;
    const leftOfApp = rewardsPerAppPerDay - today(appId);
    const left = source === 'welcome' ? leftOfApp : lesser(leftOfApp, rewardsPerUserPerDay - today(userId));
    if (left <= 0n || (source === 'welcome' && left < candidate.amount)) return [];
    const amount = lesser(candidate.amount, left);
    if (source === 'share') note(userId, amount);
    note(appId, amount);
    return [{ ...candidate, amount }];
  });
}

/**
 * What a player has spent of rewards that a restored database lacks counts as spent of their welcome reward: that may be what was lost.
 * Returns how much.
 */
async function claimSpentWelcomes(tx: Tx, granted: readonly NewReward[]): Promise<bigint> {
  let sum = 0n;
  for (const { id, userId, amount, source } of granted) {
    if (source !== 'welcome') continue;
    const spent = lesser(amount, await spentOfLostRewards(tx, userId));
    await claimLostRewards(tx, userId, id, spent);
    sum += spent;
  }
  return sum;
}

function coveredBy(free: Quarters, candidates: readonly Candidate[]): { covered: Candidate[]; sum: Quarters } {
  let sum = 0n;
  const covered = candidates.filter(({ amount }) => {
    const isCovered = sum + amount <= free;
    if (isCovered) sum += amount;
    return isCovered;
  });
  return { covered, sum: asQuarters(sum) };
}
