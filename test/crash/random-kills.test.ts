import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crashRounds } from '../support/crash-rounds.ts';
import { openBegunWorld } from '../support/crash-world.ts';

for (const { seed, usual, processes, env } of [
  { seed: 1, usual: 10, processes: 1, env: {} },
  { seed: 2, usual: 10, processes: 1, env: { RELAYERS: '3' } },
  { seed: 3, usual: 5, processes: 2, env: { RELAYERS: '4' } },
]) {
  const rounds = Number(process.env.CRASH_ROUNDS ?? 0) || usual;
  const what = `${rounds} rounds of kills at random moments under load (${processes} processes, seed ${seed})`;
  test(`${what}: every accepted transfer is on the chain exactly once`, async (t) => {
    const world = await openBegunWorld(t, { env });
    const { accepted, onChain, declined, asked } = await crashRounds(world, {
      seed,
      processes,
      goOn: (done) => done < rounds,
      report: (round) => t.diagnostic(JSON.stringify(round)),
    });
    assert.equal(onChain, accepted);
    assert.ok(accepted > rounds && declined > 0 && asked > accepted, 'the load was one');
  });
}
