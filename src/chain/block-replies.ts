import { type Address, asAddress } from '../base/address.ts';
import { asHash, bytesToHex, type Hash } from '../base/hex.ts';
import { asQuarters, MAX_QUARTERS, type Quarters } from '../base/quarters.ts';
import { hashText } from './abi-words.ts';
import { KNOWN_TYPES } from './block-forms.ts';
import { coveredBy, type RawReceipt, Unproven } from './block-proof.ts';

/*
 * What nodes say about the logs of a block, read without asking anybody: the thread that reads large replies does it, too.
 */

/** A log of the token that matters to the ledger or a transfer, in the order of its `logIndex`. */
export type TokenLog = { readonly logIndex: number; readonly txHash: Hash } & (
  | { readonly kind: 'transfer'; readonly from: Address; readonly to: Address; readonly amount: Quarters }
  | { readonly kind: 'used' | 'canceled'; readonly authorizer: Address; readonly nonce: Hash }
);

export const TRANSFER = bytesToHex(hashText('Transfer(address,address,uint256)'));
export const USED = bytesToHex(hashText('AuthorizationUsed(address,bytes32)'));
export const CANCELED = bytesToHex(hashText('AuthorizationCanceled(address,bytes32)'));
const EVENTS: ReadonlySet<string | undefined> = new Set([TRANSFER, USED, CANCELED]);

export type LogBody = { readonly address: string; readonly topics: readonly string[]; readonly data: string };
export type RawLog = LogBody & {
  readonly logIndex: string;
  readonly transactionHash: string;
  readonly blockHash: string;
};
export type BlockReceipt = RawReceipt & {
  readonly transactionHash: string;
  readonly blockHash: string;
  readonly logs: readonly RawLog[];
};

export const isOurs = ({ address, topics }: LogBody, token: Address): boolean =>
  address.toLowerCase() === token.toLowerCase() && EVENTS.has(topics[0]?.toLowerCase());

export function requireBlock(receipts: readonly BlockReceipt[], hash: Hash): void {
  if (receipts.some(({ blockHash }) => asHash(blockHash) !== hash))
    throw new Error('The node answered with receipts of another block');
}

/** Throws {@link Unproven} unless these are the receipts of a block that have the root that its header names. Returns those that it covers. */
export function requireProven(
  { number, receiptsRoot }: { readonly number: bigint; readonly receiptsRoot: unknown },
  given: readonly BlockReceipt[],
): readonly BlockReceipt[] {
  const covered = coveredBy(receiptsRoot, given);
  if (covered) return covered;
  const isKnown = given.every(({ type }) => KNOWN_TYPES.has(Number(type ?? 0)));
  const reason = `the receipts of block ${number} do not have the root that its header names`;
  throw new Unproven(reason, isKnown ? 'receipts' : 'other');
}

/** What a reply is to be read as. `logs`: to `eth_getLogs` of one block; `receipts`: to `eth_getBlockReceipts`, which are to be proven. */
export type Reading = {
  readonly of: 'logs' | 'receipts';
  readonly token: Address;
  readonly number: bigint;
  readonly hash: Hash;
  readonly receiptsRoot: unknown;
};

/** The token's logs in a reply, in their order. `given`: how many logs there were at all. */
export type LogsRead = { readonly logs: TokenLog[]; readonly given: number };

/** Throws {@link Unproven} if the reply contradicts itself or the header, another Error if it is about another block or about nothing. */
export function readReply(result: unknown, reading: Reading): LogsRead {
  return reading.of === 'logs'
    ? readLogs(result as RawLog[], reading)
    : readReceipts(result as BlockReceipt[] | null, reading);
}

function readLogs(given: readonly RawLog[], { token, hash }: Reading): LogsRead {
  if (given.some((log) => asHash(log.blockHash) !== hash))
    throw new Error('The node answered with logs of another block');
  return { logs: onePerPlace(given.filter((log) => isOurs(log, token))), given: given.length };
}

function readReceipts(given: readonly BlockReceipt[] | null, reading: Reading): LogsRead {
  const receipts = requireProven(reading, requireReceipts(given, reading));
  let logIndex = 0;
  const logs = receipts.flatMap(({ transactionHash, logs }) =>
    logs.flatMap((log) => {
      const place = { logIndex: logIndex++, txHash: asHash(transactionHash) };
      return isOurs(log, reading.token) ? [parseLog(log, place)] : [];
    }),
  );
  return { logs, given: logIndex };
}

/** Throws if the node gave none, or those of another block: the hashes in the answer show whether it is the same. */
export function requireReceipts(
  given: readonly BlockReceipt[] | null,
  { number, hash }: { readonly number: bigint; readonly hash: Hash },
): readonly BlockReceipt[] {
  if (!given) throw new Error(`The node has no receipts of block ${number}`);
  requireBlock(given, hash);
  return given;
}

/** Logs in the order of their places. Throws {@link Unproven} if one place has two that differ. */
export function onePerPlace(given: readonly RawLog[]): TokenLog[] {
  const byPlace = new Map<number, TokenLog>();
  for (const raw of given) {
    const log = parseLog(raw, { logIndex: Number(raw.logIndex), txHash: asHash(raw.transactionHash) });
    const before = byPlace.get(log.logIndex);
    if (before && textOfLogs([before]) !== textOfLogs([log]))
      throw new Unproven(`two logs have the same place ${log.logIndex}`);
    byPlace.set(log.logIndex, log);
  }
  return [...byPlace.values()].sort((a, b) => a.logIndex - b.logIndex);
}

/** The same for the same logs, and different for others. */
export function textOfLogs(logs: readonly TokenLog[]): string {
  return JSON.stringify(logs, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
}

export function parseLog({ topics, data }: LogBody, place: Pick<TokenLog, 'logIndex' | 'txHash'>): TokenLog {
  const [topic = '', first = '', second = ''] = topics;
  if (topic.toLowerCase() === TRANSFER) {
    const amount = BigInt(data);
    if (amount > MAX_QUARTERS) throw new Error('A Transfer log is larger than the supply can be');
    return {
      ...place,
      kind: 'transfer',
      from: topicAddress(first),
      to: topicAddress(second),
      amount: asQuarters(amount),
    };
  }
  return {
    ...place,
    kind: topic.toLowerCase() === USED ? 'used' : 'canceled',
    authorizer: topicAddress(first),
    nonce: asHash(second),
  };
}

function topicAddress(topic: string): Address {
  return asAddress(`0x${topic.slice(-40)}`);
}
