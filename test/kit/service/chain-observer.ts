import { strict as assert } from 'node:assert';
import type { Rpc } from '../../../src/chain/rpc.ts';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const NOBODY = `0x${'0'.repeat(40)}`;
const BLOCKS_AT_ONCE = 50;
/** No reorganisation is deeper. */
const BLOCKS_KEPT = 256;

type Payment = { readonly from: string; readonly to: string; readonly amount: number };
type Paid = Payment & { readonly txHash: string };
type Block = { readonly number: number; readonly hash: string; paid: readonly Paid[] };
type Log = { readonly topics: readonly string[]; readonly data: string; readonly transactionHash: string };

/** What the chain shows, read from the node itself. Follows reorganisations. Small enough for a million payments. */
export type ChainObserver = {
  /** Reads up to the newest block. */
  read(): Promise<void>;
  /** The transactions that paid this, between these two. */
  paidBy(payment: Payment): readonly string[];
  /** Payments of everybody but `issuer`. */
  readonly payments: number;
  /** What `issuer` has paid: `address/amount` → how often. */
  readonly issued: ReadonlyMap<string, number>;
  /** What accounts have. */
  readonly balances: ReadonlyMap<string, number>;
};

/** `issuer`: the only one who may pay the same amount to somebody twice. */
export function openChainObserver(rpc: Rpc, token: string, issuer: string): ChainObserver {
  const numbers = new Map<string, number>();
  /** A payment, in short → its transaction, or its transactions, which is wrong in the end. */
  const paid = new Map<string, string | string[]>();
  const issued = new Map<string, number>();
  const balances = new Map<string, number>();
  const newest: Block[] = [];
  let payments = 0;
  let reading = Promise.resolve();

  const numberOf = (address: string) => {
    const known = numbers.get(address) ?? numbers.size;
    if (known === numbers.size) numbers.set(address, known);
    return known;
  };
  const nameOf = ({ from, to, amount }: Payment) => `${numberOf(from)}/${numberOf(to)}/${amount}`;
  const add = <Key>(counts: Map<Key, number>, key: Key, by: number) => counts.set(key, (counts.get(key) ?? 0) + by);
  const txsOf = (name: string) => [paid.get(name) ?? []].flat();

  function note(one: Paid, sign: 1 | -1): void {
    const { from, to, amount, txHash } = one;
    add(balances, from, -sign * amount);
    add(balances, to, sign * amount);
    if (from === NOBODY) return;
    if (from === issuer) return void add(issued, `${to}/${amount}`, sign);
    payments += sign;
    const name = nameOf(one);
    const txs = sign === 1 ? [...txsOf(name), txHash] : txsOf(name).toSpliced(txsOf(name).indexOf(txHash), 1);
    if (txs.length === 0) paid.delete(name);
    else paid.set(name, txs.length === 1 ? txs[0]! : txs);
  }

  /** Takes back what is no longer on the chain. */
  async function rewind(): Promise<void> {
    for (let last = newest.at(-1); last; last = newest.at(-1)) {
      const block = await rpc.call<{ hash: string } | null>('eth_getBlockByNumber', [hex(last.number), false]);
      if (block?.hash === last.hash) return;
      for (const one of last.paid.toReversed()) note(one, -1);
      newest.pop();
      assert.ok(newest.length > 0, 'a reorganisation was deeper than anything that is observed');
    }
  }

  async function readOn(): Promise<void> {
    await rewind();
    const head = Number(await rpc.call<string>('eth_blockNumber', []));
    for (let next = (newest.at(-1)?.number ?? -1) + 1; next <= head; ) {
      const last = Math.min(head, next + BLOCKS_AT_ONCE - 1);
      const wanted = Array.from({ length: last - next + 1 }, (_, i) => next + i);
      const blocks = await batch<{ hash: string; parentHash: string } | null>(
        wanted.map((number) => ({ method: 'eth_getBlockByNumber', params: [hex(number), false] })),
      );
      const found = blocks.flatMap((block, i) => (block ? [{ ...block, number: next + i }] : []));
      const logs = await batch<Log[] | null>(
        found.map(({ hash }) => ({ method: 'eth_getLogs', params: [{ blockHash: hash, address: token }] })),
      );
      for (const [i, { number, hash, parentHash }] of found.entries()) {
        const before = newest.at(-1);
        // The chain has changed meanwhile.
        if (!logs[i] || (before && (before.hash !== parentHash || before.number !== number - 1))) return readOn();
        const block = { number, hash, paid: logs[i].flatMap(paidIn) };
        newest.push(block);
        for (const one of block.paid) note(one, 1);
        if (newest.length > BLOCKS_KEPT) newest.shift();
      }
      if (found.length < wanted.length) return readOn();
      next = last + 1;
    }
  }

  async function batch<Result>(calls: Parameters<Rpc['batch']>[0]): Promise<(Result | null)[]> {
    const replies = calls.length === 0 ? [] : await rpc.batch(calls);
    return replies.map((reply) => (reply.kind === 'result' ? (reply.result as Result) : null));
  }

  return {
    read() {
      reading = reading.then(readOn);
      return reading;
    },
    paidBy: (payment) => txsOf(nameOf(payment)),
    get payments() {
      return payments;
    },
    issued,
    balances,
  };
}

function paidIn({ topics: [topic, from, to], data, transactionHash }: Log): Paid[] {
  if (topic !== TRANSFER) return [];
  return [{ from: addressIn(from!), to: addressIn(to!), amount: Number(data), txHash: transactionHash }];
}

const addressIn = (word: string) => `0x${word.slice(-40)}`;
const hex = (number: number) => `0x${number.toString(16)}`;
