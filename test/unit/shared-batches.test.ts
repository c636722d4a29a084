import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { currentContext, withContext } from '../../src/base/log.ts';
import { sharedBatches } from '../../src/base/shared-batches.ts';

type Batch = { readonly keys: readonly string[]; end(): void; fail(error: Error): void };

/** Batches whose answers the test gives: each key is answered with the number of its batch, from 1. */
function startBatches(options: { mostKeys?: number; mostUnderWay?: number } = {}) {
  const batches: Batch[] = [];
  const contexts: unknown[] = [];
  const ask = sharedBatches<number>(
    (keys) => {
      contexts.push(currentContext());
      const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, number>>();
      const number = batches.length + 1;
      const known = keys.filter((key) => key !== 'unknown');
      batches.push({ keys, end: () => resolve(new Map(known.map((key) => [key, number]))), fail: reject });
      return promise;
    },
    { mostKeys: 100, mostUnderWay: 1, ...options },
  );
  return { ask, batches, contexts };
}

test('calls of one turn share a batch, in which each key is asked for once', async () => {
  const { ask, batches } = startBatches();
  const answers = Promise.all(['a', 'b', 'a', 'unknown'].map(ask));
  await turn();
  assert.deepEqual(
    batches.map(({ keys }) => keys),
    [['a', 'b', 'unknown']],
  );
  batches[0]!.end();
  assert.deepEqual(await answers, [1, 1, 1, null]);
});

test('a call is never answered by a batch that began before it', async () => {
  const { ask, batches } = startBatches();
  const first = ask('a');
  await turn();
  const later = [ask('a'), ask('b')];
  await turn();
  assert.equal(batches.length, 1, 'the next batch waits for the first one');
  batches[0]!.end();
  assert.equal(await first, 1);
  await turn();
  assert.deepEqual(batches[1]?.keys, ['a', 'b']);
  batches[1]!.end();
  assert.deepEqual(await Promise.all(later), [2, 2]);
});

test('so many batches are under way at once, and so many keys are in one', async () => {
  const { ask, batches } = startBatches({ mostKeys: 2, mostUnderWay: 2 });
  const answers = Promise.all(['a', 'b', 'c', 'd', 'e'].map(ask));
  await turn();
  await turn();
  await turn();
  assert.deepEqual(
    batches.map(({ keys }) => keys),
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  );
  batches[1]!.end();
  await turn();
  await turn();
  assert.deepEqual(batches[2]?.keys, ['e']);
  batches[0]!.end();
  batches[2]!.end();
  assert.deepEqual(await answers, [1, 1, 2, 2, 3]);
});

test('a batch that fails rejects the calls that share it, and no others', async () => {
  const { ask, batches } = startBatches();
  const failing = Promise.allSettled([ask('a'), ask('b')]);
  await turn();
  const next = ask('a');
  batches[0]!.fail(new Error('away'));
  assert.deepEqual(
    (await failing).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  await turn();
  batches[1]!.end();
  assert.equal(await next, 2);
});

test('a batch belongs to no call, and each call stays in its own context', async () => {
  const { ask, batches, contexts } = startBatches();
  const seen = ['one', 'two'].map((requestId) =>
    withContext({ requestId }, async () => {
      await ask('a');
      return currentContext()?.requestId;
    }),
  );
  await turn();
  batches[0]!.end();
  assert.deepEqual(await Promise.all(seen), ['one', 'two']);
  assert.deepEqual(contexts, [undefined]);
});
