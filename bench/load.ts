import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FlowName } from './load-flows.ts';
import type { LoadOrder, LoadResult } from './load-generator.ts';

/** A load generator in a process of its own. */
export type Load = {
  readonly pid: number;
  /** Runs one order to its end. Throws if an answer was not one that the flow knows. */
  run<Name extends FlowName>(order: LoadOrder<Name>): Promise<LoadResult>;
  stop(): Promise<void>;
};

export async function startLoad(): Promise<Load> {
  const child = startBenchProcess('load-generator.ts');
  await once(child, 'spawn');
  return {
    pid: child.pid!,
    async run(order) {
      child.send(order);
      const { result, fault } = await nextMessage<{ result?: LoadResult; fault?: string }>(child);
      if (!result) throw new Error(`The load generator got an answer that it did not expect: ${fault}`);
      return result;
    },
    stop: () => endProcess(child),
  };
}

/**
 * Starts one of our own programs, in a process group of its own, as callers elsewhere would be. It ends itself when its channel to us closes,
 * even after kill -9.
 */
export function startBenchProcess(file: string, args: readonly string[] = []): ChildProcess {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  return fork(join(import.meta.dirname, file), args, { stdio: [...stdio], detached: true });
}

/** Throws if the process ends first. */
export function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const heard = (message: unknown) => {
      child.off('exit', ended);
      resolve(message as Message);
    };
    const ended = () => {
      child.off('message', heard);
      reject(new Error(`${child.spawnargs[1]} ended by itself`));
    };
    child.once('message', heard).once('exit', ended);
  });
}

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
