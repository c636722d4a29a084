import { asHash, type Hash } from '../base/hex.ts';
import type { ChainEndpoint } from './chain-endpoints.ts';
import type { RpcCall, RpcReply } from './json-rpc-http.ts';
import { toQuantity } from './rpc.ts';
import type { Contracts } from './token.ts';

/** What one endpoint says of its chain. */
export type Seen = {
  /** Null if it is on our chain and has our contracts. */
  readonly fault: 'foreign' | 'no-contracts' | null;
  readonly head: bigint;
  readonly headHash: Hash;
  /** In milliseconds since 1970. */
  readonly minedAt: number;
  /** The hashes at the heights that were asked for; null where it has no block. */
  readonly hashes: readonly (Hash | null)[];
};

type RawBlock = { readonly number: string; readonly hash: string; readonly timestamp: string };

const LIMIT_MS = 4_000;

/**
 * Asks one endpoint, in one request, for its chain, its newest block, our contracts and the blocks at `heights`. Null if
 * it does not answer within some seconds. `chainId`: ours.
 */
export async function lookAt(
  { ask }: Pick<ChainEndpoint, 'ask'>,
  { chainId, contracts }: { readonly chainId: number; readonly contracts: Contracts },
  heights: readonly bigint[],
): Promise<Seen | null> {
  const block = (tag: string): RpcCall => ({ method: 'eth_getBlockByNumber', params: [tag, false] });
  const code = (address: string): RpcCall => ({ method: 'eth_getCode', params: [address, 'latest'] });
  const calls = [
    { method: 'eth_chainId', params: [] },
    block('latest'),
    code(contracts.token),
    code(contracts.settlement),
    ...heights.map((height) => block(toQuantity(height))),
  ];
  const replies = await inLimit(ask(calls));
  const [chain, newest, token, settlement, ...others] = (replies ?? []).map(resultOf);
  const head = newest as RawBlock | null | undefined;
  if (typeof chain !== 'string' || !head) return null;
  const lacks = token === '0x' || settlement === '0x';
  return {
    fault: Number(chain) !== chainId ? 'foreign' : lacks ? 'no-contracts' : null,
    head: BigInt(head.number),
    headHash: asHash(head.hash),
    minedAt: Number(head.timestamp) * 1000,
    hashes: others.map((other) => (other ? asHash((other as RawBlock).hash) : null)),
  };
}

/** The hash of an endpoint's block at a height; null if it has none, or does not answer within some seconds. */
export async function readHashAt({ ask }: Pick<ChainEndpoint, 'ask'>, height: bigint): Promise<Hash | null> {
  const replies = await inLimit(ask([{ method: 'eth_getBlockByNumber', params: [toQuantity(height), false] }]));
  const block = replies?.map(resultOf)[0] as RawBlock | null | undefined;
  return block ? asHash(block.hash) : null;
}

const resultOf = (reply: RpcReply): unknown => (reply.kind === 'result' ? reply.result : undefined);

/** Null if there was no answer in time. The request itself ends by its own limit. */
async function inLimit<T>(work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, LIMIT_MS, null);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
