import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { asQuarters } from '../../src/base/quarters.ts';
import { leftOfDay, withdrawable } from '../../src/settlement/accept/kinds/withdrawal.ts';
import { seedOf } from '../kit/run/seed.ts';

const quarters = fc.bigInt({ min: 0n, max: 1_000n });
const options = { seed: seedOf('withdrawals') };

test('what may leave is covered even if all that came in lately and all holds are lost', () => {
  fc.assert(
    fc.property(quarters, quarters, quarters, quarters, quarters, (settled, young, spent, held, limit) => {
      const maxAmount = asQuarters(limit + 1n);
      const posted = settled + young - spent;
      const most = withdrawable({ posted: asQuarters(posted), held: asQuarters(held) }, young, { maxAmount });
      assert.ok(most >= 0n);
      const free = posted - young - held;
      if (most === maxAmount) assert.ok(free >= maxAmount);
      else if (most > 0n) assert.equal(free, most);
      else assert.ok(free <= 0n);
    }),
    options,
  );
});

test('the limits of a day leave what was not withdrawn, and never less than nothing', () => {
  const limits = { withdrawalUserDayLimit: asQuarters(10), withdrawalDayLimit: asQuarters(100) };
  for (const [own, all, left] of [
    [0n, 0n, [10n, 100n]],
    [10n, 100n, [0n, 0n]],
    [3n, 99n, [7n, 1n]],
    // An operator has lowered both.
    [50n, 500n, [0n, 0n]],
  ] as const) {
    const { own: ofOwn, all: ofAll } = leftOfDay(limits, { own, all });
    assert.deepEqual([ofOwn, ofAll], left);
  }
});
