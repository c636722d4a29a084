import type { RequestId, TransferId } from '../../base/ids.ts';
import { type Relayer, takeNonces } from '../../chain/relayers.ts';
import type { SignedAuthorization } from '../../chain/token.ts';
import type { Tx } from '../../db/database.ts';
import { storeKeyDays } from '../../identity/key-caps.ts';
import { grantMandate, storeMandateSpending } from '../../identity/mandates.ts';
import { addHolds, findTreasury } from '../../ledger/accounts.ts';
import { storeClaims } from '../../ledger/reward-claims.ts';
import { recordWelcomes } from '../../ledger/rewards.ts';
import { insertApprovedRequests } from '../../requests/requests.ts';
import type { Service } from '../service.ts';
import { insertTransactions } from '../tables/transactions.ts';
import { findTransfers, findTransfersOfRequest, insertTransfers } from '../tables/transfers.ts';
import { transitionRequests } from '../transition-requests.ts';
import { chooseRelayer, isHeld } from './choose-relayer.ts';
import { decideGroup, type GroupDecision } from './decision.ts';
import type { AcceptGroup, ItemOutcome } from './group-commit.ts';
import { storeGroupAnswers, takeGroupKeys } from './idempotent-answers.ts';
import type { Accepted, Instruction } from './instruction.ts';
import { approvalsOf, lockRows } from './lock-set.ts';
import { type Bundle, payment, type SignedBundle, signAuthorizations, signBundles } from './signing.ts';
import { type Leg, packLegs, type Split, toSplit } from './splits.ts';

type Deps = Pick<Service, 'db' | 'vault' | 'chain' | 'settlement' | 'settings'>;

/**
 * Accepts or refuses a group of instructions in one transaction. It locks in the documented order (idempotency keys →
 * what `lockRows` lists → relayer), holds the quarters, signs, and stores everything needed to pay. It makes no network
 * call.
 */
export function acceptInstructions(deps: Deps): AcceptGroup<Instruction, Accepted> {
  let turn = 0;
  return async (orders, uncertain) => {
    const relayer = chooseRelayer(deps.settlement, turn++);
    const authorizations = await signAuthorizations(deps.db, deps, orders);
    const outcomes = await deps.db.transaction((tx) => decideIn(tx, deps, relayer, orders, authorizations, uncertain));
    // Another process sends for this relayer. If the notification is lost, that process looks by itself within a
    // second.
    if (!isHeld(deps.settlement, relayer)) void deps.db.notifyOthers(['transactions']).catch(() => {});
    return outcomes;
  };
}

async function decideIn(
  tx: Tx,
  deps: Deps,
  relayer: Relayer,
  orders: readonly Instruction[],
  presigned: ReadonlyMap<TransferId, SignedAuthorization>,
  uncertain: boolean,
): Promise<ItemOutcome<Accepted>[]> {
  const keys = await takeGroupKeys(tx, orders);
  const rows = await lockRows(tx, orders);
  const done = uncertain ? await findDone(tx, orders) : new Map<TransferId, Accepted>();
  const judgements = decideGroup(orders, keys, rows, done, deps.settings.maxAmount);
  const spends = await toSpends(tx, orders, judgements);

  const transactions = new Map<TransferId, SignedBundle>();
  if (spends.length > 0) {
    const authorizations = await signSplit(tx, deps, spends, presigned);
    const parcels = pack(deps, spends, authorizations);
    const firstNonce = await takeNonces(tx, relayer.address, parcels.length);
    for (const parcel of signBundles(deps, relayer, firstNonce, parcels)) {
      for (const id of parcel.payload) transactions.set(id, parcel);
    }
    await store(tx, deps, spends, authorizations, transactions);
    await storeKeyDays(tx, [...rows.keyDays.values()]);
    await storeMandateSpending(tx, [...rows.standing.values()]);
  }
  const outcomes = await toOutcomes(tx, orders, judgements, transactions);
  await storeGroupAnswers(tx, keys, acceptedOf(orders, judgements, outcomes));
  return outcomes;
}

/**
 * After a lost COMMIT reply: what the earlier try has stored. Its locks are gone by now, so anything missing here was
 * never stored.
 */
async function findDone(tx: Tx, orders: readonly Instruction[]): Promise<Map<TransferId, Accepted>> {
  const transfers = await findTransfers(
    tx,
    orders.map(({ transferId }) => transferId),
  );
  return new Map(transfers.map(({ id, requestId, txHash }) => [id, { transferId: id, requestId, txHash }]));
}

/** The accepted instructions, each with the legs that pay it. */
async function toSpends(
  tx: Tx,
  orders: readonly Instruction[],
  judgements: readonly GroupDecision[],
): Promise<Split[]> {
  const usesRewards = judgements.some((judgement) => judgement.kind === 'accepted' && judgement.rewards.length > 0);
  const treasury = usesRewards ? (await findTreasury(tx)).address : null;
  return orders.flatMap((order, i) => {
    const judgement = judgements[i];
    return judgement?.kind === 'accepted' ? [toSplit(order, judgement.rewards, treasury)] : [];
  });
}

/** Only under the lock is it known how much a reward pays, so split instructions are signed again. */
async function signSplit(
  tx: Tx,
  deps: Deps,
  spends: readonly Split[],
  presigned: ReadonlyMap<TransferId, SignedAuthorization>,
): Promise<ReadonlyMap<TransferId, SignedAuthorization>> {
  const split = spends.filter(({ claims }) => claims.length > 0).flatMap(({ legs }) => legs);
  return split.length === 0 ? presigned : new Map([...presigned, ...(await signAuthorizations(tx, deps, split))]);
}

function pack(
  deps: Deps,
  spends: readonly Split[],
  authorizations: ReadonlyMap<TransferId, SignedAuthorization>,
): Bundle[] {
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
  spends: readonly Split[],
  authorizations: ReadonlyMap<TransferId, SignedAuthorization>,
  transactions: ReadonlyMap<TransferId, SignedBundle>,
): Promise<void> {
  const accepted = spends.map(({ order }) => order);
  const approvals = approvalsOf(accepted);
  const payouts = accepted.flatMap(({ origin }) => (origin.kind === 'payout' ? [origin.request] : []));
  await insertApprovedRequests(tx, payouts);
  for (const { grant, userId, appId } of approvals) {
    if (grant) await grantMandate(tx, { userId, appId, ...grant });
  }

  const holds = new Map<Instruction['from'], Instruction['amount']>();
  for (const { order, own } of spends)
    holds.set(order.from, ((holds.get(order.from) ?? 0n) + own) as Instruction['amount']);
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
  await transitionRequests(
    tx,
    approvals.map(({ requestId }) => requestId),
    'approve',
    approvals.map(({ actor }) => actor),
  );
  if (settings.welcomeReward > 0n) {
    await recordWelcomes(
      tx,
      approvals.filter(({ by }) => by === 'page'),
    );
  }
}

function requestOf(origin: Instruction['origin']): RequestId | null {
  if (origin.kind === 'approval') return origin.requestId;
  return origin.kind === 'payout' ? origin.request.id : null;
}

async function toOutcomes(
  tx: Tx,
  orders: readonly Instruction[],
  judgements: readonly GroupDecision[],
  transactions: ReadonlyMap<TransferId, SignedBundle>,
): Promise<ItemOutcome<Accepted>[]> {
  const outcomes: ItemOutcome<Accepted>[] = [];
  for (const [i, { transferId, origin }] of orders.entries()) {
    const judgement = judgements[i]!;
    switch (judgement.kind) {
      case 'refused':
        outcomes.push({ ok: false, error: judgement.problem });
        break;
      case 'accepted': {
        const { hash } = transactions.get(transferId)!;
        outcomes.push({ ok: true, result: { transferId, requestId: requestOf(origin), txHash: hash } });
        break;
      }
      case 'repeated': {
        const { requestId } = judgement;
        const [first] = await findTransfersOfRequest(tx, requestId);
        outcomes.push({ ok: true, result: { transferId: first!.id, requestId, txHash: first!.txHash } });
        break;
      }
      case 'equal':
        outcomes.push(asReplay(outcomes[judgement.place]!));
        break;
      case 'answered':
        outcomes.push(judgement.outcome);
    }
  }
  return outcomes;
}

function asReplay(outcome: ItemOutcome<Accepted>): ItemOutcome<Accepted> {
  return outcome.ok ? { ok: true, result: { ...outcome.result, replayed: true } } : outcome;
}

function acceptedOf(
  orders: readonly Instruction[],
  judgements: readonly GroupDecision[],
  outcomes: readonly ItemOutcome<Accepted>[],
): [Instruction, Accepted][] {
  return orders.flatMap((order, i): [Instruction, Accepted][] => {
    const isAccepted = judgements[i]?.kind === 'accepted' || judgements[i]?.kind === 'repeated';
    const outcome = outcomes[i];
    return isAccepted && outcome?.ok ? [[order, outcome.result]] : [];
  });
}
