import { toQuantity } from '../../src/chain/rpc.ts';
import { KEPT_BLOCKS } from './parts.ts';
import { Refused } from './refused.ts';
import type { World } from './world.ts';

type Transaction = { readonly hash: string; readonly from: string };

export type Reorganization = {
  /** So many of the newest blocks are replaced. */
  readonly depth: number;
  /** Ids of transactions that the new blocks do not have. */
  readonly without?: readonly string[];
};

/**
 * Replaces the newest blocks. The new ones have the same transactions but for those left out, which the node forgets: the service notices, and
 * sends the same bytes again. With one of a sender's, all later ones of that sender are left out, because a chain cannot have them before it.
 */
export async function reorganize(world: World, { depth, without = [] }: Reorganization): Promise<void> {
  if (!world.gate.isOpen) throw new Refused('The chain is down: bring it up first.');
  await world.blocks.alone(() => replaceNewest(world, depth, without));
  await world.follow();
}

async function replaceNewest(world: World, depth: number, without: readonly string[]): Promise<void> {
  const replaced = await newestBlocks(world, depth);
  const known = new Set(replaced.flat().map(({ hash }) => hash));
  const unknown = without.find((id) => !known.has(id));
  if (unknown) throw new Refused(`The newest ${depth} blocks have no transaction ${unknown}.`);
  await world.rpc.call('anvil_reorg', [depth, await keptIn(world, replaced, new Set(without))]);
}

/** Replaces the blocks from the oldest of these transactions on by as many without them. Those that no block has are left alone. */
export async function takeBack(world: World, hashes: readonly string[]): Promise<void> {
  const { rpc, blocks } = world;
  await blocks.alone(async () => {
    const blockOf = async (hash: string) => {
      const receipt = await rpc.call<{ blockNumber: string } | null>('eth_getTransactionReceipt', [hash]);
      return receipt && { hash, block: Number(receipt.blockNumber) };
    };
    const mined = (await Promise.all(hashes.map(blockOf))).filter((one) => one !== null);
    if (mined.length === 0) return;
    const head = Number(await rpc.call<string>('eth_blockNumber', []));
    const depth = head - Math.min(...mined.map(({ block }) => block)) + 1;
    await replaceNewest(
      world,
      depth,
      mined.map(({ hash }) => hash),
    );
  });
}

/** Their transactions, oldest first. */
async function newestBlocks({ rpc, newestKept }: World, depth: number): Promise<Transaction[][]> {
  const head = Number(await rpc.call<string>('eth_blockNumber', []));
  const most = Math.min(head - newestKept.block, KEPT_BLOCKS.states - 1);
  if (depth > most) {
    throw new Refused(`The chain can be reorganized by up to ${most} blocks now: by those since the newest snapshot.`);
  }
  const numbers = Array.from({ length: depth }, (_, place) => head - depth + 1 + place);
  return Promise.all(
    numbers.map(async (number) => {
      const at = [toQuantity(BigInt(number)), true];
      return (await rpc.call<{ transactions: Transaction[] }>('eth_getBlockByNumber', at)).transactions;
    }),
  );
}

/** The bytes of those that stay, each with the place of its block. */
async function keptIn({ rpc }: World, blocks: readonly Transaction[][], without: ReadonlySet<string>) {
  const cut = new Set<string>();
  const kept: [string, number][] = [];
  for (const [place, transactions] of blocks.entries()) {
    for (const { hash, from } of transactions) {
      if (without.has(hash)) cut.add(from);
      if (cut.has(from)) continue;
      kept.push([await rpc.call<string>('eth_getRawTransactionByHash', [hash]), place]);
    }
  }
  return kept;
}
