import { type Address, asAddress } from '../base/address.ts';
import { asHash, bytesToHex, type Hash, type Hex, hexToBytes } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { asQuarters, MAX_QUARTERS, type Quarters } from '../base/quarters.ts';
import { hashText } from './abi-words.ts';
import { type Rpc, RpcUnreachable, toQuantity } from './rpc.ts';

export type BlockHeader = {
  readonly number: bigint;
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly baseFeePerGas: bigint;
  readonly gasLimit: bigint;
  readonly logsBloom: Hex;
};

/** A log of the token that matters to the ledger or a transfer, in the order of its `logIndex`. */
export type TokenLog = { readonly logIndex: number; readonly txHash: Hash } & (
  | { readonly kind: 'transfer'; readonly from: Address; readonly to: Address; readonly amount: Quarters }
  | { readonly kind: 'used' | 'canceled'; readonly authorizer: Address; readonly nonce: Hash }
);

const TRANSFER = bytesToHex(hashText('Transfer(address,address,uint256)'));
export const USED = bytesToHex(hashText('AuthorizationUsed(address,bytes32)'));
const CANCELED = bytesToHex(hashText('AuthorizationCanceled(address,bytes32)'));

type RawHeader = {
  number: string;
  hash: string;
  parentHash: string;
  baseFeePerGas?: string;
  gasLimit: string;
  logsBloom: Hex;
};
type RawLog = {
  address: string;
  logIndex: string;
  transactionHash: string;
  blockHash: string;
  topics: string[];
  data: string;
};

type RawReceipt = { blockHash: string; logs: RawLog[] };

/**
 * The header of block `number`, of the newest, or of the newest that the node calls final; null if the node does not
 * have such a block (yet, or any more).
 */
export async function readHeader(rpc: Rpc, number: bigint | 'latest' | 'finalized'): Promise<BlockHeader | null> {
  const tag = typeof number === 'string' ? number : toQuantity(number);
  const raw = await rpc.call<RawHeader | null>('eth_getBlockByNumber', [tag, false]);
  return raw && parseHeader(raw);
}

/**
 * The headers of blocks `first` to `last` in one request: as many consecutive ones as the node returns. They may belong
 * to two forks.
 */
export async function readHeaders(rpc: Rpc, first: bigint, last: bigint): Promise<BlockHeader[]> {
  const replies = await rpc.batch(
    Array.from({ length: Number(last - first) + 1 }, (_, i) => ({
      method: 'eth_getBlockByNumber',
      params: [toQuantity(first + BigInt(i)), false],
    })),
  );
  const given = replies.map((reply) => (reply.kind === 'result' ? (reply.result as RawHeader | null) : null));
  const end = given.indexOf(null);
  return given.slice(0, end < 0 ? undefined : end).map((raw) => parseHeader(raw!));
}

function parseHeader(raw: RawHeader): BlockHeader {
  return {
    number: BigInt(raw.number),
    hash: asHash(raw.hash),
    parentHash: asHash(raw.parentHash),
    baseFeePerGas: BigInt(raw.baseFeePerGas ?? '0x0'),
    gasLimit: BigInt(raw.gasLimit),
    logsBloom: raw.logsBloom,
  };
}

/** False if the block certainly has no log of the token. */
export function mayHoldTokenLogs(header: BlockHeader, token: Address): boolean {
  return logsBloomContains(header.logsBloom, token);
}

/**
 * Whether a header's logs bloom may contain `value` (an address or a topic); false is certain. It is the 2048-bit
 * filter of the Ethereum yellow paper, section 4.3.1: three 11-bit numbers from the value's Keccak-256.
 */
function logsBloomContains(bloom: Hex, value: Hex): boolean {
  const bits = hexToBytes(bloom);
  const hash = keccak256(hexToBytes(value));
  return [0, 2, 4].every((offset) => {
    const bit = hash.readUInt16BE(offset) & 2047;
    return ((bits[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0;
  });
}

/**
 * The token's logs in one block, requested by the block's hash: a range could mix two forks, or come back empty from a
 * node that lags behind. An empty answer that contradicts the header's bloom is refused.
 *
 * Throws `RpcError` if the node does not know the block, `Error` if its answer contradicts the header.
 */
export async function readTokenLogs(rpc: Rpc, header: BlockHeader, token: Address): Promise<TokenLog[]> {
  if (!mayHoldTokenLogs(header, token)) return [];
  const raw = await rpc.call<RawLog[]>('eth_getLogs', [
    { blockHash: header.hash, address: token, topics: [[TRANSFER, USED, CANCELED]] },
  ]);
  if (raw.some((log) => asHash(log.blockHash) !== header.hash))
    throw new Error('The node answered with logs of another block');
  const mayHoldOurs = [TRANSFER, USED, CANCELED].some((topic) => logsBloomContains(header.logsBloom, topic));
  if (raw.length === 0 && mayHoldOurs) {
    // The bloom filter may also be a false positive. Then the block has other logs, and none of ours.
    const all = await readAllLogs(rpc, header);
    if (all.length === 0 || all.some((log) => isOurs(log, token)))
      throw new Error(`The node gives no logs for block ${header.number}, but its header says there are`);
  }
  return raw.map(parseLog).sort((a, b) => a.logIndex - b.logIndex);
}

const isOurs = ({ address, topics }: RawLog, token: Address): boolean =>
  address.toLowerCase() === token.toLowerCase() && [TRANSFER, USED, CANCELED].some((topic) => topic === topics[0]);

/** All logs of one block. Some providers answer for logs of given addresses only, so its receipts are asked for then. */
async function readAllLogs(rpc: Rpc, { number, hash }: BlockHeader): Promise<readonly RawLog[]> {
  try {
    return await rpc.call<RawLog[]>('eth_getLogs', [{ blockHash: hash }]);
  } catch (error) {
    if (error instanceof RpcUnreachable) throw error;
    // By number, because not all providers take a hash. The hashes in the answer show whether it is the same block.
    const receipts = await rpc.call<RawReceipt[] | null>('eth_getBlockReceipts', [toQuantity(number)]);
    if (receipts?.some(({ blockHash }) => asHash(blockHash) !== hash))
      throw new Error('The node answered with receipts of another block');
    return (receipts ?? []).flatMap(({ logs }) => logs);
  }
}

/** An authorization that a block shows as used or cancelled. */
export type ShownAuthorization = {
  readonly kind: 'used' | 'canceled';
  readonly authorizer: Address;
  readonly nonce: Hash;
  readonly txHash: Hash;
  readonly block: bigint;
};

/** Each node has its own limit on the blocks, or the logs, of one call. */
const BLOCKS_AT_ONCE = 2_000n;
const FEW_BLOCKS = 20n;

/**
 * Authorizations that blocks `first` to `last` show as used or cancelled, one range of blocks at a time. A range may
 * mix two forks or miss a block, so this raises suspicions only, and nothing is posted from it. Throws if the node does
 * not answer even for a single block.
 */
export async function* readShownAuthorizations(
  rpc: Rpc,
  token: Address,
  first: bigint,
  last: bigint,
): AsyncGenerator<ShownAuthorization[]> {
  let most = BLOCKS_AT_ONCE;
  for (let from = first; from <= last; ) {
    const to = from + most - 1n < last ? from + most - 1n : last;
    try {
      const filter = {
        fromBlock: toQuantity(from),
        toBlock: toQuantity(to),
        address: token,
        topics: [[USED, CANCELED]],
      };
      const logs = await rpc.call<(RawLog & { blockNumber: string })[]>('eth_getLogs', [filter]);
      yield logs.flatMap((raw) => {
        const log = parseLog(raw);
        return log.kind === 'transfer' ? [] : [{ ...log, block: BigInt(raw.blockNumber) }];
      });
      from = to + 1n;
    } catch (error) {
      if (from === to) throw error;
      // Providers word their limits each in another way, so any refusal halves the range. No answer may mean the same, of a
      // reply that is too large or takes too long, but also that the node is away: that is tried once with few blocks.
      if (!(error instanceof RpcUnreachable)) most = (to - from + 1n) / 2n;
      else if (to - from >= FEW_BLOCKS) most = FEW_BLOCKS;
      else throw error;
    }
  }
}

function parseLog(raw: RawLog): TokenLog {
  const [topic, first = '', second = ''] = raw.topics;
  const base = { logIndex: Number(raw.logIndex), txHash: asHash(raw.transactionHash) };
  if (topic === TRANSFER) {
    const amount = BigInt(raw.data);
    if (amount > MAX_QUARTERS) throw new Error('A Transfer log is larger than the supply can be');
    return {
      ...base,
      kind: 'transfer',
      from: topicAddress(first),
      to: topicAddress(second),
      amount: asQuarters(amount),
    };
  }
  return {
    ...base,
    kind: topic === USED ? 'used' : 'canceled',
    authorizer: topicAddress(first),
    nonce: asHash(second),
  };
}

function topicAddress(topic: string): Address {
  return asAddress(`0x${topic.slice(-40)}`);
}
