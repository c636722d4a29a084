import { test } from 'node:test';
import fc from 'fast-check';
import { runsOf } from '../kit/run/runs.ts';
import { command, step } from './commands.ts';
import { drain } from './drain.ts';
import { assertInvariants, assertSettled } from './invariants.ts';
import { openWorld, type WorldOptions } from './world.ts';

const WORLDS: Record<string, WorldOptions> = {
  'one transfer per transaction, completed in the newest block': {},
  'three transfers per transaction, completed two blocks deep': { TRANSFERS_PER_TRANSACTION: '3', COMPLETE_AFTER: '2' },
};

for (const [name, options] of Object.entries(WORLDS)) {
  test(`all invariants hold after every step of a random run: ${name}`, async (t) => {
    const world = await openWorld(t, options);
    const { parameters, attempt, report } = runsOf({ usual: 4, all: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 60, size: 'max' }), (commands) =>
        attempt(async () => {
          await world.reset();
          let tables = await world.read();
          for (const next of commands) tables = await step(world, next, tables);

          await drain(world);
          tables = await world.read();
          assertInvariants(tables, world.chain, world.model);
          assertSettled(tables, world.chain);
        }),
      ),
      parameters,
    );
    t.diagnostic(report());
  });
}
