import type { Address } from '../base/address.ts';
import { asHash, type Hash } from '../base/hex.ts';
import { Unproven } from './block-proof.ts';
import {
  CANCELED,
  isOurs,
  type LogsRead,
  onePerPlace,
  parseLog,
  type RawLog,
  type Reading,
  readReply,
  type TokenLog,
  TRANSFER,
  USED,
} from './block-replies.ts';
import { type BlockHeader, mayHoldTokenLogs, maySayLogs, readHeader, type VouchedHeader } from './blocks.ts';
import { ReadReply } from './read-in-thread.ts';
import { readEachReceipt, readReceipts } from './receipts.ts';
import { besides, type Rpc, RpcUnreachable, toQuantity } from './rpc.ts';

/**
 * The token's logs in one block, proven: its receipts have the root that its header names. What is proven is each log and its place, but
 * not the hash of its transaction, which no receipt holds. `header`: one of {@link proveHeader}.
 *
 * Throws {@link Unproven} if the node says what the header does not vouch for, another Error if it does not give the receipts.
 */
export async function proveTokenLogs(
  rpc: Rpc,
  header: VouchedHeader,
  token: Address,
  believesBloom: boolean,
): Promise<TokenLog[]> {
  if (!mayHoldTokenLogs(header, token, believesBloom)) return [];
  const { number, hash, receiptsRoot } = header;
  const reading = { of: 'receipts', token, number, hash, receiptsRoot } as const;
  const answer = await rpc.call<unknown>('eth_getBlockReceipts', [toQuantity(number)], reading);
  return (await logsIn(answer, reading)).logs;
}

/**
 * The token's logs in one block, as the node says, requested by the block's hash: a range could mix two forks, or come back empty from a
 * node that lags behind. It is asked whatever bloom it gives. A log that is given twice counts once. Two that differ at one place, and an
 * empty answer where the block's receipts have logs of ours, are refused. A node that refuses logs is asked for receipts.
 *
 * Throws {@link Unproven} if the answer contradicts itself, another Error if the node does not know the block.
 */
export async function readTokenLogs(rpc: Rpc, header: BlockHeader, token: Address): Promise<TokenLog[]> {
  const filter = { blockHash: header.hash, address: token, topics: [[TRANSFER, USED, CANCELED]] };
  const { number, hash } = header;
  const reading = { of: 'logs', token, number, hash, receiptsRoot: null } as const;
  let answer: unknown;
  try {
    answer = await rpc.call('eth_getLogs', [filter], reading);
  } catch (error) {
    if (error instanceof RpcUnreachable) throw error;
    return readLogsOfReceipts(rpc, header, token).catch(() => {
      throw error;
    });
  }
  const read = await logsIn(answer, reading);
  if (read.given === 0 && maySayLogs(header, token, [TRANSFER, USED, CANCELED])) {
    // The bloom may be a false positive, or false itself. Then the block has other logs, or none, and none of ours.
    const all = await readAllLogs(rpc, header);
    const shown =
      all.length > 0 ? all.filter((log) => isOurs(log, token)) : await readLogsOfReceipts(rpc, header, token);
    if (shown.length > 0)
      throw new Unproven(`there are no logs for block ${header.number}, but its receipts have some`);
  }
  return read.logs;
}

const logsIn = async (answer: unknown, reading: Reading): Promise<LogsRead> =>
  answer instanceof ReadReply ? answer.logs() : readReply(answer, reading);

/** The token's logs in a block, by the receipts that the node gives for each of its transactions ({@link readEachReceipt}). */
export async function readLogsOfReceipts(rpc: Rpc, header: BlockHeader, token: Address): Promise<TokenLog[]> {
  const receipts = await readEachReceipt(rpc, header);
  return onePerPlace(receipts.flatMap(({ logs }) => logs).filter((log) => isOurs(log, token)));
}

/** The token's logs of one transaction, by its receipt. Throws if the node does not know it as mined. */
export async function readLogsOfTransaction(rpc: Rpc, hash: Hash, token: Address): Promise<TokenLog[]> {
  const receipt = await rpc.call<{ logs: readonly RawLog[] } | null>('eth_getTransactionReceipt', [hash]);
  if (!receipt) throw new Error(`The node has no receipt of transaction ${hash}`);
  return onePerPlace(receipt.logs.filter((log) => isOurs(log, token)));
}

/** All logs of one block. Some providers answer for logs of given addresses only, so its receipts are asked for then. */
async function readAllLogs(rpc: Rpc, header: BlockHeader): Promise<readonly RawLog[]> {
  try {
    return await rpc.call<RawLog[]>('eth_getLogs', [{ blockHash: header.hash }]);
  } catch (error) {
    if (error instanceof RpcUnreachable) throw error;
    return (await readReceipts(rpc, header)).flatMap(({ logs }) => logs);
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

/** `of`: nothing else than these, which should be some hundred at most. */
type WhichAuthorizations = {
  readonly kinds?: readonly ShownAuthorization['kind'][];
  readonly of?: readonly Pick<ShownAuthorization, 'authorizer' | 'nonce'>[];
};

const topicsOf = (some: NonNullable<WhichAuthorizations['of']>): string[][] => [
  [...new Set(some.map(({ authorizer }) => `0x${authorizer.slice(2).padStart(64, '0')}`))],
  some.map(({ nonce }) => nonce),
];

/** Each node has its own limit on the blocks, or the logs, of one call. */
const BLOCKS_AT_ONCE = 2_000n;
const FEW_BLOCKS = 20n;

/**
 * Authorizations that blocks `first` to `last` show as used or cancelled, one range of blocks at a time. A range may
 * mix two forks or miss a block, so this raises suspicions only, and nothing is posted from it. What one of the endpoints shows is suspected.
 * Throws if the node does not answer even for a single block.
 */
export async function* readShownAuthorizations(
  rpc: Rpc,
  token: Address,
  first: bigint,
  last: bigint,
  { kinds = ['used', 'canceled'], of }: WhichAuthorizations = {},
): AsyncGenerator<ShownAuthorization[]> {
  let most = BLOCKS_AT_ONCE;
  let refusesAll = false;
  for (let from = first; from <= last; ) {
    const to = from + most - 1n < last ? from + most - 1n : last;
    const filter = {
      fromBlock: toQuantity(from),
      toBlock: toQuantity(to),
      address: token,
      topics: [kinds.map((kind) => (kind === 'used' ? USED : CANCELED)), ...(of ? topicsOf(of) : [])],
    };
    try {
      const logs = await rpc.call<RangeLog[]>('eth_getLogs', [filter]);
      yield authorizationsIn([...logs, ...((await logsOfOthers(rpc, filter)) ?? [])]);
      from = to + 1n;
    } catch (error) {
      // Providers word their limits each in another way, so any refusal halves the range. No answer may mean the same, of a
      // reply that is too large or takes too long, but also that the node is away: that is tried once with few blocks.
      if (error instanceof RpcUnreachable) {
        if (to - from < FEW_BLOCKS) throw error;
        most = FEW_BLOCKS;
      } else if (from < to && !refusesAll) most = (to - from + 1n) / 2n;
      else {
        refusesAll = true;
        const others = await logsOfOthers(rpc, filter);
        most = others ? BLOCKS_AT_ONCE : 1n;
        if (!others && from < to) continue;
        const logs = others ?? (await logsOfBlock(rpc, from, error));
        yield authorizationsIn(logs.filter(isAmong(token, kinds, of)));
        from = to + 1n;
      }
    }
  }
}

type RangeLog = RawLog & { readonly blockNumber: string };

/** What the other endpoints say, as far as they answer: the one that is asked first may leave some out. Null if none of them answers. */
async function logsOfOthers(rpc: Rpc, filter: object): Promise<RangeLog[] | null> {
  const call = { method: 'eth_getLogs', params: [filter] };
  const replies = await Promise.all(besides(rpc).map((other) => other.batch([call])));
  const answered = replies.flat().filter((reply) => reply.kind === 'result');
  return answered.length === 0 ? null : answered.flatMap(({ result }) => result as RangeLog[]);
}

/** The logs of one block by its receipts, for a node that gives no logs at all. Throws why it does not, if it has no receipts either. */
async function logsOfBlock(rpc: Rpc, number: bigint, refusal: unknown): Promise<RangeLog[]> {
  const header = await readHeader(rpc, number).catch(() => null);
  if (!header) throw refusal;
  const receipts = await readEachReceipt(rpc, header).catch(() => {
    throw refusal;
  });
  return receipts.flatMap(({ logs }) => logs).map((log) => ({ ...log, blockNumber: toQuantity(number) }));
}

function isAmong(
  token: Address,
  kinds: readonly ShownAuthorization['kind'][],
  of: WhichAuthorizations['of'],
): (log: RawLog) => boolean {
  const wanted = of && new Set(of.map(textOfAuthorization));
  return (raw) => {
    if (!isOurs(raw, token)) return false;
    const log = parseLog(raw, { logIndex: 0, txHash: asHash(raw.transactionHash) });
    return log.kind !== 'transfer' && kinds.includes(log.kind) && (wanted?.has(textOfAuthorization(log)) ?? true);
  };
}

const textOfAuthorization = ({ authorizer, nonce }: Pick<ShownAuthorization, 'authorizer' | 'nonce'>) =>
  `${authorizer} ${nonce}`;

/** Each once. */
function authorizationsIn(logs: readonly RangeLog[]): ShownAuthorization[] {
  const shown = logs.flatMap((raw) => {
    const log = parseLog(raw, { logIndex: Number(raw.logIndex), txHash: asHash(raw.transactionHash) });
    return log.kind === 'transfer' ? [] : [{ ...log, block: BigInt(raw.blockNumber) }];
  });
  return [...new Map(shown.map((one) => [`${one.block} ${one.kind} ${one.authorizer} ${one.nonce}`, one])).values()];
}
