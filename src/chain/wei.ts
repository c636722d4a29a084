import { setTimeout as delay } from 'node:timers/promises';
import type { Address } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';
import { sharedBatches } from '../base/shared-batches.ts';
import type { Rpc } from './rpc.ts';

/** Addresses asked for in one JSON-RPC batch. */
const BATCH = 100;
const BATCHES_UNDER_WAY = 2;
/** A single lost answer must not fail all the calls that wait for it. */
const ASK_AGAIN_AFTER_MS = 100;

/** However seldom the chain has a block. */
const FRESH_FOR_SECONDS = 5;
/** Limits memory. */
const MOST_KEPT = 10_000;

/**
 * Reads ether balances in wei, of many accounts at once, so that no call asks the node by itself. A balance is as of the newest block
 * that this process has seen, and at most five seconds old.
 *
 * `head`: the hash of that block. `seconds`: a monotonic clock. The reader rejects if the node does not answer.
 */
export function openWeiReader(
  rpc: Rpc,
  head: () => Hash | null,
  seconds = () => performance.now() / 1000,
): (address: Address) => Promise<bigint> {
  const ask = sharedBatches((addresses) => readAll(rpc, addresses), {
    mostKeys: BATCH,
    mostUnderWay: BATCHES_UNDER_WAY,
  });
  let kept = new Map<Address, Promise<bigint>>();
  let block: Hash | null = null;
  let since = 0;

  return (address) => {
    const now = seconds();
    if (block !== head() || now - since >= FRESH_FOR_SECONDS || kept.size >= MOST_KEPT) {
      kept = new Map();
      block = head();
      since = now;
    }
    const known = kept.get(address);
    if (known) return known;
    const keptHere = kept;
    const wei = ask(address).then((wei) => {
      if (wei === null) throw new Error('The node did not answer for a balance');
      return wei;
    });
    keptHere.set(address, wei);
    // The next call asks again.
    wei.catch(() => keptHere.delete(address));
    return wei;
  };
}

/** The balances that the node answers for. */
async function readAll(rpc: Rpc, addresses: readonly string[]): Promise<Map<string, bigint>> {
  const balances = await readOnce(rpc, addresses);
  const missing = addresses.filter((address) => !balances.has(address));
  if (missing.length === 0) return balances;
  await delay(ASK_AGAIN_AFTER_MS);
  return new Map([...balances, ...(await readOnce(rpc, missing))]);
}

async function readOnce(rpc: Rpc, addresses: readonly string[]): Promise<Map<string, bigint>> {
  const replies = await rpc.batch(
    addresses.map((address) => ({ method: 'eth_getBalance', params: [address, 'latest'] })),
  );
  return new Map(
    replies.flatMap((reply, i) => (reply.kind === 'result' ? [[addresses[i]!, BigInt(reply.result as string)]] : [])),
  );
}
