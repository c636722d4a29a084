import type { Address } from '../../../base/address.ts';
import { bytesToHex } from '../../../base/hex.ts';
import { readHeader } from '../../../chain/blocks.ts';
import { toQuantity } from '../../../chain/rpc.ts';
import { readNonce } from '../../../chain/state.ts';
import { readShownAuthorizations } from '../../../chain/token-logs.ts';
import type { Service } from '../../../service/service.ts';
import { cancellation, signBundles } from '../../../settlement/accept/signing.ts';
import { nonceOf, type Transfer } from '../../../settlement/tables/transfers.ts';

// What the node of a try-out can be told to do. No other node takes these calls.

const REORGANIZATIONS = 10;

/** Takes back this block and all later ones. Blocks without transactions replace them. */
export async function reorganizeAway({ rpc }: Pick<Service, 'rpc'>, block: bigint): Promise<void> {
  const hashNow = async () => (await readHeader(rpc, block))!.hash;
  const gone = await hashNow();
  // If a block is made meanwhile, that one is replaced, and not the oldest.
  for (let i = 0; i < REORGANIZATIONS; i++) {
    const head = await newestBlock({ rpc });
    await rpc.call('anvil_reorg', [Number(head - block) + 1, []]);
    if ((await hashNow()) !== gone) return;
  }
  throw new Error(`The node did not replace block ${block}, although it was asked ${REORGANIZATIONS} times.`);
}

/** Lets an account pay for the gas of {@link cancelBeforePaid}, from the next block on. Returns that block. */
export async function giveEther({ rpc }: Pick<Service, 'rpc'>, account: Address): Promise<bigint> {
  await rpc.call('anvil_setBalance', [account, toQuantity(10n ** 18n)]);
  // A later block cannot be replaced without one that has this.
  await rpc.call('evm_mine', []);
  return newestBlock({ rpc });
}

type Receipt = { readonly transactionHash: string; readonly from: string };

/**
 * If a block after `since` has paid this transfer: replaces the blocks from that one on. The first new one begins with a cancellation that the
 * payer signs and sends, and all that the old ones had follows. So this payment reverts, and everything else is as it was. Returns whether the
 * chain shows the cancellation.
 */
export async function cancelBeforePaid(
  service: Pick<Service, 'rpc' | 'chain' | 'vault' | 'settlement'>,
  transfer: Transfer,
  payerKey: Uint8Array,
  since: bigint,
): Promise<boolean> {
  const { rpc, chain } = service;
  const head = await newestBlock(service);
  const { from } = transfer;
  const of = [{ authorizer: from, nonce: nonceOf(transfer) }];
  const shown = readShownAuthorizations(rpc, chain.contracts.token, since + 1n, head, { of });
  const [decided] = (await Array.fromAsync(shown)).flat();
  if (decided?.kind !== 'used') return decided !== undefined;
  const nonce = await readNonce(rpc, from, decided.block - 1n);
  const payer = { address: from, storedKey: payerKey, purpose: 'operator' } as const;
  const [cancelling] = await signBundles(service, payer, nonce, [cancellation(service, transfer, payerKey)]);
  const replacing: [raw: unknown, place: number][] = [[bytesToHex(cancelling!.raw), 0]];
  for (let number = decided.block; number <= head; number++) {
    const receipts = await rpc.call<Receipt[]>('eth_getBlockReceipts', [toQuantity(number)]);
    // Payers send nothing but what this has sent before.
    for (const { transactionHash } of receipts.filter((sent) => sent.from.toLowerCase() !== from.toLowerCase()))
      replacing.push([
        await rpc.call('eth_getRawTransactionByHash', [transactionHash]),
        Number(number - decided.block),
      ]);
  }
  await rpc.call('anvil_reorg', [Number(head - decided.block) + 1, replacing]);
  // Not yet: if a block was made meanwhile, that one was replaced.
  return false;
}

async function newestBlock({ rpc }: Pick<Service, 'rpc'>): Promise<bigint> {
  return BigInt(await rpc.call<string>('eth_blockNumber', []));
}
