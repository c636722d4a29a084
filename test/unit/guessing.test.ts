import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { delayMs, openDelays } from '../../src/base/delays.ts';
import type { UserId } from '../../src/base/ids.ts';
import { KNOWN_DAYS, recognise, rememberAccount } from '../../src/identity/known-browsers.ts';

describe('the delay after failed attempts', () => {
  it('grows from the sixth failure on, up to four seconds', () => {
    const first = Array.from({ length: 12 }, (_, i) => delayMs(i + 1));
    assert.deepEqual(first, [0, 0, 0, 0, 0, 250, 500, 1000, 2000, 4000, 4000, 4000]);
    assert.equal(delayMs(100), 4000);
  });

  const delays = (t: { mock: { timers: { enable(options: { apis: ['setTimeout'] }): void } } }) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    return openDelays();
  };
  const isOver = async (waiting: Promise<void>) => {
    const PENDING = Symbol('pending');
    return (await Promise.race([waiting, new Promise((go) => setImmediate(go, PENDING))])) !== PENDING;
  };

  test('a response is delayed for its time, and one without a delay is not', async (t) => {
    const { wait } = delays(t);
    assert.ok(await isOver(wait(0, 'here')));
    const waiting = wait(250, 'here');
    t.mock.timers.tick(249);
    assert.equal(await isOver(waiting), false);
    t.mock.timers.tick(1);
    assert.ok(await isOver(waiting));
  });

  test('a stopping service ends all delays', async (t) => {
    const { wait, end } = delays(t);
    const waiting = [wait(4000, 'here'), wait(4000, 'there')];
    end();
    for (const one of [...waiting, wait(4000, 'here')]) assert.ok(await isOver(one));
  });

  test('one place can have 20 delayed responses, and all places together a thousand', async (t) => {
    const { wait, end } = delays(t);
    for (let i = 0; i < 20; i++) void wait(4000, 'here');
    await assert.rejects(wait(250, 'here'), { code: 'too-many-tries' });
    for (let i = 20; i < 1000; i++) void wait(4000, `place ${i}`);
    await assert.rejects(wait(250, 'elsewhere'), { code: 'overloaded' });
    assert.ok(await isOver(wait(0, 'here')), 'a response without a delay is let through');
    t.mock.timers.tick(4000);
    const after = wait(250, 'here');
    end();
    assert.ok(await isOver(after));
  });
});

describe('a known browser', () => {
  const [ada, bob] = ['ada', 'bob'] as UserId[] as [UserId, UserId];
  const marks = ['a'.repeat(64), 'b'.repeat(64)] as const;

  it('is known to the account that signed in, until its password changes', () => {
    const browsers = rememberAccount([], ada, marks[0]);
    const id = recognise(browsers, ada, marks[0]);
    assert.match(id ?? '', /^[\w-]{22}$/);
    assert.equal(recognise(browsers, bob, marks[0]), null, 'to nobody else');
    assert.equal(recognise(browsers, ada, marks[1]), null);
    assert.equal(recognise(browsers, ada, null), null);
    assert.equal(recognise([], ada, marks[0]), null);
  });

  it('keeps its id, and so its failures, when the same account signs in again', () => {
    const before = rememberAccount([], ada, marks[0]);
    const after = rememberAccount(before, ada, marks[0]);
    assert.equal(recognise(after, ada, marks[0]), recognise(before, ada, marks[0]));
    assert.equal(after.length, 1);
    assert.notEqual(recognise(rememberAccount(before, ada, marks[1]), ada, marks[1]), recognise(before, ada, marks[0]));
  });

  it('is known to the five accounts that signed in last', () => {
    let browsers = rememberAccount([], ada, null);
    for (const name of ['b', 'c', 'd', 'e']) browsers = rememberAccount(browsers, name as UserId, null);
    assert.ok(recognise(browsers, ada, null));
    browsers = rememberAccount(browsers, ada, null);
    browsers = rememberAccount(browsers, 'f' as UserId, null);
    assert.equal(browsers.length, 5);
    assert.equal(recognise(browsers, 'b' as UserId, null), null);
    assert.ok(recognise(browsers, ada, null));
  });

  test('a browser is forgotten after 400 days', (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 1) });
    const browsers = rememberAccount([], ada, null);
    t.mock.timers.tick(KNOWN_DAYS * 86_400_000 - 1);
    assert.ok(recognise(browsers, ada, null));
    t.mock.timers.tick(1);
    assert.equal(recognise(browsers, ada, null), null);
    assert.deepEqual(
      rememberAccount(browsers, bob, null).map(({ userId }) => userId),
      [bob],
    );
  });
});
