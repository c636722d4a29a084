import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedOf } from '../kit/run/seed.ts';
import { perTier } from '../kit/run/tier.ts';
import { soak } from '../kit/service/soak.ts';
import { KILLS, SOAK_FAULTS } from '../kit/service/soak-faults.ts';

for (const { name, all, processes, env } of [
  { name: 'one process', all: 10, processes: 1, env: {} },
  { name: 'one process with three relayers', all: 10, processes: 1, env: { RELAYERS: '3' } },
  { name: 'two processes', all: 5, processes: 2, env: { RELAYERS: '4' } },
]) {
  test(`kills at random moments under load, ${name}: every accepted transfer is on the chain exactly once`, async (t) => {
    const faults = perTier({ usual: 1, all }, 'CRASH_ROUNDS');
    const seed = seedOf(`random kills, ${name}`);
    const { payments } = await soak(t, {
      ...{ seed, processes, env, faults, payments: faults * 50, checkEvery: 1, catalogue: KILLS },
      report: (struck) => t.diagnostic(JSON.stringify(struck)),
    });
    assert.ok(payments >= faults * 50, 'there was enough load');
  });
}

test('faults of all kinds under load, two processes: callers, events, database and chain agree on each payment', async (t) => {
  const faults = SOAK_FAULTS.length;
  const { payments } = await soak(t, {
    ...{
      seed: seedOf('faults of all kinds'),
      processes: 2,
      faults,
      payments: 2_000,
      checkEvery: 6,
      catalogue: SOAK_FAULTS,
    },
    report: (struck) => t.diagnostic(JSON.stringify(struck)),
  });
  assert.ok(payments >= 2_000);
});
