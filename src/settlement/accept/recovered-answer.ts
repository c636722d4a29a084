import type { Address } from '../../base/address.ts';
import { type RequestId, type TransferId, transferIdOf } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import { isSameAccount } from '../../ledger/accounts.ts';
import { waitForFollowing } from '../../ledger/blocks.ts';
import { insertRecoveredRequests } from '../../requests/recovered-requests.ts';
import type { NewRequest } from '../../requests/requests.ts';
import type { Accepted, Instruction } from '../../service/instruction.ts';
import { idOfKey, isKeyAlive, refundIdFor, usesOf } from '../../service/keyed-ids.ts';
import type { Service } from '../../service/service.ts';
import { nameTransfers } from '../tables/recovered.ts';
import { findTransfers, type Transfer } from '../tables/transfers.ts';
import { takeBackNamed } from '../take-back-named.ts';
import { kindOfPayment, paysEarlierRequest } from './kinds.ts';

type Deps = Pick<Service, 'db' | 'vault' | 'readiness'>;

/** A transfer that a key may have made. `requestId`: of its payout or refund. */
type Candidate = { readonly transferId: TransferId; readonly requestId: RequestId | null };
type Found = { readonly transfer: Transfer; readonly requestId: RequestId | null };

/**
 * The answer to an instruction whose Idempotency-Key was used before the database was restored, and whose payment was found on the chain;
 * null if it was not. Then it is to be paid. Approvals are found by their requests.
 *
 * Throws `idempotency-mismatch` if the key paid somebody else, or another amount.
 */
export async function recoveredAnswer(deps: Deps, instruction: Instruction): Promise<Accepted | null> {
  const { idempotency, origin, transferId, from, to, amount } = instruction;
  if (!deps.readiness.recovered || !idempotency || paysEarlierRequest(origin)) return null;
  const request = kindOfPayment(origin).makes(origin);
  // Files and actions have ids of their own.
  const own = { transferId, requestId: request?.id ?? null };
  const found = await foundAmong(deps, idempotency, [own, ...candidatesOf(deps, request, idempotency)]);
  if (!found) return null;
  const { transfer } = found;
  const isSame =
    transfer.amount === amount &&
    (await isSameAccount(deps.db, transfer.from, from)) &&
    (await isSameAccount(deps.db, transfer.to, to));
  if (!isSame) throw mismatch();
  if (request && !transfer.requestId) await nameNow(deps, transfer, { ...request, id: found.requestId! });
  return answerOf(found);
}

/**
 * The same before it is known whom a payout pays, because nobody has named the recipient yet. `to`: null if the call names a user.
 */
export async function recoveredPayout(
  deps: Deps,
  key: IdempotencyKey,
  { amount, to }: { readonly amount: bigint; readonly to: Address | null },
): Promise<Accepted | null> {
  if (!deps.readiness.recovered) return null;
  const found = await foundAmong(deps, key, requestsUnder(deps, key));
  if (!found) return null;
  if (found.transfer.amount !== amount || (to && found.transfer.to !== to)) throw mismatch();
  return answerOf(found);
}

/**
 * The refund of a payment that a key made before the database was restored; null if there is none. `amount`: what the call asks for, if it
 * says so. Throws `idempotency-mismatch` if that is another amount.
 */
export async function recoveredRefund(
  deps: Deps,
  payment: RequestId,
  key: IdempotencyKey,
  amount: number | undefined,
): Promise<Accepted | null> {
  if (!deps.readiness.recovered) return null;
  const found = await foundAmong(deps, key, refundsUnder(deps, payment, key));
  // One whose payment is not known yet has no request, and there is nothing to refund either.
  if (!found?.transfer.requestId) return null;
  if (amount !== undefined && BigInt(amount) !== found.transfer.amount) throw mismatch();
  return answerOf(found);
}

/** What a call with this key makes, on each day on which it may have come first. */
function candidatesOf(deps: Deps, request: NewRequest | null, key: IdempotencyKey): Candidate[] {
  if (request) return request.refundOf ? refundsUnder(deps, request.refundOf, key) : requestsUnder(deps, key);
  return usesOf(key).map((used) => ({ transferId: idOfKey(deps, key, used) as TransferId, requestId: null }));
}

function requestsUnder(deps: Deps, key: IdempotencyKey): Candidate[] {
  return usesOf(key).map((used) => ofRequest(idOfKey(deps, key, used) as RequestId));
}

function refundsUnder(deps: Deps, payment: RequestId, key: IdempotencyKey): Candidate[] {
  return usesOf(key).map((used) => ofRequest(refundIdFor(deps, payment, key, used)));
}

const ofRequest = (requestId: RequestId): Candidate => ({ transferId: transferIdOf(requestId), requestId });

/** The candidate that exists, if its key is alive. */
async function foundAmong({ db }: Deps, key: IdempotencyKey, candidates: readonly Candidate[]): Promise<Found | null> {
  const transfers = await findTransfers(
    db,
    candidates.map(({ transferId }) => transferId),
  );
  const transfer = transfers.find(({ createdAt }) => isKeyAlive(key, createdAt));
  const candidate = candidates.find(({ transferId }) => transferId === transfer?.id);
  return transfer && candidate ? { transfer, requestId: transfer.requestId ?? candidate.requestId } : null;
}

/** Whose account it paid was not known yet. Now the call has said it. */
async function nameNow({ db }: Deps, transfer: Transfer, request: NewRequest): Promise<void> {
  await db.transaction(async (tx) => {
    await waitForFollowing(tx);
    const named = await nameTransfers(tx, [{ id: transfer.id, requestId: request.id, isSplit: false }]);
    // Another call has named it.
    if (named.length === 0) return;
    await insertRecoveredRequests(tx, [{ ...request, at: transfer.createdAt }]);
    await takeBackNamed(tx, named);
  });
}

function answerOf({ transfer, requestId }: Found): Accepted {
  return { transferId: transfer.id, requestId, txHash: transfer.txHash, replayed: true };
}

function mismatch(): Problem {
  return new Problem('idempotency-mismatch', 'The Idempotency-Key has paid somebody else, or another amount.');
}
