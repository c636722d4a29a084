import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROBLEMS, type ProblemCode, retryAfterSeconds } from '../../src/base/problems.ts';
import { REFUSALS_OF_ROWS } from '../../src/wings/pay-files/features/row-refusals.ts';

test('every problem code has its meaning for a row of a file of payments', () => {
  assert.deepEqual(Object.keys(REFUSALS_OF_ROWS).sort(), Object.keys(PROBLEMS).sort());
});

test('no refusal that passes by itself is called a fault of the file', () => {
  const passing = (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) => {
    const { status } = PROBLEMS[code];
    return status === 429 || status >= 500 || retryAfterSeconds(code) !== undefined;
  });
  assert.ok(passing.length >= 8);
  for (const code of passing) assert.notEqual(REFUSALS_OF_ROWS[code], 'row', code);
});
