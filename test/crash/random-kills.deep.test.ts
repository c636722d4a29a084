import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedOf } from '../kit/run/seed.ts';
import { perTier } from '../kit/run/tier.ts';
import { crashRounds } from '../kit/service/crash-rounds.ts';
import { openWorldFromSnapshot } from '../kit/service/crash-world.ts';

for (const { name, all, processes, env } of [
  { name: 'one process', all: 10, processes: 1, env: {} },
  { name: 'one process with three relayers', all: 10, processes: 1, env: { RELAYERS: '3' } },
  { name: 'two processes', all: 5, processes: 2, env: { RELAYERS: '4' } },
]) {
  test(`kills at random moments under load, ${name}: every accepted transfer is on the chain exactly once`, async (t) => {
    const rounds = perTier({ usual: 1, all }, 'CRASH_ROUNDS');
    const seed = seedOf(`random kills, ${name}`);
    t.diagnostic(`${rounds} rounds, seed ${seed}`);
    const world = await openWorldFromSnapshot(t, { env });
    const { accepted, onChain, declined, asked } = await crashRounds(world, {
      seed,
      processes,
      goOn: (done) => done < rounds,
      report: (round) => t.diagnostic(JSON.stringify(round)),
    });
    assert.equal(onChain, accepted);
    assert.ok(accepted > rounds && declined > 0 && asked > accepted, 'there was enough load');
  });
}
