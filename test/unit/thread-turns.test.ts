import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { onAccountOf, onNobodysAccount, resumed } from '../../src/base/thread-time.ts';
import { openTurns, type Turn } from '../../src/base/turns.ts';

/** Half of a thread whose time passes as the test says. */
function openStage() {
  const clock = { now: 0, busy: 0 };
  let timer: { readonly work: () => void; readonly wait: number } | undefined;
  const turns = openTurns({
    share: 0.5,
    now: () => clock.now,
    busy: () => clock.busy,
    later: (work, wait) => {
      timer = { work, wait };
    },
  });
  const begun: { readonly name: string; readonly turn: Turn }[] = [];
  const refused: string[] = [];
  return {
    clock,
    begun,
    refused,
    wait: () => timer!.wait,
    names: () => begun.map(({ name }) => name),
    take: (party: string, name = party) =>
      turns.take(
        party,
        (turn) => begun.push({ name, turn }),
        () => refused.push(name),
      ),
    work(turn: Turn, milliseconds: number) {
      clock.now += milliseconds;
      clock.busy += milliseconds;
      turn.spend(milliseconds);
    },
    /** `busy`: how much of it the thread works for others. */
    pass(milliseconds: number, busy: number) {
      clock.now += milliseconds;
      clock.busy += busy;
      const due = timer;
      timer = undefined;
      due?.work();
    },
  };
}

test('everybody goes on at once while there is time', () => {
  const s = openStage();
  for (let i = 1; i <= 500; i++) {
    const turn = s.take('one');
    assert.equal(s.begun.length, i);
    s.work(turn, 0.5);
    turn.end();
    s.pass(1, 0);
  }
});

test('between two of them others have their turn, even while there is time', () => {
  const s = openStage();
  for (const name of ['one', 'two', 'three']) s.take(name);
  for (const begun of [1, 2, 3]) {
    assert.equal(s.begun.length, begun);
    s.pass(0, 0);
  }
});

test('while time is short, the party that has used the least goes first', () => {
  const s = openStage();
  s.work(s.take('greedy'), 100);
  for (const name of ['greedy 1', 'greedy 2']) s.take('greedy', name);
  s.take('modest').spend(1);
  s.take('modest', 'modest 1');
  s.take('new');
  assert.deepEqual(s.names(), ['greedy']);
  for (let i = 0; i < 200; i++) s.pass(1, 1);
  assert.deepEqual(s.names(), ['greedy', 'new', 'modest', 'modest 1', 'greedy 1', 'greedy 2']);
});

for (const [others, least, most] of [
  ['all', 0.45, 0.55],
  ['none', 0.75, 0.85],
] as const) {
  test(`while others need ${others} of the thread, ${least} to ${most} of it is used`, () => {
    const s = openStage();
    let used = 0;
    for (let i = 0; i < 20; i++) s.take(`${i}`);
    while (s.clock.now < 10_000) {
      const one = s.begun.shift();
      if (!one) {
        const wait = s.wait();
        s.pass(wait, others === 'all' ? wait : 0);
        continue;
      }
      s.work(one.turn, 4);
      used += 4;
      one.turn.end();
      s.take(one.name);
    }
    const part = used / s.clock.now;
    assert.ok(part >= least && part <= most, `${part}`);
  });
}

test('who has gone is not begun, and gives back what was kept for it', () => {
  const s = openStage();
  s.work(s.take('one'), 100);
  const [gone] = [s.take('one', 'gone'), s.take('one', 'stays')];
  gone.end();
  for (let i = 0; i < 200; i++) s.pass(1, 1);
  assert.deepEqual(s.names(), ['one', 'stays']);
  // Without an end, twenty milliseconds would be used up by what is kept for a few of them.
  for (let i = 0; i < 1_000; i++) {
    s.take('many').end();
    s.pass(0, 0);
  }
  assert.equal(s.begun.length, 1_002);
});

test('if too many wait, one is refused of those of whom most wait', () => {
  const s = openStage();
  s.work(s.take('first'), 100);
  for (let i = 0; i < 999; i++) s.take('crowd', `crowd ${i}`);
  s.take('modest');
  assert.deepEqual(s.refused, []);
  s.take('modest', 'modest 1');
  assert.deepEqual(s.refused, ['crowd 998']);
  s.take('crowd', 'crowd 1000');
  assert.deepEqual(s.refused, ['crowd 998', 'crowd 1000']);
});

/** Keeps the thread busy. */
function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test('what follows in the same callback counts, after any number of promises', async () => {
  const spent: number[] = [];
  void onAccountOf(
    (milliseconds) => spent.push(milliseconds),
    async () => {
      for (let i = 0; i < 10; i++) await null;
      work(20);
    },
  );
  await delay(1);
  assert.equal(spent.length, 1);
  assert.ok(spent[0]! >= 20, `${spent}`);
});

test('the time of the thread goes on the account of whom it worked for, and waiting on none', async () => {
  const spent: { readonly who: string; readonly milliseconds: number }[] = [];
  const as = (who: string, steps: () => Promise<void>) =>
    onAccountOf((milliseconds) => spent.push({ who, milliseconds }), steps);
  const answer = Promise.withResolvers<void>();
  const one = as('one', async () => {
    work(20);
    await answer.promise;
    resumed();
    work(30);
    await onNobodysAccount(async () => {
      await delay(1);
      resumed();
      work(40);
    });
  });
  // It goes on in the same callback as the other one.
  const other = as('other', async () => {
    await answer.promise;
    resumed();
    work(10);
  });
  setTimeout(answer.resolve, 5);
  await Promise.all([one, other]);
  await delay(1);
  assert.deepEqual(
    spent.map(({ who }) => who),
    ['one', 'other', 'one', 'other'],
  );
  for (const [i, least] of [20, 0, 30, 10].entries()) assert.ok(spent[i]!.milliseconds >= least);
});
