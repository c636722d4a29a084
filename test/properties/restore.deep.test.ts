import { test } from 'node:test';
import fc from 'fast-check';
import { command, copy, lose } from './commands.ts';
import { runCommands, WORLDS } from './run-commands.ts';

const some = fc.array(command, { maxLength: 25, size: 'max' });
// The second loss is of the same copy, or of a later one.
const losing = fc
  .tuple(some, copy, some, lose, some, fc.oneof(copy, command), some, lose, some)
  .map((parts) => parts.flat());

for (const [name, options] of Object.entries(WORLDS)) {
  test(`all invariants hold although an older copy replaces the database at random steps: ${name}`, (t) =>
    runCommands(t, options, losing, { usual: 2, all: 40 }));
}
