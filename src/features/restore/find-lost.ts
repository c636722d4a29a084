import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import { derivedId, lowestIdAt, type RequestId, type TransferId, transferIdOf } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import type { TokenLog } from '../../chain/block-replies.ts';
import { readSenders } from '../../chain/state.ts';
import { namesNobody, type PaymentName, readNonceOfPayment, readWhat } from '../../custody/payment-nonces.ts';
import type { KeyId } from '../../custody/seed.ts';
import { addressOfKey } from '../../custody/signer.ts';
import type { Service } from '../../service/service.ts';
import type { ProvenBlock } from '../../settlement/repair.ts';
import type { RecoveredTransfer } from '../../settlement/tables/recovered.ts';
import { findTransfers } from '../../settlement/tables/transfers.ts';
import { readVouchedHeader } from '../../settlement/vouch.ts';

/** A payment by an authorization of ours, as a block shows it. */
export type ShownPayment = {
  readonly payer: Address;
  readonly to: Address;
  readonly amount: Quarters;
  readonly nonce: Hash;
  readonly txHash: Hash;
  readonly logIndex: number;
};

export const reorganised = () => new Error('The chain was reorganised in the meantime. Run it again.');

/** The payments in a block that authorizations made: the token logs the use of each, and then what it moved. */
export function paymentsIn({ logs }: Pick<ProvenBlock, 'logs'>): ShownPayment[] {
  return logs.flatMap((log, i): ShownPayment[] => {
    const moved: TokenLog | undefined = logs[i + 1];
    if (log.kind !== 'used' || moved?.kind !== 'transfer') return [];
    if (moved.from !== log.authorizer || moved.txHash !== log.txHash || moved.amount === 0n) return [];
    const { authorizer: payer, nonce, txHash, logIndex } = log;
    return [{ payer, to: moved.to, amount: moved.amount, nonce, txHash, logIndex }];
  });
}

/** What the nonce of a payment says to us. */
export type ReadPayment = {
  /** The name's bytes. */
  readonly what: Buffer;
  /** Null: the nonce is not made by us, or is from before nonces said anything. */
  readonly name: PaymentName | null;
  /** The key of whom it pays, if that is ours. */
  readonly recipient: KeyId | null;
  /** Of a reward's part: the account of the player for whom the treasury paid; null if it is from before there was a seed. */
  readonly onBehalfOf: Address | null;
};

/** Only a nonce of ours has the recipient's key in it, or nobody's. A reward's part has the player's key instead. */
export function readPayment(
  { vault }: Pick<Service, 'vault'>,
  treasury: Address,
  { payer, to, nonce }: Pick<ShownPayment, 'payer' | 'to' | 'nonce'>,
): ReadPayment {
  const { what, whom } = readNonceOfPayment(vault.seed, payer, nonce);
  const name = readWhat(vault.seed, what);
  const address = namesNobody(whom) ? null : addressOfKey(vault, whom);
  if (address === to) return { what, name, recipient: whom, onBehalfOf: null };
  if (payer === treasury && name.part === 'reward') return { what, name, recipient: null, onBehalfOf: address };
  return { what, name: address === null ? name : null, recipient: null, onBehalfOf: null };
}

/** A payment that was found, with what its nonce says. */
export type LostPayment = ShownPayment & ReadPayment & Pick<ProvenBlock, 'number' | 'at'>;

/** The transfers that these payments were, with the ids that they had. The same for ever. */
export async function asTransfers(
  { rpc, db }: Pick<Service, 'rpc' | 'db'>,
  paid: readonly LostPayment[],
): Promise<RecoveredTransfer[]> {
  const senders = await readSenders(rpc, [...new Set(paid.map(({ txHash }) => txHash))]);
  const named = paid.flatMap(({ name }) => (name ? [idOf(name)] : []));
  const taken = new Set((await findTransfers(db, named)).map(({ id }) => id));
  return paid.map(({ payer: from, to, amount, nonce, txHash, logIndex, number: block, at, name }) => {
    const sender = senders.get(txHash);
    if (!sender) throw new Error(`The node does not know transaction ${txHash} any more. Try again.`);
    const own = name && idOf(name);
    // A transfer of that name may have failed: it was accepted since, for another amount.
    const id =
      own && !taken.has(own) ? own : (derivedId(lowestIdAt(at), 'recovered', txHash, `${logIndex}`) as TransferId);
    return { id, from, to, amount, nonce, txHash, block, at, sender };
  });
}

function idOf({ part, id }: PaymentName): TransferId {
  if (part === 'transfer') return id as TransferId;
  return transferIdOf(id as RequestId, part === 'reward' ? 'reward' : 'payment');
}

/**
 * The first block that was mined at a moment or later, between two blocks; the one after `last` if none was. Blocks have times that never
 * go back.
 */
export async function firstBlockSince(service: Service, moment: Date, first: bigint, last: bigint): Promise<bigint> {
  let [low, high] = [first, last + 1n];
  while (low < high) {
    const middle = (low + high) / 2n;
    const { minedAt } = await readVouchedHeader(service, middle);
    if (minedAt >= moment) high = middle;
    else low = middle + 1n;
  }
  return low;
}
