import { asHash, type Hash, type Hex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { FIELD_PARTS, HEADER_FORMS, type HeaderForm, isOutsideRoot, NUMBERS, RECEIPT_TAILS } from './block-forms.ts';
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
  /** What is not proven: a header, or receipts, whose form is known; `other`: it may be true all the same. */
  readonly of: 'headers' | 'receipts' | 'other';
  constructor(reason: string, of: Unproven['of'] = 'other') {
    super(reason);
    this.of = of;
  }
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
  /** Not hashed. */
  readonly gasUsed?: Hex;
  readonly logsBloom: Hex;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[];
};

/** The value has to be written as JSON-RPC writes it. Otherwise one that is hashed rightly might be read as another. */
function bytes(text: string): string {
  if (!text.startsWith('0x')) throw new TypeError('a value does not begin with 0x');
  return rlpString(text.slice(2));
}

const number = (text: string) => rlpNumber(BigInt(text));

/** Whether a header has the hash that is said, in one of the known forms. */
export function hasOwnHash(header: RawFields, said: unknown): boolean {
  return HEADER_FORMS.some((form) => isHash(() => hashHeader(header, form), said));
}

/** The hash of a header in this form, Ethereum's unless named, computed from its fields. Throws if it lacks one. */
export function hashHeader(header: RawFields, { fields, later }: HeaderForm = HEADER_FORMS[0]!): Hash {
  const isThere = (name: string) => header[name] !== undefined && header[name] !== null;
  const encoded = fields.map((field) =>
    typeof field === 'string'
      ? encodeField(header, field)
      : rlpList(field.filter(isThere).map((name) => encodeField(header, name))),
  );
  const last = later.filter(isThere).map((name) => encodeField(header, name));
  return asHash(`0x${hashed(rlpList([...encoded, ...last]))}`);
}

function encodeField(fields: RawFields, name: string): string {
  const value = fields[name];
  const parts = FIELD_PARTS[name];
  if (parts) return rlpList(parts.map((part) => encodeField(value as RawFields, part)));
  return NUMBERS.has(name) ? number(String(value)) : bytes(String(value));
}

/** Whether what a node gives has the hash that is said. */
function isHash(compute: () => Hash, said: unknown): boolean {
  try {
    return compute() === asHash(String(said));
  } catch {
    // What the node gives lacks something that is hashed.
    return false;
  }
}

/** Those of the receipts of a block that the root covers, which a header names; null if it is not theirs, as far as their forms are known. */
export function coveredBy<R extends RawReceipt>(root: unknown, receipts: readonly R[]): readonly R[] | null {
  const without = receipts.filter((receipt) => !isOutsideRoot(receipt));
  return [receipts, without].find((some) => isHash(() => rootOfReceipts(some), root)) ?? null;
}

/** What a header names if its block has no receipts. */
export const NO_RECEIPTS = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

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
  const code = Number(type);
  const tail = RECEIPT_TAILS[code]?.fields.map((name) => (receipt as RawFields)[name]) ?? [];
  const body = rlpList([
    status === undefined ? bytes(root) : number(status),
    number(cumulativeGasUsed),
    bytes(logsBloom),
    rlpList(
      logs.map(({ address, topics, data }) => rlpList([bytes(address), rlpList(topics.map(bytes)), bytes(data)])),
    ),
    ...(tail.every((value) => typeof value === 'string') ? tail.map(number) : []),
  ]);
  // A type is one byte before what it types (EIP-2718).
  return code === 0 ? body : code.toString(16).padStart(2, '0') + body;
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
