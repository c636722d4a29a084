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

function open({ maxBacklog = 10, maxBacklogPerApp = 100, processes = 1 } = {}) {
  const counts = { backlog: 0, processes };
  const admission = openAdmission({ maxBacklog, maxBacklogPerApp }, counts);
  /** The place of each admitted instruction, or the code of its refusal. */
  const enter = (instructions: readonly Instruction[]) =>
    instructions.map((instruction) => {
      try {
        return admission.enter(instruction);
      } catch (error) {
        return (error as Problem).code;
      }
    });
  const recount = (backlog: number, ofApps = new Map<Address, number>()) =>
    admission.recount(async () => ({ open: backlog, ofApps }));
  return { check: admission.check, enter, recount };
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
  const { enter, check, recount } = open({ maxBacklog: 100, maxBacklogPerApp: 4 });
  const results = enter([...times(3, payout(one)), ...times(3, approval(one)), payout(other), issue()]);
  assert.deepEqual(
    results.map((result) => (typeof result === 'object' ? 'in' : result)),
    ['in', 'in', 'in', 'in', 'app-backlog-full', 'app-backlog-full', 'in', 'in'],
  );
  assert.throws(() => check(one), { code: 'app-backlog-full' });
  check(other);
  for (const place of results) if (typeof place === 'object') place.keep();
  await recount(6, new Map([[one, 2]]));
  assert.equal(entered(enter(times(5, payout(one)))), 2);
});
