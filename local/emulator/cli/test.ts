import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { type CliCommand, example } from '../../../src/cli/command.ts';
import { CommandEnd } from '../../../src/cli/exit-codes.ts';
import { parseHttpUrl } from '../../../src/cli/values.ts';
import { SEED } from './emulator.ts';

type TestOptions = { readonly seed?: string; readonly webhook?: string };

export function addTestCommand(program: CliCommand): void {
  const test = program.command('test');
  test
    .description("Run a game's tests beside an emulator. Their environment names it, and an app with quarters.")
    .argument('<command...>', 'what runs the tests, after --')
    .option('--webhook <address>', "where the game's server takes the app's events", parseHttpUrl)
    .option(...SEED)
    .addHelpText('after', example('test -- npm test'))
    .action(async ([command, ...args]: [string, ...string[]], { seed, webhook }: TestOptions) => {
      const { context } = test;
      const { runEmulator } = await import('./run-emulator.ts');
      const signal = context.untilStopped?.() ?? new AbortController().signal;
      const running = await runEmulator(context.house(), { port: 0, controlPort: 0, seed });
      let exitCode = 1;
      try {
        if (signal.aborted) throw new CommandEnd('interrupted', 'Stopped before the tests began.');
        const { appEnvironment } = await import('./app-environment.ts');
        const env = { ...process.env, ...(await appEnvironment(running, webhook)) };
        const tests = spawn(command, args, { stdio: 'inherit', env, shell: process.platform === 'win32' });
        signal.addEventListener('abort', () => tests.kill('SIGTERM'));
        const ends = once(tests, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
        running.emulator.world.lost.catch(() => tests.kill('SIGTERM'));
        const [code, ended] = await Promise.race([ends, running.emulator.world.lost]);
        exitCode = code ?? 128 + constants.signals[ended!];
      } finally {
        await running.stop();
      }
      // As the tests ended. Exit codes of commands have other meanings.
      process.exit(exitCode);
    });
}
