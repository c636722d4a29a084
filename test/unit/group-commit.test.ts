import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../src/base/problems.ts';
import { CommitUnknown } from '../../src/db/database.ts';
import { groupCommit, type ItemOutcome } from '../../src/db/group-commit.ts';
import { until } from '../kit/unit/until.ts';

const options = {
  maxGroup: 4,
  uncertainForMs: 5 * 60_000,
  payerOf: (item: number) => (item < 1000 ? 'one' : `${item}`),
};
const done = (items: readonly number[]): ItemOutcome<number>[] =>
  items.map((item) => ({ ok: true, result: item * 10 }));

test('items that arrive while a group commits share the next one, up to the limit', async () => {
  const groups: number[][] = [];
  const group = groupCommit<number, number>(async (items) => {
    groups.push([...items]);
    await new Promise((resolve) => setImmediate(resolve));
    return done(items);
  }, options);
  const results = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((item) => group.submit(item)));
  assert.deepEqual(results, [10, 20, 30, 40, 50, 60, 70]);
  assert.deepEqual(groups, [[1], [2, 3, 4, 5], [6, 7]]);
});

test('a refused item does not affect the others', async () => {
  const refusal = new Error('refused');
  const group = groupCommit<number, number>(
    async (items) => items.map((item) => (item === 2 ? { ok: false, error: refusal } : { ok: true, result: item })),
    options,
  );
  const results = await Promise.allSettled([1, 2, 3].map((item) => group.submit(item)));
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason)),
    [1, refusal, 3],
  );
});

test('an item that the database rejects is found by halving, and the rest is committed', async () => {
  const group = groupCommit<number, number>(async (items) => {
    if (items.includes(3)) throw new Error('row error');
    return done(items);
  }, options);
  const results = await Promise.allSettled([1, 2, 3, 4, 5].map((item) => group.submit(item)));
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
    [10, 20, 'row error', 40, 50],
  );
});

test('after a lost COMMIT reply the same items are retried as uncertain until the outcome is known', async () => {
  const tries: boolean[] = [];
  const group = groupCommit<number, number>(async (items, uncertain) => {
    tries.push(uncertain);
    if (tries.length === 1) throw new CommitUnknown(new Error('connection reset'));
    if (tries.length === 2) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    return done(items);
  }, options);
  assert.equal(await group.submit(1), 10);
  assert.deepEqual(tries, [false, true, true]);
});

test('a database that cannot be reached before anything was accepted fails the group at once', async () => {
  let tries = 0;
  const group = groupCommit<number, number>(async () => {
    tries++;
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  }, options);
  const results = await Promise.allSettled([group.submit(1), group.submit(2)]);
  assert.ok(results.every((result) => result.status === 'rejected'));
  assert.equal(tries, 2);
});

test('drained resolves when nothing is under way', async () => {
  let finished = false;
  const group = groupCommit<number, number>(async (items) => {
    await new Promise((resolve) => setImmediate(resolve));
    finished = true;
    return done(items);
  }, options);
  const submitted = group.submit(1);
  await group.drained();
  assert.ok(finished);
  await submitted;
});

test('an item submitted in the tick in which the last group ended is not left waiting', async () => {
  const group = groupCommit<number, number>(async (items) => {
    await new Promise((resolve) => setImmediate(resolve));
    return done(items);
  }, options);
  // The second submit runs in the microtask right after the first one resolves.
  const second = group.submit(1).then(() => group.submit(2));
  let result: number | undefined;
  void second.then((value) => {
    result = value;
  });
  // Many more turns of the event loop than two groups need.
  for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(result, 20, 'it waits for ever');
});

test('a doubt about COMMIT is kept when the group is halved', async () => {
  const committed = new Set<number>();
  const tries: [number, boolean][] = [];
  const group = groupCommit<number, string>(async (items, uncertain) => {
    if (items.includes(0)) return items.map(() => ({ ok: true, result: 'first' }));
    tries.push([items.length, uncertain]);
    if (tries.length === 1) {
      for (const item of items) committed.add(item);
      throw new CommitUnknown(new Error('cut'));
    }
    if (tries.length === 2) throw new Error('row error');
    return items.map((item) =>
      uncertain && committed.has(item)
        ? { ok: true, result: 'found done' }
        : { ok: false, error: new Error('a second time') },
    );
  }, options);
  // The first keeps the committer busy, so that the others share a group.
  const [, ...results] = await Promise.all([0, 1, 2, 3].map((item) => group.submit(item)));
  assert.deepEqual(results, ['found done', 'found done', 'found done']);
  assert.deepEqual(tries[0], [3, false]);
});

test('a fault of the whole group is not searched for by halving', async () => {
  let calls = 0;
  const group = groupCommit<number, number>(async () => {
    calls++;
    await new Promise((resolve) => setImmediate(resolve));
    throw new Problem('overloaded', 'No relayer is free.');
  }, options);
  const results = await Promise.allSettled([1, 2, 3, 4, 5].map((item) => group.submit(item)));
  assert.ok(results.every((result) => result.status === 'rejected'));
  assert.equal(calls, 2);
});

test('more items than anybody waits for are refused, with nothing decided', async () => {
  const group = groupCommit<number, number>(async (items) => {
    await new Promise((resolve) => setImmediate(resolve));
    return done(items);
  }, options);
  const results = await Promise.allSettled(Array.from({ length: 200 }, (_, item) => group.submit(item)));
  const refused = results.filter((result) => result.status === 'rejected');
  assert.ok(refused.length > 0 && refused.length < 200);
  assert.ok(refused.every(({ reason }) => reason instanceof Problem && reason.code === 'overloaded'));
});

test('a payer with many waiting items delays nobody else', async () => {
  const groups: number[][] = [];
  const group = groupCommit<number, number>(async (items) => {
    groups.push([...items]);
    await new Promise((resolve) => setImmediate(resolve));
    return done(items);
  }, options);
  const many = Promise.allSettled(Array.from({ length: 200 }, (_, item) => group.submit(item)));
  const others = [1000, 2000, 3000].map((item) => group.submit(item));
  assert.deepEqual(await Promise.all(others), [10_000, 20_000, 30_000]);
  assert.deepEqual(groups.slice(0, 2), [[0], [1, 1000, 2000, 3000]]);
  const decided = (await many).flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  // In order, up to the number that one payer may have waiting.
  assert.deepEqual(
    decided,
    groups
      .flat()
      .filter((item) => item < 1000)
      .map((item) => item * 10),
  );
  assert.deepEqual(
    decided,
    [...decided].sort((a, b) => a - b),
  );
});

test('payers beyond the limit of waiting items are refused too', async () => {
  const group = groupCommit<number, number>(async (items) => {
    await new Promise((resolve) => setImmediate(resolve));
    return done(items);
  }, options);
  const results = await Promise.allSettled(Array.from({ length: 200 }, (_, item) => group.submit(1000 + item)));
  const refused = results.filter((result) => result.status === 'rejected');
  assert.ok(refused.length > 0 && refused.length < 200);
});

const answered = (code: string) => Object.assign(new Error(code), { code, severity: 'ERROR' });

for (const [name, error] of Object.entries({
  'a statement that waited too long': answered('57014'),
  'a lock that was not to be had': answered('55P03'),
  'a serialisation failure': answered('40001'),
  'a deadlock': answered('40P01'),
  'a full disk': answered('53100'),
  'a lost connection': Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  'a refusal of the whole group': new Problem('overloaded', 'Too much to do.'),
  'what should never happen': new Error('row error'),
})) {
  test(`in doubt, ${name} leaves the outcome unknown, for one item and for several`, async () => {
    const group = groupCommit<number, number>(
      async (_items, uncertain) => {
        await new Promise((resolve) => setImmediate(resolve));
        throw uncertain ? error : new CommitUnknown(new Error('cut'));
      },
      { ...options, uncertainForMs: 0 },
    );
    const results = await Promise.allSettled([1, 2, 3, 4].map((item) => group.submit(item)));
    for (const result of results) {
      assert.ok(result.status === 'rejected' && result.reason instanceof CommitUnknown, JSON.stringify(result));
    }
  });

  test(`in doubt, ${name} is not the end of looking`, async () => {
    let tries = 0;
    const group = groupCommit<number, number>(async (items, uncertain) => {
      if (++tries === 1) throw new CommitUnknown(new Error('cut'));
      assert.ok(uncertain);
      if (tries === 2) throw error;
      return done(items);
    }, options);
    assert.equal(await group.submit(1), 10);
  });
}

test('how long a group has been deciding is known while it does, doubt included', async () => {
  const ends = Promise.withResolvers<void>();
  let tries = 0;
  const group = groupCommit<number, number>(async (items) => {
    if (++tries === 1) throw new CommitUnknown(new Error('cut'));
    await ends.promise;
    return done(items);
  }, options);
  assert.equal(group.underWayMs(), 0);
  const submitted = group.submit(1);
  const first = group.underWayMs();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(group.underWayMs() > first && group.underWayMs() > 0);
  ends.resolve();
  await submitted;
  await group.drained();
  assert.equal(group.underWayMs(), 0);
});

test('a group that others are in the way of, payer after payer, is given up and holds up nobody behind it', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  let tries = 0;
  const group = groupCommit<number, number>(
    async (items) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (items.includes(1)) return done(items);
      tries++;
      now += 10_000;
      throw answered('55P03');
    },
    { ...options, maxGroup: 9 },
  );
  // The first keeps the committer busy, so that the others share a group.
  const payers = Array.from({ length: 9 }, (_, i) => (i + 1) * 1000);
  const [, ...results] = await Promise.allSettled([1, ...payers].map((item) => group.submit(item)));
  assert.ok(results.every((result) => result.status === 'rejected' && result.reason.code === '55P03'));
  assert.equal(tries, 3, 'the whole and two payers; the rest does not wait for the same');
});

test('a payer whose rows somebody holds waits alone; the rest goes through, and waits once', async () => {
  const groups: number[][] = [];
  const group = groupCommit<number, number>(
    async (items) => {
      groups.push([...items]);
      await new Promise((resolve) => setImmediate(resolve));
      if (items.some((item) => item < 1000) && items.length > 0 && groups.length > 1) throw answered('55P03');
      return done(items);
    },
    { ...options, maxGroup: 6 },
  );
  // The first keeps the committer busy, so that the others share a group.
  const submitted = [5000, 1, 1000, 2, 2000, 3].map((item) => group.submit(item));
  const results = await Promise.allSettled(submitted);
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
    [50_000, '55P03', 10_000, '55P03', 20_000, '55P03'],
  );
  // The whole group, and then each payer's part once.
  assert.equal(groups.length, 2 + 3, JSON.stringify(groups));
});

test('a payer is late while the first of its items in line has waited too long, and others are not', async () => {
  const { promise: committed, resolve: commit } = Promise.withResolvers<void>();
  const group = groupCommit<number, number>(
    async (items) => {
      await committed;
      return done(items);
    },
    { ...options, maxWaitMs: 0 },
  );
  const results = [group.submit(1)];
  assert.equal(group.isLate('one'), false);
  results.push(group.submit(2));
  await until('it waits', async () => group.isLate('one'));
  assert.equal(group.isLate('another'), false);
  commit();
  assert.deepEqual(await Promise.all(results), [10, 20]);
  assert.equal(group.isLate('one'), false);
});
