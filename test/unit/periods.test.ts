import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  PERIOD_KINDS,
  parsePeriod,
  periodAfter,
  periodAt,
  periodBefore,
} from '../../src/wings/economy/base/periods.ts';

test('weeks have the names of ISO 8601, at both ends of a year', () => {
  const names: [string, string][] = [
    ['2021-01-03', '2020-W53'],
    ['2021-01-04', '2021-W01'],
    ['2024-12-29', '2024-W52'],
    ['2024-12-30', '2025-W01'],
    ['2026-11-23', '2026-W48'],
    ['2027-01-01', '2026-W53'],
  ];
  for (const [day, week] of names) assert.equal(periodAt('week', new Date(`${day}T23:59:59Z`)).name, week, day);
});

test('each period ends where the next begins, and its name leads back to it', () => {
  for (const kind of PERIOD_KINDS) {
    for (let period = periodAt(kind, new Date('2023-11-05')); period.until < new Date('2026-02-01'); ) {
      const next = periodAfter(period);
      assert.deepEqual(next.from, period.until);
      assert.deepEqual(periodBefore(next), period);
      assert.deepEqual(parsePeriod(kind, period.name), period);
      period = next;
    }
  }
});

test('what names no period of its kind is refused', () => {
  for (const name of ['2021-W53', '2021-W00', '2026-W1', '2026-48', '', 'now'])
    assert.equal(parsePeriod('week', name), null, name);
  for (const name of ['2026-02-30', '2026-2-3', '2026-13-01', '2026'])
    assert.equal(parsePeriod('day', name), null, name);
  for (const name of ['2026-13', '2026-1', '2026-01-01']) assert.equal(parsePeriod('month', name), null, name);
  for (const name of ['1969', '9999', '26', '-2026']) assert.equal(parsePeriod('year', name), null, name);
});
