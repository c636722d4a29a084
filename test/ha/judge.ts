import assert from 'node:assert/strict';
import { toEventSelector } from 'viem';
import type { World } from '../kit/service/crash-world.ts';
import type { Payment } from './load.ts';

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const USED = toEventSelector('AuthorizationUsed(address,bytes32)');
const BLOCKS_AT_ONCE = 100;

export type Verdict = {
  /** Acknowledged, and not on the chain. */
  readonly lost: readonly string[];
  /** More than once on the chain, or with an authorization that was used twice. */
  readonly doubled: readonly string[];
  /** On the chain, and asked for by nobody. */
  readonly unasked: readonly string[];
};

/**
 * Compares what was acknowledged with the chain's own logs, and with nothing that the service or its database says. It continues where it
 * stopped, because the node keeps few blocks.
 */
export function openJudge(
  world: World,
  token: string,
): { judge(payments: readonly Payment[], app: string): Promise<Verdict> } {
  const transfers = new Map<string, number>();
  const used = new Map<string, number>();
  let next = 0;

  async function readOn(): Promise<void> {
    const head = Number(await world.evm.rpc('eth_blockNumber'));
    for (; next <= head; next += BLOCKS_AT_ONCE) {
      const [fromBlock, toBlock] = [next, Math.min(next + BLOCKS_AT_ONCE - 1, head)].map(
        (number) => `0x${number.toString(16)}`,
      );
      const logs = await world.evm.rpc('eth_getLogs', [{ fromBlock, toBlock, address: token }]);
      for (const { topics, data } of logs as { topics: string[]; data: string }[]) {
        if (topics[0] === USED) count(used, topics[2]!);
        if (topics[0] === TRANSFER) count(transfers, `${account(topics[1]!)}/${account(topics[2]!)}/${BigInt(data)}`);
      }
    }
    next = head + 1;
  }

  return {
    async judge(payments, app) {
      await readOn();
      const accepted = payments.filter(({ txId }) => txId !== null);
      const asked = new Set(payments.map(nameOf));
      const times = (payment: Payment) => transfers.get(nameOf(payment)) ?? 0;
      const again = [...used].filter(([, count]) => count > 1).map(([nonce]) => `authorization ${nonce}`);
      return {
        lost: accepted.filter((payment) => times(payment) === 0).map(nameOf),
        doubled: [...payments.filter((payment) => times(payment) > 1).map(nameOf), ...again],
        unasked: [...transfers.keys()].filter((name) => name.startsWith(app.toLowerCase()) && !asked.has(name)),
      };
    },
  };
}

/** Asserts that every acknowledged payment is on the chain once, and nothing else. */
export function assertExactlyOnce({ lost, doubled, unasked }: Verdict): void {
  assert.deepEqual({ lost, doubled, unasked }, { lost: [], doubled: [], unasked: [] });
}

function nameOf({ from, to, amount }: Payment): string {
  return `${from}/${to}/${amount}`;
}

function account(topic: string): string {
  return `0x${topic.slice(-40)}`;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
