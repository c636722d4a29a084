import { largerFee } from '../chain/fees.ts';
import type { Relayer } from '../chain/relayers.ts';
import { type MinedCost, readCosts } from '../chain/state.ts';
import type { Engine } from './engine.ts';
import { finalBlock } from './finality.ts';
import { addGas, type GasCosts, gasToCount, type UsedAttempt } from './tables/gas-days.ts';

/** What `readCosts` takes at once. */
const MOST = 100;
/** A node that still knows no receipt of so old a transaction never will. */
const GIVE_UP_MS = 86_400_000;

/** Returns what counts the costs of this process's relayers. It asks nobody while the chain has no new block. */
export function gasCounter(service: Engine): () => Promise<boolean> {
  const { settlement } = service;
  let countedAt: string | null = null;
  return async () => {
    const { headHash, leases } = settlement;
    if (headHash !== null && headHash === countedAt) return false;
    let isMore = false;
    for (const relayer of leases) isMore = (await countGas(service, relayer)) || isMore;
    if (!isMore) countedAt = headHash;
    return isMore;
  };
}

/**
 * Counts what the relayer's next transactions have cost, as their receipts say, once they are final: so nothing is ever taken back. Each
 * receipt is read once. Returns whether more is left to count. A receipt that the node does not have yet is asked for again another time.
 */
async function countGas(service: Engine, { address }: Pick<Relayer, 'address'>): Promise<boolean> {
  const { db, rpc, settlement } = service;
  const { first, until, attempts } = await gasToCount(db, address, finalBlock(service, settlement.head), MOST);
  if (until <= first) return false;
  const hashes = attempts.map(({ hash }) => hash);
  const costs = hashes.length > 0 ? await readCosts(rpc, hashes) : [];
  const asked = costs.flatMap((cost) => cost?.rollupFee ?? []);
  if (asked.length > 0) settlement.rollupFee = asked.reduce(largerFee);
  const byNonce = Map.groupBy(
    attempts.map((attempt, i) => ({ attempt, cost: costs[i] ?? null })),
    ({ attempt }) => attempt.nonce,
  );
  const counted: (GasCosts & { signedAt: Date })[] = [];
  let below = until;
  for (const [nonce, tried] of byNonce) {
    const mined = tried.find(({ cost }) => cost);
    const { attempt } = mined ?? tried.at(-1)!;
    if (!mined && Date.now() - attempt.createdAt.getTime() < GIVE_UP_MS) {
      below = nonce;
      break;
    }
    counted.push({ ...costOf(attempt, mined?.cost ?? null), signedAt: attempt.createdAt });
  }
  if (below > first) await addGas(db, address, { first, below }, counted);
  return below === until && attempts.length > 0;
}

function costOf({ transfers }: UsedAttempt, cost: MinedCost | null): GasCosts {
  if (!cost) return { transactions: 0, reverted: 0, transfers: 0, gas: 0n, wei: 0n, unknown: 1 };
  const { gasUsed, feePaid, isReverted } = cost;
  return { transactions: 1, reverted: Number(isReverted), transfers, gas: gasUsed, wei: feePaid, unknown: 0 };
}
