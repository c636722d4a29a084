import type { TestContext } from 'node:test';
import fc from 'fast-check';
import { runsOf } from '../kit/run/runs.ts';
import { type Command, step } from './commands.ts';
import { drain } from './drain.ts';
import { assertInvariants, assertSettled } from './invariants.ts';
import { assertLossesRepaired } from './lost-database.ts';
import { openWorld, type World, type WorldOptions } from './world.ts';

export const WORLDS: Record<string, WorldOptions> = {
  'one transfer per transaction, completed in the newest block': {},
  'three transfers per transaction, completed two blocks deep': { TRANSFERS_PER_TRANSACTION: '3', COMPLETE_AFTER: '2' },
};

/** Checks every invariant after every step of random runs, and at their end, when no fault disturbs any more. */
export async function runCommands(
  t: TestContext,
  options: WorldOptions,
  runs: fc.Arbitrary<Command[]>,
  depth: Parameters<typeof runsOf>[0],
): Promise<void> {
  const world = await openWorld(t, options);
  const { parameters, attempt, report } = runsOf(depth);
  await fc.assert(
    fc.asyncProperty(runs, (commands) => attempt(() => runIn(world, commands))),
    parameters,
  );
  t.diagnostic(report());
}

/** The same of one run. */
export async function runIn(world: World, commands: readonly Command[]): Promise<void> {
  await world.reset();
  let tables = await world.read();
  for (const next of commands) tables = await step(world, next, tables);

  await drain(world);
  tables = await world.read();
  assertInvariants(tables, world);
  assertSettled(tables, world.chain);
  await assertLossesRepaired(world, tables);
}
