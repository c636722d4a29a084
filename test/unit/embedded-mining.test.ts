import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMining } from '../../src/chain/embedded-mining.ts';
import type { Rpc } from '../../src/chain/rpc.ts';
import { until } from '../support/until.ts';

test('no block is made while something has the chain alone', async () => {
  let [blocks, underWay, finish] = [0, false, () => {}];
  const rpc = {
    async call(method: string) {
      if (method === 'txpool_status') return { pending: '0x1', queued: '0x0' };
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
    await new Promise((resolve) => setTimeout(resolve, 50));
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

test('what fails alone holds up no block', async () => {
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
