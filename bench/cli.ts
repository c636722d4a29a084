/** Measures what a command costs before it does anything. Alone: `node bench/cli.ts`. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Claim, Effort, Figure } from './claim.ts';
import { runAlone } from './run.ts';

const ROOT = join(import.meta.dirname, '..');
const BIN = join(ROOT, 'bin/quarters.mjs');

/** Nothing here may be slower. Loading the service took 0.7 s, and 2 s on a busy machine. */
const TARGET = '≤ 0.3';

const COMMANDS: readonly (readonly [name: string, ...args: string[]])[] = [
  ['--help', BIN, '--help'],
  ['--version', BIN, '--version'],
  ['apps keys issue --help', BIN, 'apps', 'keys', 'issue', '--help'],
  // Without the cache beside the sources that the first run writes: types are stripped each time.
  ['--help, nothing cached', join(ROOT, 'local/main.ts'), '--help'],
];

async function measureCommands({ quick }: Effort): Promise<Figure[]> {
  const rounds = quick ? 5 : 20;
  const limit = { name: 'node -e 0', value: processorSeconds(rounds, ['-e', '0']) };
  return COMMANDS.map(([name, ...args]) => {
    processorSeconds(1, args);
    return { name, value: processorSeconds(rounds, args), unit: 's of CPU', limit, target: TARGET };
  });
}

/** The mean processor time of Node.js with these arguments, with that of all its threads, in seconds. */
function processorSeconds(rounds: number, args: readonly string[]): number {
  const lines = Array.from({ length: rounds }, () => timed(args));
  return lines.reduce((sum, seconds) => sum + seconds, 0) / rounds;
}

function timed(args: readonly string[]): number {
  // A shell knows the processor time of the children it has waited for.
  const script = '"$@" >/dev/null; times';
  const { status, stdout } = spawnSync('sh', ['-c', script, 'sh', process.execPath, ...args], { encoding: 'utf8' });
  const [user = Number.NaN, system = Number.NaN] = (stdout.split('\n')[1] ?? '').split(' ').map((time) => {
    const [, minutes, seconds] = /^(\d+)m([\d.]+)s$/.exec(time) ?? [];
    return Number(minutes) * 60 + Number(seconds);
  });
  if (status !== 0 || !(user + system > 0)) throw new Error(`quarters ${args.slice(1).join(' ')} failed`);
  return user + system;
}

export const commandLine: Claim = {
  name: 'cli',
  title: 'The command line',
  method:
    'The processor time of `bin/quarters.mjs` for commands that need no service, after a first run. The limit is a Node.js that does nothing. `npx` adds its own 0.4 to 0.5 s.',
  measure: measureCommands,
};

if (import.meta.main) await runAlone(commandLine);
