import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feesUnseen, firstFees, GWEI, legacyFees, replacementFees, tipToOffer } from '../../src/chain/fees.ts';

const CEILING = 200n * GWEI;

test('first fees have headroom for a rising base fee and leave room for replacements', () => {
  assert.deepEqual(firstFees(GWEI / 100n, GWEI, CEILING), {
    maxFeePerGas: (64n * GWEI) / 100n + GWEI,
    maxPriorityFeePerGas: GWEI,
    isLegacy: false,
  });
  for (const base of [3n, 10n, 30n, 90n]) {
    let fees = firstFees(base * GWEI, GWEI, CEILING);
    assert.ok(fees.maxFeePerGas >= 2n * base * GWEI && fees.maxFeePerGas <= CEILING, `base ${base}`);
    let replacements = 0;
    for (let next = replacementFees(fees, fees, CEILING); next; next = replacementFees(fees, fees, CEILING)) {
      assert.ok(next.maxFeePerGas * 10n >= fees.maxFeePerGas * 11n, 'nodes ask for a tenth more');
      assert.ok(next.maxPriorityFeePerGas * 10n >= fees.maxPriorityFeePerGas * 11n);
      assert.ok(next.maxFeePerGas <= CEILING);
      fees = next;
      replacements++;
    }
    if (base <= 30n) assert.ok(replacements >= 8, `base ${base}: ${replacements} replacements`);
  }
});

test('fees never exceed the ceiling', () => {
  assert.equal(firstFees(1_000n * GWEI, GWEI, CEILING).maxFeePerGas, CEILING);
  assert.equal(firstFees(0n, 500n * GWEI, CEILING).maxPriorityFeePerGas <= CEILING, true);
  const full = { maxFeePerGas: CEILING, maxPriorityFeePerGas: GWEI, isLegacy: false };
  assert.equal(replacementFees(full, full, CEILING), null);
});

test('a replacement follows the chain if that needs more than the bump', () => {
  const before = firstFees(GWEI / 10n, GWEI, CEILING);
  const now = firstFees(40n * GWEI, GWEI, CEILING);
  assert.equal(replacementFees(before, now, CEILING)?.maxFeePerGas, now.maxFeePerGas);
});

test('first fees without a known block leave room for replacements too', () => {
  const unseen = feesUnseen(GWEI, CEILING);
  assert.deepEqual(unseen, { maxFeePerGas: CEILING / 4n, maxPriorityFeePerGas: GWEI, isLegacy: false });
  assert.equal(replacementFees(unseen, firstFees(CEILING / 2n, GWEI, CEILING), CEILING)?.maxFeePerGas, CEILING);
  const cheap = feesUnseen(GWEI, GWEI);
  assert.ok(cheap.maxPriorityFeePerGas <= cheap.maxFeePerGas, 'nodes refuse a tip above the fee');
});

test('without a base fee the tip is the gas price, and a replacement has the type that the newest block asks for', () => {
  const price = 30n * GWEI;
  const legacy = firstFees(null, price, CEILING);
  assert.deepEqual(legacy, { maxFeePerGas: price, maxPriorityFeePerGas: price, isLegacy: true });
  assert.equal(firstFees(null, CEILING * 2n, CEILING).maxFeePerGas, CEILING);
  const raised = (price * 11n) / 10n + 1n;
  assert.deepEqual(replacementFees(legacy, legacy, CEILING), legacyFees(raised, CEILING));
  assert.deepEqual(replacementFees(legacy, legacyFees(price * 2n, CEILING), CEILING), legacyFees(price * 2n, CEILING));
  // A node compares the gas price with both fees of another type.
  const upgraded = replacementFees(legacy, firstFees(GWEI, GWEI, CEILING), CEILING);
  assert.deepEqual(upgraded, { maxFeePerGas: 50n * GWEI, maxPriorityFeePerGas: raised, isLegacy: false });
  const back = replacementFees(upgraded!, legacy, CEILING);
  assert.deepEqual(back, legacyFees(55n * GWEI + 1n, CEILING));
  assert.equal(replacementFees(legacyFees(CEILING, CEILING), legacy, CEILING), null);
});

test('the tip that a chain asks for is offered up to a quarter of the ceiling, and no less than the operator has set', () => {
  assert.equal(tipToOffer(GWEI, 0n, CEILING), GWEI);
  assert.equal(tipToOffer(GWEI, 25n * GWEI, CEILING), 25n * GWEI);
  assert.equal(tipToOffer(30n * GWEI, 25n * GWEI, CEILING), 30n * GWEI);
  assert.equal(tipToOffer(GWEI, 10n ** 30n, CEILING), CEILING / 4n);
  assert.equal(tipToOffer(80n * GWEI, 10n ** 30n, CEILING), 80n * GWEI);
});
