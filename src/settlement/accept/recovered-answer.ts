import { hexToBytes } from '../../base/hex.ts';
import type { RequestId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { markOfRefundKey, markToPay } from '../../custody/payment-nonces.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import { waitForFollowing } from '../../ledger/blocks.ts';
import { insertRecoveredRequests } from '../../requests/recovered-requests.ts';
import { listRefunds } from '../../requests/request-list.ts';
import type { NewRequest } from '../../requests/requests.ts';
import type { Accepted, Instruction } from '../../service/instruction.ts';
import type { Service } from '../../service/service.ts';
import { outcomeUnknown } from '../../service/unknown-outcome.ts';
import { findRecovered, nameTransfers, type RecoveredPayment } from '../tables/recovered.ts';
import { findTransfers, findTransfersOfRequests, nonceOf, type Transfer } from '../tables/transfers.ts';
import { nameUnderKey } from './payment-name.ts';
import { refundedBy } from './wanted-rows.ts';

type Deps = Pick<Service, 'db' | 'vault' | 'readiness'>;

/** More than anybody makes of one payment. */
const MOST_REFUNDS = 1_000;
/** Keys end after a day. */
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The answer to an instruction whose Idempotency-Key was used before the database was restored, and whose payment was found on the chain;
 * null if it was not. Then it is to be paid. Refunds and approvals are found by what they concern.
 *
 * Throws `idempotency-mismatch` if the key paid somebody else, or another amount.
 */
export async function recoveredAnswer(deps: Deps, instruction: Instruction): Promise<Accepted | null> {
  const { idempotency, origin } = instruction;
  if (!deps.readiness.recovered || !idempotency || origin.kind === 'approval' || refundedBy(origin)) return null;
  const transfer = await paidUnder(deps, origin, idempotency);
  if (!transfer) return null;
  const { id, from, to, amount, txHash } = transfer;
  if (from !== instruction.from || to !== instruction.to || amount !== instruction.amount) throw mismatch();
  const requestId = origin.kind === 'payout' ? await requestOfPayout(deps, transfer, origin.request) : null;
  return { transferId: id, requestId, txHash, replayed: true };
}

/** The transfer that was paid under a key within the key's life. */
async function paidUnder(
  { db, vault, readiness }: Deps,
  origin: Instruction['origin'],
  key: IdempotencyKey,
): Promise<Transfer | null> {
  const now = Date.now();
  const names = [now, now - DAY_MS].map((moment) => nameUnderKey(origin, key, new Date(moment)));
  const marks = names.map((name) => markToPay(vault.seed, name, readiness.recovered?.cancelled ?? null));
  const isAlive = ({ decidedAt }: RecoveredPayment) => key.neverEnds || isYoung(decidedAt);
  const paid = (await findRecovered(db, marks)).filter(isAlive).flatMap(({ transferId }) => transferId ?? []);
  return (await findTransfers(db, paid))[0] ?? null;
}

/** The request of the first call is lost. The first repetition makes it again. */
async function requestOfPayout({ db }: Deps, transfer: Transfer, request: NewRequest): Promise<RequestId> {
  if (transfer.requestId) return transfer.requestId;
  return db.transaction(async (tx) => {
    await waitForFollowing(tx);
    const named = await nameTransfers(tx, [{ id: transfer.id, requestId: request.id, isSplit: false }]);
    if (named.length === 0) {
      const [now] = await findTransfers(tx, [transfer.id]);
      // A reorganisation has taken it back, and it is being paid again.
      if (!now?.requestId) throw outcomeUnknown();
      return now.requestId;
    }
    await insertRecoveredRequests(tx, [{ ...request, at: transfer.createdAt }]);
    return request.id;
  });
}

/**
 * The refund of a payment that a key made before the database was restored; null if there is none. `amount`: what the call asks for, if it
 * says so. Throws `idempotency-mismatch` if that is another amount.
 */
export async function recoveredRefund(
  { db, vault, readiness }: Deps,
  payment: RequestId,
  { hash }: IdempotencyKey,
  amount: number | undefined,
): Promise<Accepted | null> {
  if (!readiness.recovered) return null;
  const refunds = await listRefunds(db, payment, MOST_REFUNDS);
  const transfers = await findTransfersOfRequests(
    db,
    refunds.map(({ id }) => id),
  );
  const mark = markOfRefundKey(vault.seed, payment, hash);
  const found = transfers.find((transfer) => hexToBytes(nonceOf(transfer)).subarray(8, 16).equals(mark));
  if (!found || !isYoung(found.createdAt)) return null;
  if (amount !== undefined && BigInt(amount) !== found.amount) throw mismatch();
  return { transferId: found.id, requestId: found.requestId, txHash: found.txHash, replayed: true };
}

const isYoung = (moment: Date) => Date.now() - moment.getTime() < DAY_MS;

function mismatch(): Problem {
  return new Problem('idempotency-mismatch', 'The Idempotency-Key has paid somebody else, or another amount.');
}
