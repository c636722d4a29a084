import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokenBuckets } from '../../src/base/token-buckets.ts';

test('token buckets', async (t) => {
  let now = 0;
  let processes = 1;
  const open = (perSecond: number, mostKeys = 100) =>
    tokenBuckets({ perSecond, processes: () => processes, mostKeys, seconds: () => now });
  const takeAll = (buckets: ReturnType<typeof open>, key = 'a') => {
    let taken = 0;
    while (buckets.take(key).allowed) taken++;
    return taken;
  };

  await t.test('a bucket allows one second’s calls at once, then the rate, and saves up no more', () => {
    const buckets = open(8);
    assert.deepEqual(buckets.take('a'), { allowed: true, perSecond: 8, remaining: 7, fullAfterSeconds: 1 });
    assert.equal(takeAll(buckets), 7);
    assert.deepEqual(buckets.take('a'), { allowed: false, perSecond: 8, remaining: 0, fullAfterSeconds: 1 });
    assert.equal(takeAll(buckets, 'b'), 8, 'others have their own');
    now += 7 / 16;
    assert.equal(takeAll(buckets), 3);
    now += 1 / 16;
    assert.equal(takeAll(buckets), 1, 'no fraction is lost');
    now += 3600;
    assert.equal(takeAll(buckets), 8);
  });

  await t.test('a token that was given back can be taken again, up to the size of the bucket', () => {
    const buckets = open(3);
    for (const key of ['a', 'b']) {
      buckets.take(key);
      buckets.giveBack(key);
      buckets.giveBack(key);
      assert.equal(takeAll(buckets, key), 3);
    }
  });

  await t.test('a bucket shrinks when a process joins and grows when one leaves', () => {
    const buckets = open(8);
    buckets.take('a');
    processes = 4;
    assert.equal(takeAll(buckets), 2);
    now += 0.5;
    assert.equal(takeAll(buckets), 1);
    processes = 1;
    now += 0.5;
    assert.equal(takeAll(buckets), 4);
    processes = 64;
    now += 60;
    assert.equal(takeAll(buckets), 1, 'more processes than calls a second: one now and then');
    now += 4;
    assert.equal(takeAll(buckets), 0);
    now += 4;
    assert.equal(takeAll(buckets), 1);
    processes = 1;
  });

  await t.test('the bucket that was unused longest is forgotten first', () => {
    const buckets = open(10, 3);
    for (const key of ['a', 'b', 'c']) buckets.take(key);
    buckets.take('a');
    buckets.take('d');
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].filter((key) => buckets.has(key)),
      ['a', 'c', 'd'],
    );
    buckets.forget('a');
    assert.ok(!buckets.has('a'));
  });
});
