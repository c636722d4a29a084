import type { Address } from '../../base/address.ts';
import { LOWEST_ID, type RequestId, transferIdOf } from '../../base/ids.ts';
import { asQuarters } from '../../base/quarters.ts';
import { readWhat } from '../../custody/payment-nonces.ts';
import type { Queries, Tx } from '../../db/database.ts';
import { waitForFollowing } from '../../ledger/blocks.ts';
import { lockRequests } from '../../requests/lock-requests.ts';
import { insertRecoveredRequests } from '../../requests/recovered-requests.ts';
import type { NewRequest, TransferRequest } from '../../requests/requests.ts';
import { after } from '../../requests/states.ts';
import type { Service } from '../../service/service.ts';
import {
  nameTransfers,
  type UnnamedPayment,
  unnamedAmong,
  unnamedPayments,
  unnamedPaymentsOf,
} from '../../settlement/tables/recovered.ts';
import { takeBackNamed } from '../../settlement/take-back-named.ts';
import { transitionRequests } from '../../settlement/transition-requests.ts';
import { claimSpentRewards, type SpentReward } from './claim-spent-rewards.ts';
import { type PaymentParties, partiesOf, playersOf } from './parties.ts';
import { paymentsOfRefunds } from './refunded-payments.ts';

/** How many requests of users, and how many refunds, were found to be paid. */
export type NamedPayments = { readonly requests: number; readonly refunds: number };

const PAGE = 1_000;

/** The owner of an account has become known, so it may be known now what recovered payments were. Does nothing if no database was restored. */
export async function nameWhatBelongsTo(service: Service, account: Address): Promise<void> {
  if (service.readiness.recovered) await namePayments(service, account);
}

/** What the chain shows of a request. `own` is null if a reward paid all of it, or its payer's part is not mined yet. */
type Shown = { readonly id: RequestId; readonly own: UnnamedPayment | null; readonly reward: UnnamedPayment | null };
type PaidRequest = Shown & Pick<TransferRequest, 'userId'>;

/**
 * Gives recovered payments the requests that their nonces name. A request that the database has is completed, whatever its state: the chain has
 * paid it. One that was made since is made again, without its text, as soon as its app and its player are known. Payouts and refunds too.
 *
 * `account`: only what concerns this account, whose owner has become known. Each step finds only what is missing.
 */
export async function namePayments(service: Service, account: Address | null = null): Promise<NamedPayments> {
  const requests = await nameEach(service, account, false);
  // Refunds name payments, which may be among those.
  return { requests, refunds: await nameEach(service, account, true) };
}

async function nameEach(service: Service, account: Address | null, areRefunds: boolean): Promise<number> {
  const { db, vault } = service;
  let count = 0;
  for (let last: string = LOWEST_ID; ; ) {
    const page = await (account ? unnamedPaymentsOf(db, account, last, PAGE) : unnamedPayments(db, last, PAGE));
    if (page.length === 0) return count;
    last = page.at(-1)!.id;
    const names = page.map(({ what }) => readWhat(vault.seed, what));
    const ids = names.flatMap(({ part, id }) => ((part === 'refund') === areRefunds ? [id as RequestId] : []));
    const shown = await shownParts(db, [...new Set(ids)]);
    if (shown.length > 0) count += await nameAmong(service, shown, areRefunds);
  }
}

/** The parts of these requests that the chain shows. Both may be on different pages. */
async function shownParts(db: Queries, ids: readonly RequestId[]): Promise<Shown[]> {
  const parts = ids.map((id) => [transferIdOf(id), transferIdOf(id, 'reward')] as const);
  const payments = new Map((await unnamedAmong(db, parts.flat())).map((payment) => [payment.id, payment]));
  return ids.flatMap((id, i) => {
    const [own = null, reward = null] = parts[i]!.map((part) => payments.get(part));
    return own || reward ? [{ id, own, reward }] : [];
  });
}

async function nameAmong(service: Service, seen: readonly Shown[], areRefunds: boolean): Promise<number> {
  const parties = await partiesOf(
    service,
    seen.map((one) => (one.own ?? one.reward)!),
  );
  const refunded = areRefunds ? await paymentsOfRefunds(service, seen, parties) : null;
  const players = await playersOf(
    service,
    seen.flatMap(({ reward }) => reward ?? []),
  );
  return service.db.transaction(async (tx) => {
    await waitForFollowing(tx);
    // Others may have named some, and a reorganisation may have opened some again.
    const shown = await shownParts(tx, idsOf(seen));
    const known = await lockRequests(tx, idsOf(shown));
    const completed = await completeKnown(tx, shown, known);
    const lost = shown.filter(({ id }) => !known.has(id));
    const made = lost.flatMap((one) => newRequest(service, one, parties.get(one.id), refunded) ?? []);
    await insertRecoveredRequests(tx, made);
    const byId = new Map(made.map((request) => [request.id, request]));
    const remade = lost.flatMap((one) => {
      const request = byId.get(one.id);
      return request ? [{ ...one, userId: request.userId }] : [];
    });
    const named = new Map([...completed, ...remade].map((paid) => [paid.id, paid]));
    await joinParts(tx, [...named.values()]);
    // A reward is spent, even if its request is not known (the database may lack its app), or a reorganisation has opened its transfer again.
    const spent = shown.flatMap(({ id: requestId, reward }): SpentReward[] => {
      const userId = named.get(requestId)?.userId ?? (reward && players.get(reward.one));
      return reward && reward.status !== 'failed' && userId ? [{ requestId, userId, reward }] : [];
    });
    await claimSpentRewards(tx, spent);
    return completed.length + made.filter(({ source }) => source !== 'payout').length;
  });
}

/**
 * Completes those requests of the database that are paid. One of which only a part was paid is cancelled, since it could not be paid again.
 * Returns those that were paid.
 */
async function completeKnown(
  tx: Tx,
  shown: readonly Shown[],
  known: ReadonlyMap<RequestId, TransferRequest>,
): Promise<PaidRequest[]> {
  const open = shown.flatMap((one): (PaidRequest & { readonly isWhole: boolean })[] => {
    const request = known.get(one.id);
    if (!request || after(request.status, 'recover') === null) return [];
    return [{ ...one, userId: request.userId, isWhole: sumOf(one) === request.amount }];
  });
  const paid = open.filter(({ isWhole }) => isWhole);
  const parts = open.filter(({ isWhole }) => !isWhole);
  const payments = new Map(paid.map(({ id, own, reward }) => [id, { txHash: (own ?? reward)!.txHash }]));
  await transitionRequests(tx, idsOf(parts), 'cancel', 'operator');
  await transitionRequests(tx, idsOf(paid), 'recover', 'chain', payments);
  return paid;
}

const idsOf = (some: readonly Pick<Shown, 'id'>[]): RequestId[] => some.map(({ id }) => id);

const sumOf = ({ own, reward }: Shown): bigint => (own?.amount ?? 0n) + (reward?.amount ?? 0n);

/** The request that was lost; null while it is not known between whom it is. `payments`: what refunds refund; null if these are none. */
function newRequest(
  { settings }: Service,
  shown: Shown,
  parties: PaymentParties | undefined,
  payments: ReadonlyMap<RequestId, TransferRequest> | null,
): (NewRequest & { readonly at: Date }) | null {
  const { id, own, reward } = shown;
  const refunded = payments?.get(id);
  if (!parties || (payments && !refunded)) return null;
  const { appId, userId, userAddress, isPayout } = parties;
  const source = refunded ? 'refund' : isPayout ? 'payout' : 'user';
  const { at, from, to } = own ?? { ...reward!, from: userAddress };
  return {
    ...{ id, appId, userId, source, from, to, amount: asQuarters(sumOf(shown)), at },
    ...{ description: refunded?.description ?? '', ttlSeconds: settings.requestTtlSeconds },
    ...(refunded && { refundOf: refunded.id }),
  };
}

/** Gives the transfers of paid requests these requests. Call it under the follower's lock. */
async function joinParts(tx: Tx, paid: readonly PaidRequest[]): Promise<void> {
  const legs = paid.flatMap(({ id: requestId, own, reward }) => {
    const parts = [own, reward].flatMap((leg) => leg ?? []);
    return parts.map(({ id }) => ({ id, requestId, isSplit: parts.length > 1 }));
  });
  if (legs.length === 0) return;
  await takeBackNamed(tx, await nameTransfers(tx, legs));
}
