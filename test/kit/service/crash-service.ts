import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChildExit, startChild } from '../../../local/child.ts';
import { freePort } from '../../../src/http/listen.ts';
import { until } from '../unit/until.ts';
import { WINGS_HERE } from './house.ts';

const TREE = new URL('../../..', import.meta.url).pathname;
const KILL_SWITCH = new URL('../../crash/kill-switch.ts', import.meta.url).pathname;

/** Far longer than the busiest machine needs: what has not ended by then hangs. */
const ENDS_WITHIN_MS = 15 * 60_000;

/** A point of the service's conversation with database or chain at which it dies by SIGKILL. */
export type KillPoint = {
  readonly at: 'commit' | 'statement in a transaction' | 'statement alone' | 'call of the chain';
  /** `after`: the other side has done it and its answer has arrived, but the service has not read it yet. */
  readonly when: 'before' | 'after';
  /** Regular expression for the statement, the JSON-RPC body, or, for a commit, all statements of the transaction. */
  readonly match: string;
  /** Which of several matches; the first by default. */
  readonly nth?: number;
};

export type ServiceProcess = {
  readonly pid: number;
  readonly origin: string;
  /** False if it ended before it was ready. */
  readonly ready: boolean;
  readonly exited: Promise<ChildExit>;
  output(): string;
  /** From now on it dies when it reaches this point. */
  arm(point: KillPoint): Promise<void>;
  /** kill -9; resolves when the process has ended. */
  kill(): Promise<void>;
  /** Asks it to stop cleanly; resolves when it has ended. */
  stop(): Promise<void>;
};

/** Runs one command line of the real program to its end; resolves with its output. */
export async function runCommandProcess(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  killPoint?: KillPoint,
  tree?: string,
): Promise<string> {
  let text = '';
  const child = await startChild({
    ...commandLine(args, env, newKillPointFile(env, killPoint), tree),
    onOutput(output) {
      text += output;
    },
  });
  const late = setTimeout(() => void child.stop({ signal: 'SIGKILL' }), ENDS_WITHIN_MS);
  await child.exited;
  clearTimeout(late);
  return text;
}

function commandLine(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  killPointFile: string,
  tree = TREE,
) {
  return {
    command: process.execPath,
    args: ['--import', KILL_SWITCH, join(tree, 'src/main.ts'), ...args],
    env: { WINGS: WINGS_HERE, ...env, KILL_POINT_FILE: killPointFile },
  };
}

/**
 * The file in which the process's kill switch finds its point. It is in the world's folder, which is removed at the
 * end.
 */
function newKillPointFile(env: Readonly<Record<string, string | undefined>>, point: KillPoint | undefined): string {
  const path = join(env.HOME ?? tmpdir(), `kill-point-${randomUUID()}`);
  if (point) writeFileSync(path, JSON.stringify(point));
  return path;
}

/**
 * Starts the real service as a process that dies with this one; resolves when it is ready or has ended. `tree`: the folder of another
 * release.
 */
export async function startServiceProcess(
  env: Readonly<Record<string, string | undefined>>,
  killPoint?: KillPoint,
  tree?: string,
): Promise<ServiceProcess> {
  for (;;) {
    const port = await freePort();
    const service = await startAt(port, env, killPoint, tree);
    // Another process took the port first.
    if (service.ready || !/is in use: set PORT/.test(service.output())) return service;
  }
}

async function startAt(
  port: number,
  env: Readonly<Record<string, string | undefined>>,
  killPoint: KillPoint | undefined,
  tree: string | undefined,
): Promise<ServiceProcess> {
  let text = '';
  let [ready, isGone, isArmed] = [false, false, false];
  const killPointFile = newKillPointFile(env, killPoint);
  const child = await startChild({
    ...commandLine(['start'], { ...env, HOST: '127.0.0.1', PORT: `${port}` }, killPointFile, tree),
    onOutput(output) {
      text += output;
      if (text.includes('Ctrl-C stops')) ready = true;
      if (/^armed$/m.test(text)) isArmed = true;
    },
  });
  void child.exited.then(() => {
    isGone = true;
  });
  const said = () => text;
  await until('the service is ready, or gone', () => ready || isGone, said);
  return {
    pid: child.pid,
    origin: `http://127.0.0.1:${port}`,
    ready,
    exited: child.exited,
    output: said,
    async arm(point) {
      writeFileSync(killPointFile, JSON.stringify(point));
      process.kill(child.pid, 'SIGUSR2');
      await until('the service has its kill point, or is gone', () => isArmed || isGone, said);
    },
    async kill() {
      await child.stop({ signal: 'SIGKILL' });
    },
    async stop() {
      await child.stop({ graceMs: ENDS_WITHIN_MS });
    },
  };
}
