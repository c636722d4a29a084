import { asHash, type Hash } from '../base/hex.ts';
import { Unproven } from './block-proof.ts';
import { type BlockReceipt, requireBlock, requireProven, requireReceipts } from './block-replies.ts';
import { type BlockHeader, saidTransactions, type VouchedHeader } from './blocks.ts';
import { bloomOf } from './logs-bloom.ts';
import { type Rpc, RpcUnreachable, toQuantity } from './rpc.ts';

type BlockPlace = Pick<BlockHeader, 'number' | 'hash'>;

/** The receipts of a block, which have the root that its header names. Throws as {@link requireProven} does, or if the node does not give them. */
export async function proveReceipts(rpc: Rpc, header: VouchedHeader): Promise<readonly BlockReceipt[]> {
  return requireProven(header, await readReceipts(rpc, header));
}

/** By number, because not all providers take a hash. */
export async function readReceipts(rpc: Rpc, { number, hash }: BlockPlace): Promise<readonly BlockReceipt[]> {
  const receipts = await rpc.call<readonly BlockReceipt[] | null>('eth_getBlockReceipts', [toQuantity(number)]);
  return requireReceipts(receipts, { number, hash });
}

/**
 * A receipt for each transaction that the node says is in the block. They are asked for all at once or, where the node refuses that, each by
 * itself. So is a receipt whose bloom is not that of its logs: it may lack some.
 *
 * Throws {@link Unproven} if one is missing, or if the node does not say which transactions there are.
 */
export async function readEachReceipt(rpc: Rpc, header: BlockHeader): Promise<readonly BlockReceipt[]> {
  const transactions = saidTransactions(header);
  if (!transactions) throw new Unproven(`the node does not say which transactions are in block ${header.number}`);
  if (transactions.length === 0) return [];
  // Some gateways refuse them with a status that is no answer.
  const given = await readReceipts(rpc, header).catch(() => []);
  const whole = given.filter(({ logs, logsBloom }) => bloomOf(logs) === logsBloom?.toLowerCase());
  const known = new Set(whole.map(({ transactionHash }) => asHash(transactionHash)));
  const named = new Set([...transactions, ...given.map(({ transactionHash }) => asHash(transactionHash))]);
  return [...whole, ...(await readOneByOne(rpc, header, [...named.difference(known)]))];
}

/** Receipts asked for in one JSON-RPC batch. */
const BATCH = 100;

async function readOneByOne(rpc: Rpc, { number, hash }: BlockPlace, hashes: readonly Hash[]): Promise<BlockReceipt[]> {
  const receipts: BlockReceipt[] = [];
  for (let i = 0; i < hashes.length; i += BATCH) {
    const some = hashes.slice(i, i + BATCH);
    const calls = some.map((one) => ({ method: 'eth_getTransactionReceipt', params: [one] }));
    for (const [k, reply] of (await rpc.batch(calls)).entries()) {
      if (reply.kind === 'unknown') throw new RpcUnreachable(`The chain node did not answer: ${reply.reason}`);
      const receipt = reply.kind === 'result' ? (reply.result as BlockReceipt | null) : null;
      if (!receipt) throw new Unproven(`there is no receipt of transaction ${some[k]} in block ${number}`);
      receipts.push(receipt);
    }
  }
  requireBlock(receipts, hash);
  return receipts;
}
