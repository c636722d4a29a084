import type { RequestId, TransferId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { type Lease, LeaseLost, takeNonces } from '../../chain/relayers.ts';
import type { SignedAuthorization } from '../../chain/token.ts';
import type { Tx } from '../../db/database.ts';
import { storeKeyPays } from '../../identity/key-caps.ts';
import { grantStandingApproval, storeStandingSpends } from '../../identity/standing-approvals.ts';
import { findTreasury } from '../../ledger/accounts.ts';
import { noteWelcomes } from '../../ledger/earned-rewards.ts';
import { addHolds } from '../../ledger/holds.ts';
import { storeClaims } from '../../ledger/reward-claims.ts';
import { insertRequests } from '../../requests/requests.ts';
import type { DecideGroup, Outcome } from '../../transfers/group-commit.ts';
import { insertTransactions } from '../../transfers/transactions.ts';
import { findTransfers, findTransfersOfRequest, insertTransfers } from '../../transfers/transfers.ts';
import type { Service } from '../service.ts';
import { moveRequests } from './move-requests.ts';
import { storeOrderAnswers, takeOrderKeys } from './order-keys.ts';
import { approvalsOf, lockRows } from './order-rows.ts';
import { type Decided, decideOrder, type Order, type Verdict } from './orders.ts';
import { type Parcel, payment, type SignedParcel, signAuthorizations, signParcels } from './sign-transfers.ts';
import { type Leg, packLegs, type Spend, toSpend } from './spends.ts';

const LEASE_WAIT_MS = 8_000;
const LEASE_LOOK_MS = 50;
const MAX_LEASES_TRIED = 5;

type Deps = Pick<Service, 'db' | 'vault' | 'chain' | 'settlement' | 'settings'>;

/**
 * Decides a group of orders in one transaction: locks in the printed order (idempotency keys → what `lockRows` says → relayer),
 * sets quarters aside, signs, and stores everything that is needed to pay. No network in here.
 */
export function decideTransfers(deps: Deps): DecideGroup<Order, Decided> {
  let turn = 0;
  return async (orders, uncertain) => {
    let lease = await nextLease(deps.settlement, turn++);
    const authorizations = await signAuthorizations(deps.db, deps, orders);
    for (let attempt = 1; ; attempt++) {
      try {
        return await deps.db.transaction((tx) => decideIn(tx, deps, lease, orders, authorizations, uncertain));
      } catch (error) {
        // Relayers change hands when processes come and go; nothing was decided, so the next one does.
        if (!(error instanceof LeaseLost)) throw error;
        if (attempt === MAX_LEASES_TRIED) throw new Problem('overloaded', 'The relayers changed hands. Try again.');
        const lost = lease;
        deps.settlement.leases = deps.settlement.leases.filter((held) => held !== lost);
        lease = await nextLease(deps.settlement, turn++);
      }
    }
  };
}

async function decideIn(
  tx: Tx,
  deps: Deps,
  lease: Lease,
  orders: readonly Order[],
  presigned: ReadonlyMap<TransferId, SignedAuthorization>,
  uncertain: boolean,
): Promise<Outcome<Decided>[]> {
  const keys = await takeOrderKeys(tx, orders);
  const rows = await lockRows(tx, orders);
  const done = uncertain ? await findDone(tx, orders) : new Map<TransferId, Decided>();
  const isNew = (order: Order) => !done.has(order.transferId) && !keys.answers.has(order.transferId);
  const verdicts = orders.map((order) => (isNew(order) ? decideOrder(order, rows, deps.settings.maxAmount) : null));
  const spends = await toSpends(tx, orders, verdicts);

  const transactions = new Map<TransferId, SignedParcel>();
  if (spends.length > 0) {
    const authorizations = await signSplit(tx, deps, spends, presigned);
    const parcels = pack(deps, spends, authorizations);
    const firstNonce = await takeNonces(tx, lease, parcels.length);
    for (const parcel of signParcels(deps, lease, firstNonce, parcels)) {
      for (const id of parcel.cargo) transactions.set(id, parcel);
    }
    await store(tx, deps, spends, authorizations, transactions);
    await storeKeyPays(tx, [...rows.keyCaps.values()]);
    await storeStandingSpends(tx, [...rows.standing.values()]);
  }
  const results = await outcomes(tx, orders, verdicts, done, transactions);
  await storeOrderAnswers(tx, keys, results);
  return orders.map(({ transferId }, i) => keys.answers.get(transferId)?.(results) ?? results[i]!);
}

/** Relayers in turn. After a crash the old leases run out within seconds: that is waited for, and not refused. */
async function nextLease(settlement: Service['settlement'], turn: number): Promise<Lease> {
  const deadline = Date.now() + LEASE_WAIT_MS;
  for (;;) {
    const lease = settlement.leases[turn % settlement.leases.length];
    if (lease) return lease;
    if (Date.now() > deadline) throw new Problem('overloaded', 'No relayer is free at the moment. Try again.');
    await new Promise((resolve) => setTimeout(resolve, LEASE_LOOK_MS));
  }
}

/** After a lost COMMIT reply: what the earlier try has stored. Its locks are gone by now, so what is not here never was. */
async function findDone(tx: Tx, orders: readonly Order[]): Promise<Map<TransferId, Decided>> {
  const transfers = await findTransfers(
    tx,
    orders.map(({ transferId }) => transferId),
  );
  return new Map(transfers.map(({ id, requestId, txHash }) => [id, { transferId: id, requestId, txHash }]));
}

/** The accepted orders, each with what pays it. */
async function toSpends(tx: Tx, orders: readonly Order[], verdicts: readonly (Verdict | null)[]): Promise<Spend[]> {
  const usesRewards = verdicts.some((verdict) => verdict?.kind === 'accepted' && verdict.rewards.length > 0);
  const treasury = usesRewards ? (await findTreasury(tx)).address : null;
  return orders.flatMap((order, i) => {
    const verdict = verdicts[i];
    return verdict?.kind === 'accepted' ? [toSpend(order, verdict.rewards, treasury)] : [];
  });
}

/** What a reward pays is known only now that it is locked: the split orders are signed anew. */
async function signSplit(
  tx: Tx,
  deps: Deps,
  spends: readonly Spend[],
  presigned: ReadonlyMap<TransferId, SignedAuthorization>,
): Promise<ReadonlyMap<TransferId, SignedAuthorization>> {
  const split = spends.filter(({ claims }) => claims.length > 0).flatMap(({ legs }) => legs);
  return split.length === 0 ? presigned : new Map([...presigned, ...(await signAuthorizations(tx, deps, split))]);
}

function pack(
  deps: Deps,
  spends: readonly Spend[],
  authorizations: ReadonlyMap<TransferId, SignedAuthorization>,
): Parcel[] {
  const signed = ({ transferId, from }: Leg): [TransferId, SignedAuthorization] => {
    const authorization = authorizations.get(transferId);
    if (!authorization) throw new Error(`The key of ${from} is not ours`);
    return [transferId, authorization];
  };
  return packLegs(spends, deps.settings.transfersPerTransaction).map((legs) => payment(deps, legs.map(signed)));
}

async function store(
  tx: Tx,
  { settings }: Deps,
  spends: readonly Spend[],
  authorizations: ReadonlyMap<TransferId, SignedAuthorization>,
  transactions: ReadonlyMap<TransferId, SignedParcel>,
): Promise<void> {
  const accepted = spends.map(({ order }) => order);
  const approvals = approvalsOf(accepted);
  const payouts = accepted.flatMap(({ origin }) => (origin.kind === 'payout' ? [origin.request] : []));
  await insertRequests(tx, payouts, 'approved');
  for (const { grant, userId, appId } of approvals) {
    if (grant) await grantStandingApproval(tx, { userId, appId, ...grant });
  }

  const holds = new Map<Order['from'], Order['amount']>();
  for (const { order, own } of spends) holds.set(order.from, ((holds.get(order.from) ?? 0n) + own) as Order['amount']);
  await addHolds(tx, holds);
  await insertTransfers(
    tx,
    spends.flatMap(({ order, legs }) =>
      legs.map(({ transferId }) => ({
        ...authorizations.get(transferId)!,
        id: transferId,
        requestId: requestOf(order.origin),
        txHash: transactions.get(transferId)!.hash,
      })),
    ),
  );
  await storeClaims(
    tx,
    spends.flatMap(({ claims }) => claims),
  );
  await insertTransactions(tx, [...new Set(transactions.values())]);
  await moveRequests(
    tx,
    approvals.map(({ requestId }) => requestId),
    'approve',
    approvals.map(({ actor }) => actor),
  );
  if (settings.welcomeReward > 0n) {
    await noteWelcomes(
      tx,
      approvals.filter(({ by }) => by === 'page'),
    );
  }
}

function requestOf(origin: Order['origin']): RequestId | null {
  if (origin.kind === 'approval') return origin.requestId;
  return origin.kind === 'payout' ? origin.request.id : null;
}

async function outcomes(
  tx: Tx,
  orders: readonly Order[],
  verdicts: readonly (Verdict | null)[],
  done: ReadonlyMap<TransferId, Decided>,
  transactions: ReadonlyMap<TransferId, SignedParcel>,
): Promise<Outcome<Decided>[]> {
  const results: Outcome<Decided>[] = [];
  for (const [i, { transferId, origin }] of orders.entries()) {
    const verdict = verdicts[i];
    if (!verdict) {
      const result = done.get(transferId);
      // Answered by its idempotency key instead, where it was not found done.
      results.push(result ? { ok: true, result } : { ok: false, error: new Error('This order was not decided') });
    } else if (verdict.kind === 'refused') {
      results.push({ ok: false, error: verdict.problem });
    } else if (verdict.kind === 'accepted') {
      const { hash } = transactions.get(transferId)!;
      results.push({ ok: true, result: { transferId, requestId: requestOf(origin), txHash: hash } });
    } else {
      const [first] = await findTransfersOfRequest(tx, verdict.requestId);
      results.push({
        ok: true,
        result: { transferId: first!.id, requestId: verdict.requestId, txHash: first!.txHash },
      });
    }
  }
  return results;
}
