import { hash } from 'node:crypto';
import { type Address, asAddress } from '../../../base/address.ts';
import { bytesToHex, hexToBytes } from '../../../base/hex.ts';
import {
  depthOf,
  foldNodes,
  type Leaf,
  leafNode,
  NODE_BYTES,
  readNode,
  readSums,
  type TreeNode,
  writeNode,
  writeSums,
} from './tree.ts';

// Leaves are stored in chunks of 256, with the node above each chunk. A proof reads one chunk and all these nodes: a million accounts
// take 36 MB in 3,907 rows, and a proof of one hashes a few thousand times.

/** What is owed to one account, as the ledger lists it. */
export type Owed = { readonly address: Address; readonly balance: bigint; readonly rewards: bigint };

/** Leaves of one row, in the order of the tree. */
export type LeafChunk = { readonly firstSalted: Buffer; readonly leaves: Buffer };

/** How far the node above a chunk stands above the leaves. */
const CHUNK_LEVELS = 8;
const CHUNK_LEAVES = 2 ** CHUNK_LEVELS;
const ADDRESS_BYTES = 20;
const LEAF_BYTES = ADDRESS_BYTES + 16;

/**
 * The salt of an account's leaf: SHA-256 of the publication's secret and the address. Leaves stand in the order of their salts, which
 * says nothing about the accounts. The ledger computes the same in SQL, to sort by it.
 */
export function saltOf(secret: Uint8Array, address: Address): Buffer {
  return hash('sha256', Buffer.concat([secret, hexToBytes(address)]), 'buffer');
}

export type FinishedTree = {
  readonly top: TreeNode;
  readonly depth: number;
  readonly accounts: number;
  readonly chunks: readonly LeafChunk[];
  /** The nodes above the chunks. */
  readonly chunkNodes: Buffer;
};

/** Builds a tree of accounts that arrive in the order of their salts. It keeps 36 bytes of each. */
export function openTree(secret: Uint8Array) {
  const chunks: LeafChunk[] = [];
  const nodes: TreeNode[] = [];
  let row: (Owed & { readonly salt: Buffer })[] = [];
  let last: Buffer = Buffer.alloc(0);
  const closeChunk = (levels: number) => {
    const leaves = Buffer.allocUnsafe(row.length * LEAF_BYTES);
    for (const [i, { address, ...sums }] of row.entries()) {
      leaves.write(address.slice(2), i * LEAF_BYTES, 'hex');
      writeSums(leaves, i * LEAF_BYTES + ADDRESS_BYTES, sums);
    }
    chunks.push({ firstSalted: row[0]!.salt, leaves });
    nodes.push(foldNodes(row.map(nodeOf), { level: 0, levels }).top);
    row = [];
  };
  let accounts = 0;
  return {
    add(owed: Owed): void {
      const salt = saltOf(secret, owed.address);
      if (Buffer.compare(last, salt) >= 0) throw new Error('An account is out of order, or there twice');
      last = salt;
      row.push({ ...owed, salt });
      accounts++;
      if (row.length === CHUNK_LEAVES) closeChunk(CHUNK_LEVELS);
    },
    finish(): FinishedTree {
      const depth = depthOf(accounts);
      if (row.length > 0) closeChunk(Math.min(depth, CHUNK_LEVELS));
      const chunkNodes = Buffer.allocUnsafe(nodes.length * NODE_BYTES);
      for (const [i, node] of nodes.entries()) writeNode(chunkNodes, i * NODE_BYTES, node);
      return { top: foldNodes(nodes, aboveChunks(depth)).top, depth, accounts, chunks, chunkNodes };
    },
  };
}

const nodeOf = ({ address, ...leaf }: Owed & { readonly salt: Buffer }): TreeNode =>
  leafNode({ ...leaf, address: hexToBytes(address) });

function aboveChunks(depth: number) {
  const level = Math.min(depth, CHUNK_LEVELS);
  return { level, levels: depth - level };
}

/** Where a leaf stands, and the siblings on the way up from it. */
export type LeafProof = {
  readonly leaf: Leaf;
  readonly index: number;
  readonly path: readonly TreeNode[];
  readonly top: TreeNode;
};

/** The proof of an account, of the chunk where it must be. Null if it is not there. `chunk`: the number of the chunk. */
export function proveLeaf(
  { secret, depth, chunkNodes }: { readonly secret: Buffer; readonly depth: number; readonly chunkNodes: Buffer },
  { chunk, leaves }: { readonly chunk: number; readonly leaves: Buffer },
  address: Address,
): LeafProof | null {
  const row = unpack(leaves);
  const at = row.findIndex((owed) => owed.address === address);
  if (at < 0) return null;
  const nodes = row.map((owed) => nodeOf({ ...owed, salt: saltOf(secret, owed.address) }));
  const tops = Array.from({ length: chunkNodes.length / NODE_BYTES }, (_, i) => readNode(chunkNodes, i * NODE_BYTES));
  const { level, levels } = aboveChunks(depth);
  const below = foldNodes(nodes, { level: 0, levels: level, index: at });
  // The path leads up from the leaves as they are stored now, so that a change of one leads to another top.
  const above = foldNodes(tops.with(chunk, below.top), { level, levels, index: chunk });
  const { balance, rewards } = row[at]!;
  return {
    leaf: { salt: saltOf(secret, address), address: hexToBytes(address), balance, rewards },
    index: chunk * CHUNK_LEAVES + at,
    path: [...below.path, ...above.path],
    top: above.top,
  };
}

function unpack(leaves: Buffer): Owed[] {
  return Array.from({ length: leaves.length / LEAF_BYTES }, (_, i) => {
    const at = i * LEAF_BYTES;
    const address = asAddress(bytesToHex(leaves.subarray(at, at + ADDRESS_BYTES)));
    return { address, ...readSums(leaves, at + ADDRESS_BYTES) };
  });
}
