import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { CliCommand } from '../../../src/cli/command.ts';
import { buildProgram } from '../../../src/cli/run.ts';
import type { House } from '../../../src/service/house.ts';

/** Every command that does something, by its name without the program's own. */
export async function commandsOf(house: House): Promise<Map<string, CliCommand>> {
  const context = { connect: async () => assert.fail(), start: async () => {}, migrate: async () => ({ applied: [] }) };
  const streams = { out: new PassThrough(), err: new PassThrough() };
  const below = (command: Command, path = ''): [string, CliCommand][] =>
    command.commands.flatMap((sub) => {
      assert.ok(sub instanceof CliCommand);
      const name = `${path} ${sub.name()}`.trim();
      return sub.commands.length === 0 ? [[name, sub] as [string, CliCommand]] : below(sub, name);
    });
  return new Map(below(await buildProgram({ ...context, ...streams, house: () => house }, () => {})));
}
