import { once } from 'node:events';
import { InvalidArgumentError } from 'commander';
import { type CliCommand, example } from '../../../src/cli/command.ts';
import type { EmulatorPlace } from './run-emulator.ts';

type Options = {
  readonly port: number;
  readonly controlPort: number;
  readonly seed?: string;
  readonly withParent?: true;
  readonly lan?: true;
};

/** What both commands offer. */
export const SEED = [
  '--seed <text>',
  'what the ids, keys and addresses follow from that the emulator makes: the same in each run',
] as const;

export function addEmulatorCommand(program: CliCommand): void {
  const emulator = program.command('emulator');
  emulator
    .description(
      "Run the service as a throwaway for a game's tests, until Ctrl-C. Prints one line of JSON with its addresses.",
    )
    .option('--port <port>', 'of the service, 0 for a free one', parsePort, 0)
    .option('--control-port <port>', 'of what controls it, 0 for a free one', parsePort, 0)
    .option('--lan', 'let phones of your network reach the service; needs --port')
    .option(...SEED)
    .option('--with-parent', 'end when standard input ends, which it does however the caller ends')
    .addHelpText('after', example('emulator', 'emulator --port 8080'))
    .action(async ({ withParent, lan, ...place }: Options) => {
      const { context } = emulator;
      let lanPlace: EmulatorPlace['lan'];
      if (lan) {
        const { lanEnvironment } = await import('../../../src/process/lan.ts');
        lanPlace = lanEnvironment({ PORT: String(place.port) });
        context.err.write('Everybody in your network reaches this emulator.\n');
      }
      const { runEmulator, startLine } = await import('./run-emulator.ts');
      const stopped = stopOf(context.untilStopped?.() ?? new AbortController().signal, withParent);
      const running = await runEmulator(context.house(), { ...place, lan: lanPlace });
      context.out.write(startLine(running));
      await Promise.race([stopped, running.emulator.world.lost]).finally(running.stop);
    });
}

function stopOf(signal: AbortSignal, withParent: true | undefined): Promise<unknown> {
  const stopped = signal.aborted ? Promise.resolve() : once(signal, 'abort');
  if (!withParent) return stopped;
  process.stdin.resume();
  return Promise.race([stopped, once(process.stdin, 'end'), once(process.stdin, 'close')]);
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('Use a port from 0 to 65535, such as 8080.');
  return port;
}
