/**
 * `npm run check` and `npm run generate` run a script of several programs with this, as one group of processes. The group ends when this
 * process does, however that ends. A shell that npm runs would leave behind the program that is running.
 */
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { startChild } from '../local/child.ts';

// npm runs scripts in the folder of package.json.
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const steps = await startChild({
  command: '/bin/sh',
  args: ['-c', scripts[process.argv[2]!]],
  // What they print comes through a pipe.
  env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
  onOutput: (text, from) => process[from].write(text),
});
const { code, signal } = await steps.exited;
process.exitCode = code ?? 128 + constants.signals[signal!];
