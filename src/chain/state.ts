import { type Address, asAddress } from '../base/address.ts';
import { asHash, type Hash } from '../base/hex.ts';
import { type Rpc, toQuantity } from './rpc.ts';

/** The number of `address`'s transactions in the chain up to a block: the next nonce that the chain accepts. */
export async function readNonce(rpc: Rpc, address: Address, block: bigint | 'latest' | 'pending'): Promise<bigint> {
  const tag = typeof block === 'bigint' ? toQuantity(block) : block;
  return BigInt(await rpc.call<string>('eth_getTransactionCount', [address, tag]));
}

/** The first nonce of `address` for which the node has no transaction, in the chain or in its pool. */
export async function readSeenNonce(rpc: Rpc, address: Address): Promise<bigint> {
  const [mined, seen] = await Promise.all([readNonce(rpc, address, 'latest'), readNonce(rpc, address, 'pending')]);
  if (mined > seen) return mined;
  return seen;
}

export async function readBalanceWei(rpc: Rpc, address: Address): Promise<bigint> {
  return BigInt(await rpc.call<string>('eth_getBalance', [address, 'latest']));
}

export async function readChainId(rpc: Rpc): Promise<number> {
  return Number(await rpc.call<string>('eth_chainId', []));
}

export async function hasCode(rpc: Rpc, address: Address): Promise<boolean> {
  return (await rpc.call<string>('eth_getCode', [address, 'latest'])) !== '0x';
}

/** Who sent a transaction, and with which nonce; null if the node does not know it. */
export async function readSender(rpc: Rpc, hash: Hash): Promise<{ relayer: Address; nonce: bigint } | null> {
  const raw = await rpc.call<{ from: string; nonce: string } | null>('eth_getTransactionByHash', [hash]);
  return raw && { relayer: asAddress(raw.from), nonce: BigInt(raw.nonce) };
}

/** Where a transaction is: in a block or, with nulls, known to the node but in no block yet. */
export type Inclusion = {
  readonly block: bigint | null;
  readonly blockHash: Hash | null;
  /** It succeeded and left no log. */
  readonly isEmpty: boolean;
};

type RawReceipt = {
  blockNumber: string | null;
  blockHash: string | null;
  status?: string;
  logs?: readonly unknown[];
};

/** Receipts asked for in one JSON-RPC batch. */
const BATCH = 100;

/** What the node reports for each transaction; null for one it does not know. Throws if one is not answered. */
export async function readInclusions(rpc: Rpc, hashes: readonly Hash[]): Promise<(Inclusion | null)[]> {
  const inclusions: (Inclusion | null)[] = [];
  for (let i = 0; i < hashes.length; i += BATCH) {
    const calls = hashes.slice(i, i + BATCH).map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
    for (const reply of await rpc.batch(calls)) {
      if (reply.kind !== 'result') throw new Error('The node did not answer for a receipt');
      const receipt = reply.result as RawReceipt | null;
      inclusions.push(
        receipt && {
          block: receipt.blockNumber === null ? null : BigInt(receipt.blockNumber),
          blockHash: receipt.blockHash === null ? null : asHash(receipt.blockHash),
          isEmpty: receipt.status === '0x1' && receipt.logs?.length === 0,
        },
      );
    }
  }
  return inclusions;
}
