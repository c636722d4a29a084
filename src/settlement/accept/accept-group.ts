import type { Address } from '../../base/address.ts';
import type { RequestId, TransferId } from '../../base/ids.ts';
import { asQuarters, type Quarters } from '../../base/quarters.ts';
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
import { decideGroup, type GroupDecision } from './decision.ts';
import type { AcceptGroup, ItemOutcome } from './group-commit.ts';
import { storeGroupAnswers } from './idempotent-answers.ts';
import type { Accepted, Approval, Instruction } from './instruction.ts';
import { approvalsOf, lockRows, takeGroupKeys } from './lock-set.ts';
import {
  chooseRelayer,
  isHeld,
  packBundles,
  type SignedBundle,
  type Split,
  signAuthorizations,
  signBundles,
  signSplits,
  toSplit,
} from './signing.ts';

type Deps = Pick<Service, 'db' | 'vault' | 'chain' | 'settlement' | 'settings'>;

/**
 * Accepts or refuses a group of instructions in one transaction. It locks in the documented order (idempotency keys →
 * what `lockRows` lists → relayer), holds the quarters, signs, and stores everything needed to pay. It makes no network
 * call.
 */
export function acceptInstructions(deps: Deps): AcceptGroup<Instruction, Accepted> {
  let turn = 0;
  return async (instructions, uncertain) => {
    const relayer = chooseRelayer(deps.settlement, turn++);
    const authorizations = await signAuthorizations(deps.db, deps, instructions);
    const outcomes = await deps.db.transaction((tx) =>
      acceptIn(tx, deps, relayer, instructions, authorizations, uncertain),
    );
    // Another process sends for this relayer. If the notification is lost, that process looks by itself within a
    // second.
    if (!isHeld(deps.settlement, relayer)) void deps.db.notifyOthers(['transactions']).catch(() => {});
    return outcomes;
  };
}

async function acceptIn(
  tx: Tx,
  deps: Deps,
  relayer: Relayer,
  instructions: readonly Instruction[],
  presigned: ReadonlyMap<TransferId, SignedAuthorization>,
  uncertain: boolean,
): Promise<ItemOutcome<Accepted>[]> {
  const keys = await takeGroupKeys(tx, instructions);
  const rows = await lockRows(tx, instructions);
  const done = uncertain ? await findDone(tx, instructions) : new Map<TransferId, Accepted>();
  const decisions = decideGroup(instructions, keys, rows, done, deps.settings.maxAmount);
  const splits = await toSplits(tx, instructions, decisions);

  const transactions = new Map<TransferId, SignedBundle>();
  if (splits.length > 0) {
    const authorizations = await signSplits(tx, deps, splits, presigned);
    const bundles = packBundles(deps, splits, authorizations);
    const firstNonce = await takeNonces(tx, relayer.address, bundles.length);
    for (const bundle of await signBundles(deps, relayer, firstNonce, bundles)) {
      for (const id of bundle.payload) transactions.set(id, bundle);
    }
    await store(tx, deps, splits, authorizations, transactions);
    if (rows.keyDays.size > 0) await storeKeyDays(tx, [...rows.keyDays.values()]);
    if (rows.mandates.size > 0) await storeMandateSpending(tx, [...rows.mandates.values()]);
  }
  const outcomes = await toOutcomes(tx, instructions, decisions, transactions);
  if (keys.taken.size > 0) await storeGroupAnswers(tx, keys, acceptedOf(instructions, decisions, outcomes));
  return outcomes;
}

/**
 * After a lost COMMIT reply: what the earlier try has stored. Its locks are gone by now, so anything missing here was
 * never stored.
 */
async function findDone(tx: Tx, instructions: readonly Instruction[]): Promise<Map<TransferId, Accepted>> {
  const transfers = await findTransfers(
    tx,
    instructions.map(({ transferId }) => transferId),
  );
  return new Map(transfers.map(({ id, requestId, txHash }) => [id, { transferId: id, requestId, txHash }]));
}

/** The accepted instructions, each with the legs that pay it. */
async function toSplits(
  tx: Tx,
  instructions: readonly Instruction[],
  decisions: readonly GroupDecision[],
): Promise<Split[]> {
  const usesRewards = decisions.some((decision) => decision.kind === 'accepted' && decision.rewards.length > 0);
  const treasury = usesRewards ? (await findTreasury(tx)).address : null;
  return instructions.flatMap((instruction, i) => {
    const decision = decisions[i];
    return decision?.kind === 'accepted' ? [toSplit(instruction, decision.rewards, treasury)] : [];
  });
}

async function store(
  tx: Tx,
  deps: Deps,
  splits: readonly Split[],
  authorizations: ReadonlyMap<TransferId, SignedAuthorization>,
  transactions: ReadonlyMap<TransferId, SignedBundle>,
): Promise<void> {
  const accepted = splits.map(({ instruction }) => instruction);
  const approvals = approvalsOf(accepted);
  const payouts = accepted.flatMap(({ origin }) => (origin.kind === 'payout' ? [origin.request] : []));
  const claims = splits.flatMap((split) => split.claims);
  if (payouts.length > 0) await insertApprovedRequests(tx, payouts);
  for (const { grant, userId, appId } of approvals) {
    if (grant) await grantMandate(tx, { userId, appId, ...grant });
  }
  await addHolds(tx, holdsOf(splits));
  await insertTransfers(
    tx,
    splits.flatMap(({ instruction, legs }) =>
      legs.map(({ transferId }) => ({
        ...authorizations.get(transferId)!,
        id: transferId,
        requestId: requestOf(instruction.origin),
        txHash: transactions.get(transferId)!.hash,
      })),
    ),
  );
  if (claims.length > 0) await storeClaims(tx, claims);
  await insertTransactions(tx, [...new Set(transactions.values())]);
  if (approvals.length > 0) await storeApprovals(tx, deps, approvals);
}

function holdsOf(splits: readonly Split[]): Map<Address, Quarters> {
  const holds = new Map<Address, Quarters>();
  for (const { instruction, own } of splits) {
    holds.set(instruction.from, asQuarters((holds.get(instruction.from) ?? 0n) + own));
  }
  return holds;
}

async function storeApprovals(tx: Tx, { settings }: Deps, approvals: readonly Approval[]): Promise<void> {
  await transitionRequests(
    tx,
    approvals.map(({ requestId }) => requestId),
    'approve',
    approvals.map(({ actor }) => actor),
  );
  if (settings.welcomeReward === 0n) return;
  await recordWelcomes(
    tx,
    approvals.filter(({ by }) => by === 'page'),
  );
}

function requestOf(origin: Instruction['origin']): RequestId | null {
  if (origin.kind === 'approval') return origin.requestId;
  return origin.kind === 'payout' ? origin.request.id : null;
}

async function toOutcomes(
  tx: Tx,
  instructions: readonly Instruction[],
  decisions: readonly GroupDecision[],
  transactions: ReadonlyMap<TransferId, SignedBundle>,
): Promise<ItemOutcome<Accepted>[]> {
  const outcomes: ItemOutcome<Accepted>[] = [];
  for (const [i, { transferId, origin }] of instructions.entries()) {
    const decision = decisions[i]!;
    switch (decision.kind) {
      case 'refused':
        outcomes.push({ ok: false, error: decision.problem });
        break;
      case 'accepted': {
        const { hash } = transactions.get(transferId)!;
        outcomes.push({ ok: true, result: { transferId, requestId: requestOf(origin), txHash: hash } });
        break;
      }
      case 'repeated': {
        const { requestId } = decision;
        const [first] = await findTransfersOfRequest(tx, requestId);
        outcomes.push({ ok: true, result: { transferId: first!.id, requestId, txHash: first!.txHash } });
        break;
      }
      case 'equal':
        outcomes.push(asReplay(outcomes[decision.place]!));
        break;
      case 'answered':
        outcomes.push(decision.outcome);
    }
  }
  return outcomes;
}

function asReplay(outcome: ItemOutcome<Accepted>): ItemOutcome<Accepted> {
  return outcome.ok ? { ok: true, result: { ...outcome.result, replayed: true } } : outcome;
}

function acceptedOf(
  instructions: readonly Instruction[],
  decisions: readonly GroupDecision[],
  outcomes: readonly ItemOutcome<Accepted>[],
): [Instruction, Accepted][] {
  return instructions.flatMap((instruction, i): [Instruction, Accepted][] => {
    const isAccepted = decisions[i]?.kind === 'accepted' || decisions[i]?.kind === 'repeated';
    const outcome = outcomes[i];
    return isAccepted && outcome?.ok ? [[instruction, outcome.result]] : [];
  });
}
