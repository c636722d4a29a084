import { LOWEST_ID, newRewardId, type RequestId } from '../../base/ids.ts';
import { asQuarters, lesser } from '../../base/quarters.ts';
import { markOfPayment } from '../../custody/payment-nonces.ts';
import type { Tx } from '../../db/database.ts';
import { findTreasury } from '../../ledger/accounts.ts';
import { waitForFollowing } from '../../ledger/blocks.ts';
import { applyChanges, BalanceChanges } from '../../ledger/postings.ts';
import { type Claim, lockRewards, storeClaims } from '../../ledger/reward-claims.ts';
import { insertRewards, type NewReward } from '../../ledger/rewards.ts';
import { maybeApprovedSince } from '../../requests/recovered-requests.ts';
import { lockRequests, type TransferRequest } from '../../requests/requests.ts';
import { after } from '../../requests/states.ts';
import type { Service } from '../../service/service.ts';
import { findRecovered, nameTransfers } from '../../settlement/tables/recovered.ts';
import { findTransfers, type Transfer } from '../../settlement/tables/transfers.ts';
import { type KnownPayment, transitionRequests } from '../../settlement/transition-requests.ts';
import { reorganised } from './find-lost.ts';

const PAGE = 1_000;

/** What paid a request. `own` is null if a reward paid all of it; both are, if nothing was paid and it was cancelled. */
type PaidParts = { readonly own: Transfer | null; readonly reward: Transfer | null };

/** A request that the chain shows as decided. */
type Decided = PaidParts & { readonly request: Pick<TransferRequest, 'id' | 'userId' | 'amount'> };

/**
 * Finds the requests that were approved since the backup, by what the nonces of recovered transfers name, and completes them. One that was
 * cancelled on the chain, or of which only a part was paid, is cancelled, since it could not be paid again. Returns how many were paid.
 *
 * `since`: requests that were answered before it were answered when the backup was made.
 */
export async function nameRequests(service: Service, since: Date): Promise<number> {
  let paid = 0;
  for (let last: string = LOWEST_ID; ; ) {
    const page = await maybeApprovedSince(service.db, since, last, PAGE);
    if (page.length === 0) return paid;
    last = page.at(-1)!.id;
    const decided = await decidedAmong(service, page);
    if (decided.length > 0) paid += await service.db.transaction((tx) => decide(tx, decided));
  }
}

async function decidedAmong(service: Service, requests: readonly TransferRequest[]): Promise<Decided[]> {
  const shown = await shownParts(
    service,
    requests.map(({ id }) => id),
  );
  return requests.flatMap((request, i) => (shown[i] ? [{ request, ...shown[i] }] : []));
}

/** What the chain shows of each of these requests, in their order; null if nothing. `cancelled`: a part of it can not be paid any more. */
export async function shownParts(
  { db, vault }: Pick<Service, 'db' | 'vault'>,
  requests: readonly RequestId[],
): Promise<((PaidParts & { readonly cancelled: boolean }) | null)[]> {
  const marks = requests.map((request) =>
    (['request', 'reward'] as const).map((kind) => markOfPayment(vault.seed, { kind, request })),
  );
  const recovered = await findRecovered(db, marks.flat());
  const found = new Map(recovered.map(({ what, transferId }) => [Buffer.from(what).toString('hex'), transferId]));
  const transfers = await findTransfers(
    db,
    recovered.flatMap(({ transferId }) => transferId ?? []),
  );
  const byId = new Map(transfers.map((transfer) => [transfer.id, transfer]));
  return marks.map((both) => {
    const ids = both.map((mark) => found.get(mark.toString('hex')));
    if (ids.every((id) => id === undefined)) return null;
    const [own, reward] = ids.map((id) => (id && byId.get(id)) ?? null);
    return { own: own!, reward: reward!, cancelled: ids.includes(null) };
  });
}

/** Returns how many were paid. */
async function decide(tx: Tx, decided: readonly Decided[]): Promise<number> {
  await waitForFollowing(tx);
  const locked = await lockRequests(
    tx,
    decided.map(({ request }) => request.id),
  );
  const isOpen = ({ request }: Decided) => after(locked.get(request.id)!.status, 'recover') !== null;
  const open = decided.filter(isOpen);
  const paid = open.filter(
    ({ request, own, reward }) => (own?.amount ?? 0n) + (reward?.amount ?? 0n) === request.amount,
  );
  const others = open.filter((one) => !paid.includes(one));
  await transitionRequests(tx, idsOf(others), 'cancel', 'operator');
  await transitionRequests(
    tx,
    idsOf(paid),
    'recover',
    'chain',
    new Map(paid.map((one) => [one.request.id, paymentOf(one)])),
  );
  await joinParts(tx, paid);
  return paid.length;
}

/** Gives the transfers of paid requests these requests, and takes what rewards paid. Call it under the follower's lock. */
export async function joinParts(tx: Tx, paid: readonly Decided[]): Promise<void> {
  const legs = paid.flatMap(({ request, own, reward }) => {
    const parts = [own, reward].flatMap((leg) => leg ?? []);
    return parts.map(({ id }) => ({ id, requestId: request.id, isSplit: parts.length > 1 }));
  });
  if ((await nameTransfers(tx, legs)).length < legs.length) throw reorganised();
  await claimRewards(
    tx,
    paid.filter(({ reward }) => reward),
  );
}

const idsOf = (some: readonly Decided[]): RequestId[] => some.map(({ request }) => request.id);

function paymentOf({ own, reward }: Decided): KnownPayment {
  return { txHash: (own ?? reward)!.txHash };
}

/**
 * Takes what rewards paid from the users' rewards, the oldest first, and from the treasury's hold for them. A reward that was granted since
 * the backup is lost. What was spent of it is recorded as a reward of the operator that is used up.
 */
async function claimRewards(tx: Tx, paid: readonly Decided[]): Promise<void> {
  if (paid.length === 0) return;
  const rewards = await lockRewards(
    tx,
    paid.map(({ request }) => request.userId),
  );
  const claims: Claim[] = [];
  const lost: NewReward[] = [];
  let released = 0n;
  for (const { request, reward } of paid) {
    let missing: bigint = reward!.amount;
    for (const locked of rewards.get(request.userId) ?? []) {
      const amount = lesser(locked.left, asQuarters(missing));
      if (amount === 0n) continue;
      locked.left = asQuarters(locked.left - amount);
      missing -= amount;
      released += amount;
      claims.push({ rewardId: locked.id, transferId: reward!.id, amount });
    }
    if (missing === 0n) continue;
    const id = newRewardId();
    const amount = asQuarters(missing);
    lost.push({ id, userId: request.userId, amount, source: 'operator', key: `recovered ${request.id}`, appId: null });
    claims.push({ rewardId: id, transferId: reward!.id, amount });
  }
  await insertRewards(tx, lost);
  await storeClaims(tx, claims);
  const changes = new BalanceChanges();
  changes.add((await findTreasury(tx)).address, { held: -released });
  await applyChanges(tx, changes);
}
