import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundLead, keepingFor } from '../../local/anvil/kept-blocks.ts';
import { startMining } from '../../local/anvil/mining.ts';
import type { Rpc } from '../../src/chain/rpc.ts';
import { until } from '../kit/unit/until.ts';

test('no block is mined while a task has exclusive use of the chain', async () => {
  let [blocks, looks, underWay, finish] = [0, 0, false, () => {}];
  const rpc = {
    async call(method: string) {
      if (method === 'txpool_status') {
        looks++;
        return { pending: '0x1', queued: '0x0' };
      }
      underWay = true;
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      underWay = false;
      blocks++;
      return null;
    },
  } as unknown as Rpc;
  const mining = startMining(rpc, 1);
  await until('a block is being made', () => underWay);
  const seen: [boolean, number][] = [];
  const alone = mining.alone(async () => {
    seen.push([underWay, blocks]);
    const before = looks;
    await until('transactions are seen to wait', () => looks > before);
    // The step after the check runs in the same turn.
    await new Promise((resolve) => setImmediate(resolve));
    seen.push([underWay, blocks]);
  });
  finish();
  await alone;
  assert.deepEqual(seen, [
    [false, 1],
    [false, 1],
  ]);
  await until('the next block is being made', () => underWay);
  const stopped = mining.stop();
  finish();
  await stopped;
});

test('no block is mined while no transaction waits', async () => {
  const asked: string[] = [];
  const rpc = {
    async call(method: string) {
      asked.push(method);
      return { pending: '0x0', queued: '0x0' };
    },
  } as unknown as Rpc;
  const mining = startMining(rpc, 1);
  await until('it was looked several times', () => asked.length >= 5);
  await mining.stop();
  assert.deepEqual(new Set(asked), new Set(['txpool_status']));
});

test('an exclusive task that fails stops no block', async () => {
  let blocks = 0;
  const rpc = {
    async call(method: string) {
      if (method === 'txpool_status') return { pending: '0x1', queued: '0x0' };
      return ++blocks;
    },
  } as unknown as Rpc;
  const mining = startMining(rpc, 1);
  await assert.rejects(
    mining.alone(() => Promise.reject(new Error('no space left'))),
    /no space left/,
  );
  const before = blocks;
  await until('blocks come', () => blocks > before);
  await mining.stop();
});

test('an idle pool is checked again when it is woken', async () => {
  let [looks, blocks, pending] = [0, 0, 0];
  const rpc = {
    async call(method: string) {
      if (method === 'evm_mine') {
        pending = 0;
        return ++blocks;
      }
      looks++;
      return { pending: `0x${pending}`, queued: '0x0' };
    },
  } as unknown as Rpc;
  const mining = startMining(rpc, 1, { idleMs: 2 ** 31 - 1 });
  for (const round of [1, 2]) {
    let before = -1;
    await until('it looks no more', () => {
      const same = looks === before;
      before = looks;
      return same;
    });
    pending = 1;
    mining.wake();
    await until('a block is made', () => blocks === round);
  }
  await mining.stop();
});

test('no block is made that the service could not follow, and its lead is within what the node keeps', async () => {
  let [head, looks, asked, posted] = [100, 0, 0, 100n];
  const rpc = {
    async call(method: string) {
      if (method === 'evm_mine') return ++head;
      if (method === 'eth_blockNumber') return `0x${head.toString(16)}`;
      looks++;
      return { pending: '0x7', queued: '0x0' };
    },
  } as unknown as Rpc;
  const depth = 3;
  const lead = boundLead(rpc, depth);
  lead.followedBy(async () => {
    asked++;
    return posted;
  });
  const mining = startMining(rpc, 1, lead);
  const standstill = async () => {
    let before = -1;
    await until('no block is made at ten looks', () => {
      if (head !== before) [before, looks] = [head, 0];
      return looks >= 10;
    });
    return head;
  };
  assert.equal(await standstill(), 108);
  assert.ok(asked >= 10);
  posted = 106n;
  assert.equal(await standstill(), 114);
  await mining.stop();
  const { transactions } = keepingFor(depth);
  assert.ok(transactions > 114 - Number(posted), 'also of the block that is being posted');
  assert.equal(lead.transactions(), 7 * transactions);
});

test('a restored chain makes the blocks that bring its newest one to its depth, and one more if asked', async () => {
  let [blocks, looks] = [0, 0];
  const rpc = {
    async call(method: string) {
      if (method === 'evm_mine') return ++blocks;
      looks++;
      return { pending: '0x0', queued: '0x0' };
    },
  } as unknown as Rpc;
  const mining = startMining(rpc, 1, { depth: 3, isRestored: true });
  for (const most of [2, 3]) {
    looks = 0;
    await until('it was looked several times', () => looks >= 6);
    assert.equal(blocks, most);
    mining.makeOne();
  }
  await mining.stop();
});
