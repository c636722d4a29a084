import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import { derivedId, lowestIdAt, type TransferId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import { minedAt, readHeader } from '../../chain/blocks.ts';
import { readSenders } from '../../chain/state.ts';
import type { TokenLog } from '../../chain/token-logs.ts';
import { readNonceOfPayment } from '../../custody/payment-nonces.ts';
import type { KeyId } from '../../custody/seed.ts';
import { addressOfKey } from '../../custody/signer.ts';
import type { Service } from '../../service/service.ts';
import type { ProvenBlock } from '../../settlement/repair.ts';
import type { RecoveredTransfer } from '../../settlement/tables/recovered.ts';

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

/** The key of whom a payment pays, if it is ours: the address that it gives has to be the recipient's. */
export function keyOfRecipient({ vault }: Pick<Service, 'vault'>, { payer, to, nonce }: ShownPayment): KeyId | null {
  const { recipient } = readNonceOfPayment(vault.seed, payer, nonce);
  return addressOfKey(vault, recipient) === to ? recipient : null;
}

/** The transfers that these payments were, with the times of their blocks in their ids. The same for ever. */
export async function asTransfers(
  { rpc }: Pick<Service, 'rpc'>,
  paid: readonly (ShownPayment & Pick<ProvenBlock, 'number' | 'at'>)[],
): Promise<RecoveredTransfer[]> {
  const senders = await readSenders(rpc, [...new Set(paid.map(({ txHash }) => txHash))]);
  return paid.map(({ payer, logIndex, number: block, at, ...payment }) => {
    const sender = senders.get(payment.txHash);
    if (!sender) throw new Error(`The node does not know transaction ${payment.txHash} any more. Try again.`);
    const id = derivedId(lowestIdAt(at), 'recovered', payment.txHash, `${logIndex}`) as TransferId;
    return { ...payment, id, from: payer, block, at, sender };
  });
}

/**
 * The first block that was mined at a moment or later, between two blocks; the one after `last` if none was. Blocks have times that never
 * go back.
 */
export async function firstBlockSince(
  { rpc }: Pick<Service, 'rpc'>,
  moment: Date,
  first: bigint,
  last: bigint,
): Promise<bigint> {
  let [low, high] = [first, last + 1n];
  while (low < high) {
    const middle = (low + high) / 2n;
    const header = await readHeader(rpc, middle);
    if (!header) throw new Error(`The node does not give block ${middle}.`);
    if (minedAt(header) >= moment) high = middle;
    else low = middle + 1n;
  }
  return low;
}
