import { type Address, asAddress } from '../base/address.ts';
import { asHash, bytesToHex, type Hash } from '../base/hex.ts';
import { besides, type Rpc, toQuantity } from './rpc.ts';

/** The number of `address`'s transactions in the chain up to a block: the next nonce that the chain accepts. */
export async function readNonce(rpc: Rpc, address: Address, block: bigint | 'latest' | 'pending'): Promise<bigint> {
  const tag = typeof block === 'bigint' ? toQuantity(block) : block;
  return BigInt(await rpc.call<string>('eth_getTransactionCount', [address, tag]));
}

/**
 * The first nonce of `address` for which no endpoint has a transaction, in the chain or in its pool: what one of them took, the others may
 * not have yet. Throws if the one that is asked first does not answer.
 */
export async function readSeenNonce(rpc: Rpc, address: Address): Promise<bigint> {
  const seenBy = (one: Rpc) => Promise.all([readNonce(one, address, 'latest'), readNonce(one, address, 'pending')]);
  const [own, others] = await Promise.all([seenBy(rpc), Promise.allSettled(besides(rpc).map(seenBy))]);
  const nonces = [...own, ...others.flatMap((other) => (other.status === 'fulfilled' ? other.value : []))];
  return nonces.reduce((most, nonce) => (nonce > most ? nonce : most));
}

export async function readBalanceWei(rpc: Rpc, address: Address): Promise<bigint> {
  return BigInt(await rpc.call<string>('eth_getBalance', [address, 'latest']));
}

/** The gas that a call of `from` would take now; null if the node does not say. */
export async function estimateGas(
  rpc: Rpc,
  from: Address,
  { to, data }: { readonly to?: Address | undefined; readonly data: Uint8Array },
): Promise<bigint | null> {
  const call = { from, ...(to && { to }), data: bytesToHex(data) };
  const [reply] = await rpc.batch([{ method: 'eth_estimateGas', params: [call] }]);
  return reply?.kind === 'result' && typeof reply.result === 'string' ? BigInt(reply.result) : null;
}

export async function readChainId(rpc: Rpc): Promise<number> {
  return Number(await rpc.call<string>('eth_chainId', []));
}

export async function hasCode(rpc: Rpc, address: Address): Promise<boolean> {
  return (await rpc.call<string>('eth_getCode', [address, 'latest'])) !== '0x';
}

/** Who sent a transaction, and with which nonce; null if no endpoint knows it. Throws if the one that is asked first does not answer. */
export async function readSender(rpc: Rpc, hash: Hash): Promise<Sender | null> {
  const raw = await rpc.call<RawSender | null>(SENDER, [hash]);
  return raw ? parseSender(raw) : ((await sendersFrom(besides(rpc), [hash])).get(hash) ?? null);
}

/** Who sent a transaction, and the nonce that it has used. */
type Sender = { readonly relayer: Address; readonly nonce: bigint };
type RawSender = { readonly from: string; readonly nonce: string };

const SENDER = 'eth_getTransactionByHash';
const parseSender = ({ from, nonce }: RawSender): Sender => ({ relayer: asAddress(from), nonce: BigInt(nonce) });

const MOST_SENDERS = 100;

/**
 * Who sent each of these transactions. One endpoint after the other is asked for what those before it did not know, or did not answer for.
 * What none of them knows is left out.
 */
export async function readSenders(rpc: Rpc, hashes: readonly Hash[]): Promise<Map<Hash, Sender>> {
  return sendersFrom([rpc, ...besides(rpc)], hashes);
}

async function sendersFrom(clients: readonly Rpc[], hashes: readonly Hash[]): Promise<Map<Hash, Sender>> {
  const senders = new Map<Hash, Sender>();
  for (const client of clients) {
    const missing = hashes.filter((hash) => !senders.has(hash));
    for (let i = 0; i < missing.length; i += MOST_SENDERS) {
      const some = missing.slice(i, i + MOST_SENDERS);
      const raws = await askEach<RawSender>(client, SENDER, some);
      for (const [k, raw] of raws.entries()) if (raw) senders.set(some[k]!, parseSender(raw));
    }
  }
  return senders;
}

/** The node's newest block, or another one, and when it was mined, as it says. Throws if the node does not answer or has no such block. */
export async function readNewestBlock(
  rpc: Rpc,
  block: bigint | 'latest' = 'latest',
): Promise<{ readonly number: bigint; readonly minedAt: Date }> {
  const tag = typeof block === 'bigint' ? toQuantity(block) : block;
  const raw = await rpc.call<{ number: string; timestamp: string } | null>('eth_getBlockByNumber', [tag, false]);
  if (!raw) throw new Error('The chain node has no blocks');
  return { number: BigInt(raw.number), minedAt: new Date(Number(raw.timestamp) * 1000) };
}

/** What a mined transaction has cost. */
export type MinedCost = {
  readonly block: bigint;
  readonly blockHash: Hash;
  readonly gasUsed: bigint;
  /** In wei, with what a rollup asks for publishing it. */
  readonly feePaid: bigint;
  /** Of that, what was not paid for gas. */
  readonly rollupFee: bigint;
  readonly isReverted: boolean;
};

type RawCost = {
  blockNumber: string | null;
  blockHash: string;
  gasUsed: string;
  effectiveGasPrice?: string;
  status?: string;
} & Partial<Record<(typeof ROLLUP_FEES)[number] | (typeof OPERATORS_TERMS)[number], string>>;

/** What receipts name beside gas: the OP Stack and Scroll (`l1Fee`), and chains that name an operator's fee in wei. */
const ROLLUP_FEES = ['l1Fee', 'operatorFee'] as const;

/** What receipts of the OP Stack name instead of the operator's fee since Isthmus; the last of them since Jovian. */
const OPERATORS_TERMS = ['operatorFeeScalar', 'operatorFeeConstant', 'daFootprintGasScalar'] as const;

/**
 * What a rollup asked for, beside gas. The operator's fee on the OP Stack is a constant, and for each gas a millionth of the scalar, or a
 * hundred times the scalar since Jovian (specs.optimism.io: Isthmus and Jovian, operator fee).
 */
function rollupFeeOf(raw: RawCost, gasUsed: bigint): bigint {
  const named = ROLLUP_FEES.reduce((sum, name) => sum + BigInt(raw[name] ?? '0x0'), 0n);
  if (raw.operatorFee !== undefined) return named;
  const [scalar, constant] = OPERATORS_TERMS.map((name) => BigInt(raw[name] ?? '0x0')) as [bigint, bigint];
  const perGas = raw.daFootprintGasScalar === undefined ? (gasUsed * scalar) / 1_000_000n : gasUsed * scalar * 100n;
  return named + perGas + constant;
}

/** What these transactions have cost, at most 100; null for one that the node does not know as mined, or does not answer for. */
export async function readCosts(rpc: Rpc, hashes: readonly Hash[]): Promise<(MinedCost | null)[]> {
  const raws = await askEach<RawCost>(rpc, 'eth_getTransactionReceipt', hashes);
  const unpriced = hashes.filter((_, i) => raws[i] && raws[i].effectiveGasPrice == null);
  const sent = unpriced.length === 0 ? [] : await askEach<{ gasPrice?: string }>(rpc, SENDER, unpriced);
  const prices = new Map(unpriced.map((hash, i) => [hash, sent[i]?.gasPrice]));
  return raws.map((raw, i) => {
    // Receipts of chains without EIP-1559 may not say a price. The transaction does.
    const price = raw?.effectiveGasPrice ?? prices.get(hashes[i]!);
    if (raw?.blockNumber == null || price == null) return null;
    const gasUsed = BigInt(raw.gasUsed);
    const rollupFee = rollupFeeOf(raw, gasUsed);
    return {
      block: BigInt(raw.blockNumber),
      blockHash: asHash(raw.blockHash),
      gasUsed,
      feePaid: gasUsed * BigInt(price) + rollupFee,
      rollupFee,
      isReverted: raw.status === '0x0',
    };
  });
}

/** What the node says to each hash; null where it says nothing. */
async function askEach<Raw>(rpc: Rpc, method: string, hashes: readonly Hash[]): Promise<(Raw | null)[]> {
  const replies = await rpc.batch(hashes.map((hash) => ({ method, params: [hash] })));
  return replies.map((reply) => (reply.kind === 'result' ? (reply.result as Raw | null) : null));
}

/** Where a transaction is: in a block or, with nulls, known to the node but in no block yet. */
export type Inclusion = {
  readonly block: bigint | null;
  readonly blockHash: Hash | null;
  /** It succeeded and left no log. */
  readonly isEmpty: boolean;
  /** The gas that it used in vain; null if it did not revert. */
  readonly revertedAt: bigint | null;
};

type RawReceipt = {
  blockNumber: string | null;
  blockHash: string | null;
  status?: string;
  gasUsed?: string;
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
          revertedAt: receipt.status === '0x0' ? BigInt(receipt.gasUsed ?? '0x0') : null,
        },
      );
    }
  }
  return inclusions;
}
