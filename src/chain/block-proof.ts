import { asHash, type Hash, type Hex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { rlpList, rlpNumber, rlpString } from './rlp.ts';

/*
 * A block's hash is that of its header's fields, and one of these is the root of a trie with the receipts of the block,
 * which hold its logs. So a header vouches for logs, whoever gives them (Ethereum yellow paper, 4.4 and appendix D).
 *
 * A receipt does not hold the hash of its transaction: that one is the node's word.
 */

/** What a node says of a block is not what the block's header vouches for, or contradicts itself. */
export class Unproven extends Error {
  override readonly name = 'Unproven';
}

/** A header as JSON-RPC gives it. A chain may have further fields, and lack some. */
export type RawFields = { readonly [field: string]: unknown };

/** What is hashed of a receipt, as JSON-RPC gives it. */
export type RawReceipt = {
  /** Absent on nodes that know no types (EIP-2718). */
  readonly type?: Hex;
  /** Absent before Byzantium (EIP-658), where `root` stands in its place. */
  readonly status?: Hex;
  readonly root?: Hex;
  readonly cumulativeGasUsed: Hex;
  readonly logsBloom: Hex;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[];
  /** Of deposits on chains of the OP Stack, since Canyon. */
  readonly depositNonce?: Hex;
  readonly depositReceiptVersion?: Hex;
};

/** The value has to be written as JSON-RPC writes it. Otherwise one that is hashed rightly might be read as another. */
function bytes(text: string): string {
  if (!text.startsWith('0x')) throw new TypeError('a value does not begin with 0x');
  return rlpString(text.slice(2));
}

const number = (text: string) => rlpNumber(BigInt(text));

/** In the order in which they are hashed. */
const FIELDS = [
  ...['parentHash', 'sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'logsBloom'].map(
    (name) => [name, bytes] as const,
  ),
  ...['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp'].map((name) => [name, number] as const),
  ...['extraData', 'mixHash', 'nonce'].map((name) => [name, bytes] as const),
] as const;

/** Those that came later, each with a fork: EIP-1559, 4895, 4844 (two), 4788 and 7685. */
const LATER_FIELDS = [
  ['baseFeePerGas', number],
  ['withdrawalsRoot', bytes],
  ['blobGasUsed', number],
  ['excessBlobGas', number],
  ['parentBeaconBlockRoot', bytes],
  ['requestsHash', bytes],
] as const;

/** The hash of a header, computed from its fields. Throws if it lacks one that Ethereum's headers have. */
export function hashHeader(header: RawFields): Hash {
  const later = LATER_FIELDS.filter(([name]) => typeof header[name] === 'string');
  return asHash(`0x${hashed(rlpList([...FIELDS, ...later].map(([name, encode]) => encode(header[name] as string))))}`);
}

/** Whether what a node gives has the hash that is said. */
export function isHash(compute: () => Hash, said: unknown): boolean {
  try {
    return compute() === asHash(String(said));
  } catch {
    // What the node gives lacks something that is hashed.
    return false;
  }
}

/** The root of the trie of a block's receipts (appendix D), which are in the order of their transactions. */
export function rootOfReceipts(receipts: readonly RawReceipt[]): Hash {
  const entries = receipts.map((receipt, i) => ({ path: rlpNumber(BigInt(i)), value: encodeReceipt(receipt) }));
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return asHash(`0x${hashed(entries.length === 0 ? NOTHING : trieNode(entries, 0))}`);
}

/** As JSON-RPC's values and RLP here: a text of digits. */
const hashed = (digits: string): string => keccak256(Buffer.from(digits, 'hex')).toString('hex');

function encodeReceipt(receipt: RawReceipt): string {
  const { type = '0x0', status, root = '0x', cumulativeGasUsed, logsBloom, logs } = receipt;
  const { depositNonce, depositReceiptVersion } = receipt;
  const body = rlpList([
    status === undefined ? bytes(root) : number(status),
    number(cumulativeGasUsed),
    bytes(logsBloom),
    rlpList(
      logs.map(({ address, topics, data }) => rlpList([bytes(address), rlpList(topics.map(bytes)), bytes(data)])),
    ),
    ...(depositNonce && depositReceiptVersion ? [number(depositNonce), number(depositReceiptVersion)] : []),
  ]);
  // A type is one byte before what it types (EIP-2718).
  return Number(type) === 0 ? body : Number(type).toString(16).padStart(2, '0') + body;
}

/** `path`: the digits of its key. */
type Entry = { readonly path: string; readonly value: string };

const NOTHING = rlpString('');
const DIGITS = [...'0123456789abcdef'];
/** A node that is shorter than a hash, of so many digits, stands in its parent itself. */
const HASH_DIGITS = 64;

/** The node above `entries`, which are sorted, and have the first `depth` digits of their paths in common. */
function trieNode(entries: readonly Entry[], depth: number): string {
  const first = entries[0]!;
  if (entries.length === 1) return rlpList([compactPath(first.path.slice(depth), 2), rlpString(first.value)]);
  const last = entries.at(-1)!;
  let shared = depth;
  while (first.path[shared] === last.path[shared]) shared++;
  if (shared > depth) return rlpList([compactPath(first.path.slice(depth, shared), 0), childOf(entries, shared)]);
  const byDigit = Map.groupBy(entries, ({ path }) => path[depth]!);
  const children = DIGITS.map((digit) => {
    const below = byDigit.get(digit);
    return below ? childOf(below, depth + 1) : NOTHING;
  });
  // No key is the beginning of another, so no branch has a value of its own.
  return rlpList([...children, NOTHING]);
}

function childOf(entries: readonly Entry[], depth: number): string {
  const node = trieNode(entries, depth);
  return node.length < HASH_DIGITS ? node : rlpString(hashed(node));
}

/** Digits of a path as bytes, after a flag (appendix C). `kind`: 2 for a leaf, 0 for others. */
function compactPath(path: string, kind: 0 | 2): string {
  return rlpString(path.length % 2 === 0 ? `${kind}0${path}` : `${kind + 1}${path}`);
}
