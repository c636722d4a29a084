import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connectEmulator, type Emulator } from '../sdk/emulator/src/index.ts';

const PROGRAM = join(import.meta.dirname, '../bin/quarters.mjs');

export type EmulatorProcess = {
  readonly emulator: Emulator;
  readonly pid: number;
  /** Where it is controlled, and the token for it. */
  readonly control: string;
  readonly token: string;
  /** From before its process was there until its line was read. */
  readonly startedInMs: number;
  stop(): Promise<void>;
};

/** Starts `quarters emulator` as a game's tests do. */
export async function startEmulatorProcess(): Promise<EmulatorProcess> {
  const began = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'emulator', '--with-parent'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string | undefined];
  const startedInMs = performance.now() - began;
  if (line === undefined) throw new Error('The emulator ended before it was ready.');
  const { control, token } = JSON.parse(line) as { control: string; token: string };
  return {
    ...{ pid: child.pid!, control, token, startedInMs },
    emulator: await connectEmulator({ url: control, token }),
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
