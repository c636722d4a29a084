import type { Address } from '../../../base/address.ts';
import { type Hash, hashFrom } from '../../../base/hex.ts';
import { Problem } from '../../../base/problems.ts';
import type { Rpc } from '../../../chain/rpc.ts';
import { type MinedCost, readCosts } from '../../../chain/state.ts';
import { postingsOfTransaction, type TransactionPosting } from '../../../ledger/transaction-postings.ts';
import type { Service } from '../../../service/service.ts';
import { attemptsAtNonce, payloadAtNonce } from '../../../settlement/tables/transaction-attempts.ts';
import { findTransfers, type Transfer } from '../../../settlement/tables/transfers.ts';
import { type Owners, ownersOf } from '../../../views/inspection/address-owners.ts';
import { openConfirmations, type ShownAttempt } from '../../../views/transfers/confirmations.ts';
import { senderOfTransaction } from '../../../views/transfers/read-transfers.ts';

/** An Ethereum transaction: ours, or anybody's that moved quarters. */
export type InspectedTransaction = {
  readonly hash: Hash;
  readonly sender: { readonly address: Address; readonly nonce: bigint };
  /** All our attempts at the sender's nonce, oldest first. Empty if it is not ours. */
  readonly attempts: readonly ShownAttempt[];
  /** What it carries, or carried before another one replaced it. */
  readonly transfers: readonly Transfer[];
  /** What it moved, as far as it is in the ledger. */
  readonly postings: readonly TransactionPosting[];
  readonly owners: Owners;
  /** What the node says it has cost; null if the node does not know it as mined, or does not answer. */
  readonly cost: MinedCost | null;
};

/** A bundle has at most 200 transfers. */
const MOST_POSTINGS = 400;

/**
 * A transaction for an operator; also one that another one replaced, and one of others that moved quarters. `typed` may be unchecked input.
 * Throws `not-found` if nobody knows it, `chain-unavailable` if only the node could and it does not answer.
 */
export async function inspectTransaction(
  service: Pick<Service, 'db' | 'reads' | 'rpc' | 'settings' | 'chain'>,
  typed: string,
): Promise<InspectedTransaction> {
  const { reads, rpc } = service;
  const hash = hashFrom(typed);
  const sent = hash && (await senderOfTransaction(service, hash));
  if (!sent) throw new Problem('not-found', `Neither this service nor its node knows a transaction "${typed}".`);
  const { relayer: address, nonce } = sent;
  const [attempts, cost] = await Promise.all([attemptsAtNonce(reads, address, nonce), costOf(rpc, hash)]);
  const own = attempts.find((attempt) => attempt.hash === hash);
  const block = own?.minedBlock ?? cost?.block ?? null;
  const [transfers, postings] = await Promise.all([
    own ? payloadAtNonce(reads, address, nonce).then((ids) => findTransfers(reads, ids)) : [],
    block === null ? [] : postingsOfTransaction(reads, hash, block, MOST_POSTINGS),
  ]);
  return {
    ...{ hash, transfers, postings, cost },
    sender: { address, nonce },
    attempts: own ? attempts.map(await openConfirmations(service)) : [],
    owners: await ownersOf(service, [address, ...[...transfers, ...postings].flatMap(({ from, to }) => [from, to])]),
  };
}

async function costOf(rpc: Rpc, hash: Hash): Promise<MinedCost | null> {
  const [cost] = await readCosts(rpc, [hash]);
  return cost ?? null;
}
