import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, asAddress } from '../../src/base/address.ts';
import type { Problem } from '../../src/base/problems.ts';
import type { Instruction } from '../../src/service/instruction.ts';
import { openAdmission } from '../../src/settlement/accept/admission.ts';

const [one, other] = [asAddress(`0x${'1'.repeat(40)}`), asAddress(`0x${'2'.repeat(40)}`)];
const payout = (from: Address) => ({ from, to: other, origin: { kind: 'payout' } }) as Instruction;
const approval = (to: Address) => ({ from: other, to, origin: { kind: 'approval' } }) as Instruction;
const issue = () => ({ from: other, to: one, origin: { kind: 'issue' } }) as Instruction;

function open({
  now = (): number => 0,
  maxBacklog = 10,
  maxBacklogPerApp = 100,
  processes = 1,
  transfersPerTransaction = 1,
} = {}) {
  const counts = { backlog: 0, processes };
  const admission = openAdmission({ maxBacklog, maxBacklogPerApp, transfersPerTransaction }, counts, now);
  /** The place of each admitted instruction, or the code of its refusal. */
  const enter = (instructions: readonly Instruction[]) =>
    instructions.map((instruction) => {
      try {
        return admission.enter(instruction);
      } catch (error) {
        return (error as Problem).code;
      }
    });
  const recount = (backlog: number, ofApps = new Map<Address, number>(), settled = 0) =>
    admission.recount(async (_apps, most) => {
      assert.ok(Number.isInteger(most), 'a database counts up to a whole number');
      return { open: backlog, settled, ofApps };
    });
  return { admission, enter, recount };
}

const times = (count: number, instruction: Instruction) => Array.from({ length: count }, () => instruction);
const entered = (results: readonly unknown[]) => results.filter((result) => typeof result === 'object').length;

test('instructions that arrive at the same moment are counted before they are accepted', () => {
  const { enter } = open();
  const results = enter(times(25, issue()));
  assert.equal(entered(results), 10);
  assert.equal(results.at(-1), 'overloaded');
});

test('a refused instruction frees its place, and an accepted one keeps it until the database has counted it', async () => {
  const { enter, recount } = open();
  const places = enter(times(10, issue()));
  for (const place of places.slice(0, 4)) if (typeof place === 'object') place.giveBack();
  for (const place of places.slice(4)) if (typeof place === 'object') place.keep();
  assert.equal(entered(enter(times(25, issue()))), 4);
  await recount(6);
  assert.equal(entered(enter(times(25, issue()))), 0, 'four are still being decided');
  await recount(5);
  assert.equal(entered(enter(times(25, issue()))), 1);
});

test('an instruction accepted while the database counts is not lost', async () => {
  const { enter, recount } = open();
  const [place] = enter([issue()]);
  // The database counts, and then the instruction is committed.
  const recounted = recount(0);
  if (typeof place === 'object') place.keep();
  await recounted;
  assert.equal(entered(enter(times(25, issue()))), 9);
});

test('two processes together admit no more than the limit', () => {
  const [a, b] = [open({ processes: 2 }), open({ processes: 2 })];
  assert.equal(entered(a.enter(times(25, issue()))) + entered(b.enter(times(25, issue()))), 10);
});

test("an app's payouts and its users' payments are its share; other apps are still admitted", async () => {
  const { enter, admission, recount } = open({ maxBacklog: 100, maxBacklogPerApp: 4 });
  const results = enter([...times(3, payout(one)), ...times(3, approval(one)), payout(other), issue()]);
  assert.deepEqual(
    results.map((result) => (typeof result === 'object' ? 'in' : result)),
    ['in', 'in', 'in', 'in', 'app-backlog-full', 'app-backlog-full', 'in', 'in'],
  );
  assert.equal(admission.refusal(one)?.code, 'app-backlog-full');
  assert.equal(admission.refusal(other), null);
  for (const place of results) if (typeof place === 'object') place.keep();
  await recount(6, new Map([[one, 2]]));
  assert.equal(entered(enter(times(5, payout(one)))), 2);
});

/**
 * Processes that admit, and a chain that settles, second by second: every `blockSeconds` a block takes up to `perBlock` transactions, unless
 * `stands`. Each process counts once a second. `offer` resolves to how many of so many payouts were admitted.
 */
function openWorld({
  perBlock,
  blockSeconds,
  processes = 1,
}: {
  perBlock: number;
  blockSeconds: number;
  processes?: number;
}) {
  let [second, signed, settled] = [0, 0, 0];
  const now = () => second * 1_000;
  const each = Array.from({ length: processes }, () =>
    open({ maxBacklog: 20_000, maxBacklogPerApp: 20_000, processes, now }),
  );
  const backlog = () => signed - settled;
  return {
    backlog,
    limits: () => each.map(({ admission }) => admission.limit),
    refusal: () => each[0]!.admission.refusal(one),
    offer(count: number): number {
      let admitted = 0;
      for (const { enter } of each) {
        for (const place of enter(times(count / processes, payout(one)))) {
          if (typeof place !== 'object') continue;
          place.keep();
          admitted++;
        }
      }
      signed += admitted;
      return admitted;
    },
    async pass({ stands = false } = {}): Promise<void> {
      second++;
      if (second % blockSeconds === 0 && !stands) settled += Math.min(perBlock, backlog());
      for (const { recount } of each) await recount(backlog(), new Map([[one, backlog()]]), settled);
    },
  };
}

test('a burst is admitted after a night without payments, with blocks or without', async () => {
  for (const stands of [true, false]) {
    const { offer, pass } = openWorld({ perBlock: 100, blockSeconds: 12 });
    assert.equal(offer(5_000), 5_000, 'at the start');
    for (let i = 0; i < 1_000; i++) await pass();
    for (let i = 0; i < 1_000; i++) await pass({ stands });
    assert.equal(offer(5_000), 5_000, 'after the night');
    assert.ok(offer(5_000) === 0);
  }
});

for (const blockSeconds of [1, 2, 12])
  test(`under three times the load, blocks of ${blockSeconds} s stay full, and three of them take what waits`, async () => {
    for (const processes of [1, 4]) {
      const perBlock = 3_000;
      const world = openWorld({ perBlock, blockSeconds, processes });
      const admitted: number[] = [];
      for (let i = 0; i < 20 * blockSeconds; i++) {
        admitted.push(world.offer((3 * perBlock) / blockSeconds));
        await world.pass();
      }
      const lately = admitted.slice(-10 * blockSeconds).reduce((sum, count) => sum + count);
      assert.ok(lately >= 9 * perBlock, `${lately} in ten blocks`);
      assert.ok(world.backlog() <= 3 * perBlock, `${world.backlog()} wait`);
    }
  });

test('an installation that settles more than is always admitted is given as much as it needs', async () => {
  const world = openWorld({ perBlock: 6_000, blockSeconds: 1 });
  for (let i = 0; i < 20; i++) {
    world.offer(30_000);
    await world.pass();
  }
  assert.deepEqual(world.limits(), [18_000]);
});

test('while the chain stands, no more is admitted than before, and MAX_BACKLOG is never exceeded', async () => {
  const world = openWorld({ perBlock: 2_000, blockSeconds: 1 });
  for (let i = 0; i < 10; i++) {
    world.offer(2_000);
    await world.pass();
  }
  for (let i = 0; i < 100; i++) {
    world.offer(2_000);
    await world.pass({ stands: true });
  }
  assert.equal(world.backlog(), 6_000);
  await world.pass();
  assert.ok(world.offer(2_000) > 0);
});

test('callers who are refused come back one after the other, within the time in which what waits is settled', async () => {
  const world = openWorld({ perBlock: 2_000, blockSeconds: 1 });
  for (let i = 0; i < 10; i++) {
    world.offer(6_000);
    await world.pass();
  }
  world.offer(6_000);
  const told = new Set(Array.from({ length: 200 }, () => world.refusal()!.retryAfter));
  assert.deepEqual([...told].sort(), [1, 2, 3]);
});

test('any pace and any limit is counted with', async () => {
  for (const maxBacklog of [19_998, 23_001, 50_000]) {
    const { recount, admission } = open({ maxBacklog, maxBacklogPerApp: maxBacklog });
    for (let settled = 0; settled < 40_000; settled += 5_391) await recount(0, new Map(), settled);
    assert.ok(Number.isInteger(admission.limit));
  }
});

test('an app with less than an equal share is admitted beside one that fills the backlog', async () => {
  const { enter, recount } = open({ maxBacklog: 20_000, maxBacklogPerApp: 10_000 });
  for (const place of enter(times(6_000, payout(one)))) if (typeof place === 'object') place.keep();
  const [first] = enter([payout(other)]);
  assert.equal(typeof first, 'object');
  await recount(5_000, new Map([[one, 5_000]]));
  assert.equal(entered(enter(times(3_000, payout(other)))), 2_499);
  assert.deepEqual(enter([payout(one)]), ['overloaded']);
});

test('transfers that share transactions are counted as these', () => {
  const { enter } = open({ maxBacklog: 20_000, maxBacklogPerApp: 20_000, transfersPerTransaction: 100 });
  assert.equal(entered(enter(times(15_000, payout(one)))), 15_000);
});
