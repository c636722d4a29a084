import { test } from 'node:test';
import fc from 'fast-check';
import { command } from './commands.ts';
import { runCommands, WORLDS } from './run-commands.ts';

const commands = fc.array(command, { minLength: 1, maxLength: 60, size: 'max' });

for (const [name, options] of Object.entries(WORLDS)) {
  test(`all invariants hold after every step of a random run: ${name}`, (t) =>
    runCommands(t, options, commands, { usual: 4, all: 40 }));
}
