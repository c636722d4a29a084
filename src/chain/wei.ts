import { setTimeout as delay } from 'node:timers/promises';
import type { Address } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';
import { sharedBatches } from '../base/shared-batches.ts';
import type { Rpc } from './rpc.ts';

/** Addresses asked for in one call, or in one JSON-RPC batch where the node refuses that. */
const BATCH = 100;
/** Not all chains run our code in a call, or have the same ether there: zkSync has another machine. */
const REFUSED_FOR_SECONDS = 600;
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
  let eachUntil = 0;
  let isChecked = false;
  const readAll = async (addresses: readonly string[]): Promise<Map<string, bigint>> => {
    if (addresses.length === 1 || seconds() < eachUntil) return readEachOf(rpc, addresses);
    const together = await readTogether(rpc, addresses);
    const isUsable = together instanceof Map && (isChecked || (await isSameEther(rpc, together)));
    if (isUsable) isChecked ||= [...together.values()].some((wei) => wei > 0n);
    else if (together !== 'lost') eachUntil = seconds() + REFUSED_FOR_SECONDS;
    return isUsable ? together : readEachOf(rpc, addresses);
  };
  const ask = sharedBatches(readAll, { mostKeys: BATCH, mostUnderWay: BATCHES_UNDER_WAY });
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

/** The balances that the node answers for, each by a call of its own. */
async function readEachOf(rpc: Rpc, addresses: readonly string[]): Promise<Map<string, bigint>> {
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

const WORD_DIGITS = 64;

/** Whether accounts have the same ether inside and outside: on Hedera it has other decimals there, and Tempo has none. */
async function isSameEther(rpc: Rpc, balances: ReadonlyMap<string, bigint>): Promise<boolean> {
  const [address, wei] = [...balances].find(([, wei]) => wei > 0n) ?? [...balances][0]!;
  return (await readEachOf(rpc, [address])).get(address) === wei;
}

/** The balances by one call, as of one block. `lost`: no answer came. `refused`: the node does not answer such calls. */
async function readTogether(rpc: Rpc, addresses: readonly string[]): Promise<Map<string, bigint> | 'refused' | 'lost'> {
  const data = ASK_BALANCES + addresses.map((address) => address.slice(2)).join('');
  const [reply] = await rpc.batch([{ method: 'eth_call', params: [{ data }, 'latest'] }]);
  if (reply?.kind !== 'result') return reply?.kind === 'error' ? 'refused' : 'lost';
  const words = String(reply.result).slice(2);
  if (words.length !== addresses.length * WORD_DIGITS) return 'refused';
  return new Map(
    addresses.map((address, i) => [address, BigInt(`0x${words.slice(i * WORD_DIGITS, (i + 1) * WORD_DIGITS)}`)]),
  );
}

/**
 * Creation code that is followed by addresses of 20 bytes and returns their balances as 32 bytes each, as its code. The call needs no
 * deployed contract. A balance never begins with 0xef, with which code must not begin (EIP-3541).
 *
 * Memory: 0x00 the address, from 0x20 on the result. Stack: `next` (the offset of the next address in the code), `out`.
 */
const ASK_BALANCES = `0x${[
  '602b6020', //         next = length of this program, out = 0x20
  '5b38821015602357', // 04: while next < CODESIZE (else to 23)
  '601482600c39', //       CODECOPY(0x0c, next, 20)
  '600051318152', //       MSTORE(out, BALANCE(MLOAD(0x00)))
  '6020019060140190600456', // out += 0x20, next += 20
  '5b602090036020f3', // 23: RETURN(0x20, out - 0x20)
].join('')}`;
