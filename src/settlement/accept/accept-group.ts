import type { Address } from '../../base/address.ts';
import type { RequestId, TransferId } from '../../base/ids.ts';
import { asQuarters, type Quarters } from '../../base/quarters.ts';
import { lockNextNonce, type Relayer, takeNonces } from '../../chain/relayers.ts';
import type { SignedAuthorization } from '../../chain/token.ts';
import type { Tx } from '../../db/database.ts';
import type { AcceptGroup, ItemOutcome } from '../../db/group-commit.ts';
import { storeKeyDays } from '../../identity/key-caps.ts';
import { storeMandateChoice, storeMandateSpending } from '../../identity/mandates.ts';
import { addHolds } from '../../ledger/accounts.ts';
import { storeClaims } from '../../ledger/reward-claims.ts';
import { recordWelcomes } from '../../ledger/rewards.ts';
import { insertWithdrawals } from '../../ledger/withdrawals.ts';
import { insertMail } from '../../mail/mail.ts';
import { recordChanges } from '../../operator-log/record.ts';
import { insertApprovedRequests } from '../../requests/requests.ts';
import type { Accepted, Approval, Instruction } from '../../service/instruction.ts';
import type { Service } from '../../service/service.ts';
import { refuseInTheDark } from '../may-act.ts';
import { insertTransactions } from '../tables/transactions.ts';
import { findTransfers, insertTransfers } from '../tables/transfers.ts';
import { type KnownPayment, transitionRequests } from '../transition-requests.ts';
import { decideGroup, type GroupDecision } from './decision.ts';
import { storeGroupAnswers } from './idempotent-answers.ts';
import type { Written } from './kinds/kind.ts';
import { kindOfPayment, requestOf, wantedBy } from './kinds.ts';
import { type LockedRows, lockRows, takeGroupKeys } from './lock-set.ts';
import { acceptedOf, toOutcomes } from './outcomes.ts';
import {
  chooseRelayer,
  isHeld,
  newAuthorizations,
  packBundles,
  type SignedBundle,
  signBundles,
  signSplits,
} from './signing.ts';
import { legOf, type Split, toSplit } from './split.ts';

type Deps = Pick<Service, 'db' | 'vault' | 'chain' | 'settlement' | 'settings' | 'readiness'>;

/**
 * Accepts or refuses a group of instructions in one transaction: BEGIN with locks and reads, write, COMMIT. That is three round trips for
 * payouts, and one more for approvals and for keyed calls. It locks in the documented order (idempotency keys → what `lockRows` lists → relayer), holds
 * the quarters, signs, and stores everything needed to pay. It makes no network call.
 */
export function acceptInstructions(deps: Deps): AcceptGroup<Instruction, Accepted> {
  let turn = 0;
  return async (instructions, uncertain) => {
    const relayer = chooseRelayer(deps.settlement, turn++);
    const signed = await withAuthorizations(deps, instructions);
    const { outcomes, bundles } = await deps.db.transaction((tx) => acceptIn(tx, deps, relayer, signed, uncertain));
    if (isHeld(deps.settlement, relayer)) deps.settlement.outgoing.add(relayer.address, bundles);
    // Another process sends for this relayer. If the notification is lost, that process looks by itself within a
    // second.
    else void deps.db.notifyOthers(['transactions']).catch(() => {});
    return outcomes;
  };
}

/** Those that were not signed as they arrived are signed now. */
async function withAuthorizations(deps: Deps, instructions: readonly Instruction[]): Promise<readonly Instruction[]> {
  const missing = instructions.filter(({ authorization }) => !authorization);
  if (missing.length === 0) return instructions;
  const made = await newAuthorizations(deps.db, deps, missing.map(legOf));
  const authorizations = new Map(missing.map((instruction, i) => [instruction, made[i] ?? null]));
  return instructions.map((one) => (one.authorization ? one : { ...one, authorization: authorizations.get(one)! }));
}

async function acceptIn(
  tx: Tx,
  deps: Deps,
  relayer: Relayer,
  instructions: readonly Instruction[],
  uncertain: boolean,
): Promise<{ outcomes: ItemOutcome<Accepted>[]; bundles: readonly SignedBundle[] }> {
  // Since the callers were let in, another database server may have taken over. This connection leads to it.
  refuseInTheDark(deps);
  const [keys, rows, firstNonce] = await Promise.all([
    takeGroupKeys(tx, instructions),
    lockRows(tx, wantedBy(instructions), instructions),
    lockNextNonce(tx, relayer.address),
  ]);
  const done = uncertain ? await findDone(tx, instructions) : new Map<Instruction, Accepted>();
  const decisions = decideGroup(instructions, keys, rows, done, deps.settings);
  const splits = toSplits(instructions, decisions, rows);
  const authorizations = await signSplits(tx, deps, splits);
  const bundles = await signBundles(deps, relayer, firstNonce, packBundles(deps, splits, authorizations));
  const carriers = new Map(bundles.flatMap((bundle) => bundle.payload.map((id) => [id, bundle] as const)));
  const outcomes = await toOutcomes(tx, instructions, decisions, splits, carriers);

  const writes: Promise<unknown>[] = [];
  if (splits.length > 0) {
    writes.push(store(tx, deps, { relayer, splits, authorizations, bundles, carriers }));
    if (rows.keyDays.size > 0) writes.push(storeKeyDays(tx, [...rows.keyDays.values()]));
    if (rows.mandates.size > 0) writes.push(storeMandateSpending(tx, [...rows.mandates.values()]));
  }
  if (keys.taken.size > 0) {
    writes.push(storeGroupAnswers(tx, keys, acceptedOf(instructions, decisions, outcomes)));
  }
  await Promise.all(writes);
  return { outcomes, bundles };
}

/**
 * After a lost COMMIT reply: what the earlier try has stored. Its locks are gone by now, so anything missing here was never stored.
 * What is found may lack a standby's confirmation. This transaction has locked rows, so its own COMMIT waits for that. A payment of which a
 * reward pays all is found by its request instead.
 */
async function findDone(tx: Tx, instructions: readonly Instruction[]): Promise<Map<Instruction, Accepted>> {
  const transfers = await findTransfers(
    tx,
    instructions.map(({ transferId }) => transferId),
  );
  const byId = new Map(transfers.map((transfer) => [transfer.id, transfer]));
  return new Map(
    instructions.flatMap((instruction) => {
      const { transferId, from, to, amount } = instruction;
      const found = byId.get(transferId);
      // A call with the same key and another body would be the same transfer.
      if (found?.from !== from || found.to !== to || found.amount !== amount) return [];
      return [[instruction, { transferId, requestId: found.requestId, txHash: found.txHash }] as const];
    }),
  );
}

/** The accepted instructions, each with the legs that pay it. */
function toSplits(
  instructions: readonly Instruction[],
  decisions: readonly GroupDecision[],
  { treasury }: LockedRows,
): Split[] {
  return instructions.flatMap((instruction, i) => {
    const decision = decisions[i];
    if (decision?.kind !== 'accepted') return [];
    return [toSplit(instruction, decision.rewards, treasury)];
  });
}

type AcceptedGroup = {
  readonly relayer: Relayer;
  readonly splits: readonly Split[];
  readonly authorizations: ReadonlyMap<TransferId, SignedAuthorization>;
  readonly bundles: readonly SignedBundle[];
  /** The bundle that carries each transfer. */
  readonly carriers: ReadonlyMap<TransferId, SignedBundle>;
};

/** Writes everything at once: no statement waits for the result of another, but for the events of approvals. */
async function store(
  tx: Tx,
  deps: Deps,
  { relayer, splits, authorizations, bundles, carriers }: AcceptedGroup,
): Promise<void> {
  const { requests, approvals, withdrawals, notices, changes } = writtenFor(splits);
  const claims = splits.flatMap((split) => split.claims);
  const transfers = splits.flatMap(({ instruction, legs }) =>
    legs.map(({ transferId: id, from, to, amount }) => {
      const { hash: txHash, nonce: relayerNonce } = carriers.get(id)!;
      const requestId = requestOf(instruction);
      return {
        id,
        requestId,
        from,
        to,
        amount,
        txHash,
        relayer: relayer.address,
        relayerNonce,
        isSplit: legs.length > 1,
        authorizationNonce: authorizations.get(id)!.nonce,
      };
    }),
  );
  await Promise.all([
    insertApprovedRequests(tx, requests),
    ...approvals.map((approval) => storeChoice(tx, approval)),
    addHolds(tx, holdsOf(splits)),
    takeNonces(tx, relayer.address, bundles.length),
    insertTransfers(tx, transfers),
    insertTransactions(tx, bundles),
    ...(claims.length > 0 ? [storeClaims(tx, claims)] : []),
    ...(withdrawals.length > 0 ? [insertWithdrawals(tx, withdrawals)] : []),
    ...notices.map((notice) => mailNotice(tx, notice)),
    ...(changes.length > 0 ? [recordChanges(tx, changes)] : []),
    ...(approvals.length > 0 ? [storeApprovals(tx, deps, approvals, paymentsOf(splits, carriers))] : []),
  ]);
}

function writtenFor(splits: readonly Split[]): Written {
  const written: Written = { requests: [], approvals: [], withdrawals: [], notices: [], changes: [] };
  for (const { instruction } of splits) kindOfPayment(instruction.origin).store(instruction, written);
  return written;
}

async function storeChoice(tx: Tx, { choice, ...pair }: Approval): Promise<void> {
  if (!choice) return;
  const isNew = await storeMandateChoice(tx, pair, choice);
  if (isNew) await mailNotice(tx, choice);
}

async function mailNotice(tx: Tx, { writeNotice }: Written['notices'][number]): Promise<void> {
  const notice = await writeNotice?.();
  if (notice) await insertMail(tx, notice);
}

function holdsOf(splits: readonly Split[]): Map<Address, Quarters> {
  const holds = new Map<Address, Quarters>();
  for (const { instruction, own } of splits) {
    holds.set(instruction.from, asQuarters((holds.get(instruction.from) ?? 0n) + own));
  }
  return holds;
}

async function storeApprovals(
  tx: Tx,
  { settings }: Deps,
  approvals: readonly Approval[],
  payments: ReadonlyMap<RequestId, KnownPayment>,
): Promise<void> {
  const ids = approvals.map(({ requestId }) => requestId);
  const actors = approvals.map(({ actor }) => actor);
  const byPage = approvals.filter(({ by }) => by === 'page');
  await Promise.all([
    transitionRequests(tx, ids, 'approve', actors, payments),
    settings.welcomeReward === 0n ? null : recordWelcomes(tx, byPage),
  ]);
}

/** The transaction that pays each request: that of its first leg. */
function paymentsOf(splits: readonly Split[], carriers: AcceptedGroup['carriers']): Map<RequestId, KnownPayment> {
  return new Map(
    splits.flatMap(({ instruction, legs }) => {
      const requestId = requestOf(instruction);
      return requestId ? [[requestId, { txHash: carriers.get(legs[0]!.transferId)!.hash }] as const] : [];
    }),
  );
}
