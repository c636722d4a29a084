import { type ChildExit, startChild } from '../../src/process/child.ts';
import { freePort } from '../../src/process/free-port.ts';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;
const KILL_SWITCH = new URL('../crash/kill-switch.ts', import.meta.url).pathname;

/** A point of the service's conversation with database or chain at which it dies by SIGKILL. */
export type KillPoint = {
  readonly at: 'commit' | 'statement in a transaction' | 'statement alone' | 'call of the chain';
  /** `after`: the other side has done it and its answer has arrived; the service has not looked at it yet. */
  readonly when: 'before' | 'after';
  /** Regular expression for the statement, the JSON-RPC body, or, for a commit, all statements of the transaction. */
  readonly match: string;
  /** Of several matches, which one; the first by default. */
  readonly nth?: number;
};

export type ServiceProcess = {
  readonly pid: number;
  readonly origin: string;
  /** False where it ended before it was ready. */
  readonly ready: boolean;
  readonly exited: Promise<ChildExit>;
  output(): string;
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>;
  /** Asks it to stop in order; resolves when it is gone. */
  stop(): Promise<void>;
};

/** Runs one command line of the real program to its end; resolves with its output. */
export async function runCommandProcess(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  killPoint?: KillPoint,
): Promise<string> {
  let text = '';
  const child = await startChild({
    ...commandLine(args, env, killPoint),
    onOutput(output) {
      text += output;
    },
  });
  await child.exited;
  return text;
}

function commandLine(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  killPoint: KillPoint | undefined,
) {
  return {
    command: process.execPath,
    args: [...(killPoint ? ['--import', KILL_SWITCH] : []), MAIN, ...args],
    env: { ...env, ...(killPoint && { KILL_POINT: JSON.stringify(killPoint) }) },
  };
}

/** Starts the real service as a process that dies with this one; resolves when it is ready, or gone. */
export async function startServiceProcess(
  env: Readonly<Record<string, string | undefined>>,
  killPoint?: KillPoint,
): Promise<ServiceProcess> {
  for (;;) {
    const port = await freePort();
    const service = await startAt(port, env, killPoint);
    // Somebody else was quicker with the port.
    if (service.ready || !/is in use: set PORT/.test(service.output())) return service;
  }
}

async function startAt(
  port: number,
  env: Readonly<Record<string, string | undefined>>,
  killPoint: KillPoint | undefined,
): Promise<ServiceProcess> {
  let text = '';
  let announce: (ready: boolean) => void = () => {};
  const listening = new Promise<boolean>((resolve) => {
    announce = resolve;
  });
  const child = await startChild({
    ...commandLine(['start'], { ...env, HOST: '127.0.0.1', PORT: `${port}` }, killPoint),
    onOutput(output) {
      text += output;
      if (text.includes('Ctrl-C stops')) announce(true);
    },
  });
  const ready = await Promise.race([listening, child.exited.then(() => false)]);
  return {
    pid: child.pid,
    origin: `http://127.0.0.1:${port}`,
    ready,
    exited: child.exited,
    output: () => text,
    async kill() {
      await child.stop({ signal: 'SIGKILL' });
    },
    async stop() {
      await child.stop();
    },
  };
}
