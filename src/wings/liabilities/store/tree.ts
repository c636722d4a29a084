import { hash } from 'node:crypto';

// A Merkle sum tree. It follows Chalkias, Chatzigiannis and Ji, "Broken Proofs of Solvency in Blockchain Custodial Wallets and
// Exchanges" (2022): a node commits to both children's sums separately, so that no sum of a subtree can be understated.
// src/web/assets/verify-liability.mjs hashes the same with its own code.

/** A node with the sums of all leaves below it, in quarters. */
export type TreeNode = { readonly hash: Buffer; readonly balance: bigint; readonly rewards: bigint };

export type Leaf = {
  /** 32 bytes that only the account's owner gets, so that nobody can guess what a leaf's hash stands for. */
  readonly salt: Buffer;
  /** 20 bytes. */
  readonly address: Buffer;
  readonly balance: bigint;
  readonly rewards: bigint;
};

const LEAF = Buffer.from('quarters.liability-leaf.v1');
const NODE = Buffer.from('quarters.liability-node.v1');
const EMPTY = Buffer.from('quarters.liability-none.v1');
const TAG_BYTES = LEAF.length;
/** A node in the hash of the one above it, and in storage: its hash, and its sums as 64-bit numbers. */
export const NODE_BYTES = 48;

export function leafNode({ salt, address, balance, rewards }: Leaf): TreeNode {
  const bytes = Buffer.allocUnsafe(TAG_BYTES + 68);
  LEAF.copy(bytes);
  salt.copy(bytes, TAG_BYTES);
  address.copy(bytes, TAG_BYTES + 32);
  writeSums(bytes, TAG_BYTES + 52, { balance, rewards });
  return { hash: hash('sha256', bytes, 'buffer'), balance, rewards };
}

function nodeAbove(left: TreeNode, right: TreeNode): TreeNode {
  const bytes = Buffer.allocUnsafe(TAG_BYTES + 2 * NODE_BYTES);
  NODE.copy(bytes);
  writeNode(bytes, TAG_BYTES, left);
  writeNode(bytes, TAG_BYTES + NODE_BYTES, right);
  return {
    hash: hash('sha256', bytes, 'buffer'),
    balance: left.balance + right.balance,
    rewards: left.rewards + right.rewards,
  };
}

/** The node above 2^i leaves that stand for nobody, by i. They fill the tree, so that all proofs are equally long. */
const EMPTY_NODES: TreeNode[] = [{ hash: hash('sha256', EMPTY, 'buffer'), balance: 0n, rewards: 0n }];

function emptyNode(level: number): TreeNode {
  for (let i = EMPTY_NODES.length; i <= level; i++)
    EMPTY_NODES.push(nodeAbove(EMPTY_NODES[i - 1]!, EMPTY_NODES[i - 1]!));
  return EMPTY_NODES[level]!;
}

/** The levels above so many leaves. */
export function depthOf(leaves: number): number {
  return leaves < 2 ? 0 : Math.ceil(Math.log2(leaves));
}

/**
 * The node that stands `levels` above the nodes of one level, at most 2^levels of them, which stand `level` above the leaves. `path`:
 * the siblings on the way up from the node at `index`.
 */
export function foldNodes(
  nodes: readonly TreeNode[],
  { level, levels, index = 0 }: { readonly level: number; readonly levels: number; readonly index?: number },
): { readonly top: TreeNode; readonly path: readonly TreeNode[] } {
  const path: TreeNode[] = [];
  let row = nodes;
  for (let i = 0; i < levels; i++) {
    const empty = emptyNode(level + i);
    path.push(row[(index >> i) ^ 1] ?? empty);
    const above: TreeNode[] = [];
    for (let at = 0; at < row.length; at += 2) above.push(nodeAbove(row[at]!, row[at + 1] ?? empty));
    row = above;
  }
  return { top: row[0] ?? emptyNode(level + levels), path };
}

export function writeNode(bytes: Buffer, at: number, node: TreeNode): void {
  node.hash.copy(bytes, at);
  writeSums(bytes, at + 32, node);
}

export function readNode(bytes: Buffer, at: number): TreeNode {
  return { hash: bytes.subarray(at, at + 32), ...readSums(bytes, at + 32) };
}

/** Throws if a sum is negative or has more than 64 bits. */
export function writeSums(
  bytes: Buffer,
  at: number,
  { balance, rewards }: Pick<TreeNode, 'balance' | 'rewards'>,
): void {
  bytes.writeBigUInt64BE(balance, at);
  bytes.writeBigUInt64BE(rewards, at + 8);
}

export function readSums(bytes: Buffer, at: number): Pick<TreeNode, 'balance' | 'rewards'> {
  return { balance: bytes.readBigUInt64BE(at), rewards: bytes.readBigUInt64BE(at + 8) };
}
