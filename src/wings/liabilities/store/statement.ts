import { hash } from 'node:crypto';
import type { Address } from '../../../base/address.ts';
import { asHash, bytesToHex, type Hash, hexToBytes } from '../../../base/hex.ts';
import type { TreeNode } from './tree.ts';

/** What a publication says. Its root commits to all of it, so whoever has the root needs to trust nothing else. */
export type LiabilityStatement = {
  readonly chainId: number;
  readonly token: Address;
  readonly treasury: Address;
  readonly block: bigint;
  readonly blockHash: Hash;
  /** The token's total supply at the block. */
  readonly supply: bigint;
  /** The treasury's balance at the block. It pays the rewards. */
  readonly inTreasury: bigint;
  readonly accounts: number;
  /** Accounts whose balance in the ledger is below zero. They count 0. */
  readonly overdrawn: number;
  /** The levels of the tree above its leaves. */
  readonly depth: number;
  /** The top node's hash, and the sums of all leaves. */
  readonly tree: Hash;
  readonly balances: bigint;
  readonly rewards: bigint;
};

const ROOT = Buffer.from('quarters.liability-root.v1');

/** SHA-256 of the statement's fields in their order: numbers as 64 bits, addresses as 20 bytes, hashes as 32. */
export function rootOf(said: LiabilityStatement): Hash {
  const fields = [
    number(said.chainId),
    hexToBytes(said.token),
    hexToBytes(said.treasury),
    number(said.block),
    hexToBytes(said.blockHash),
    ...[said.supply, said.inTreasury, said.accounts, said.overdrawn, said.depth].map(number),
    hexToBytes(said.tree),
    number(said.balances),
    number(said.rewards),
  ];
  return asHash(bytesToHex(hash('sha256', Buffer.concat([ROOT, ...fields]), 'buffer')));
}

function number(value: bigint | number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** Whether a tree's top is the one that the statement names. */
export function hasTop({ tree, balances, rewards }: LiabilityStatement, top: TreeNode): boolean {
  return bytesToHex(top.hash) === tree && top.balance === balances && top.rewards === rewards;
}
