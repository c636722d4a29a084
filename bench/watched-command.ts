import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { peakMegabytes, readProcessorTime } from './processor-time.ts';
import type { Environment } from './service-process.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
const LOOK_EVERY_MS = 50;

/** `processorSeconds` and `megabytes`: of its process, the most memory it had. Node.js itself takes 100 MB. */
type Watched = {
  readonly output: string;
  readonly seconds: number;
  readonly processorSeconds: number;
  readonly megabytes: number;
};

/** Runs a command of the service's own command line in a process of its own, and watches that. Throws if the command fails. */
export async function watchCommand(args: readonly string[], settings: Environment): Promise<Watched> {
  const began = performance.now();
  const env = { ...settings, LOG_LEVEL: 'silent' } as NodeJS.ProcessEnv;
  const command = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  command.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  let [megabytes, processorSeconds] = [0, 0];
  const watch = setInterval(() => {
    megabytes = Math.max(megabytes, peakMegabytes(command.pid!));
    processorSeconds = Math.max(
      processorSeconds,
      readProcessorTime({ command: [command.pid!] }).groups.command! / 1000,
    );
  }, LOOK_EVERY_MS);
  const [code] = await once(command, 'close');
  clearInterval(watch);
  if (code !== 0) throw new Error(`quarters ${args.join(' ')} ended with ${code}: ${output}`);
  return { output, seconds: (performance.now() - began) / 1000, processorSeconds, megabytes };
}
