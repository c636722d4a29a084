import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { readRunning } from '../../src/process/data-folder.ts';
import { until } from '../kit/unit/until.ts';

const MAIN = new URL('../../local/main.ts', import.meta.url).pathname;

export type RunningService = {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly origin: string;
  readonly screen: string;
  /** As the start screen shows them. */
  readonly demo: { id: string; address: string; serverKey: string };
};

const environment = (dataDir: string, extra: Record<string, string>) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  PORT: '0',
  QUARTERS_DATA_DIR: dataDir,
  ...extra,
});

export type StartingService = {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Its output so far, on both streams. */
  readonly screen: string;
  /** Resolves when the output contains this text. */
  says(text: string): Promise<void>;
  /** The origin that it stores for commands. */
  listens(): Promise<string>;
  /** Its exit code or signal, after all its output was read. */
  readonly ended: Promise<number | NodeJS.Signals>;
};

/** Begins to start the whole service as a user would, with the embedded parts. */
export function spawnService(t: TestContext, dataDir: string, extra: Record<string, string> = {}): StartingService {
  const child = spawn(process.execPath, [MAIN, 'start'], {
    env: environment(dataDir, extra),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  let screen = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      screen += data;
    });
  }
  const lives = () => {
    const end = child.exitCode ?? child.signalCode;
    if (end !== null) throw new Error(`the service ended with ${end}:\n${screen}`);
  };
  return {
    process: child,
    pid: child.pid!,
    get screen() {
      return screen;
    },
    async says(text) {
      const said = () => {
        lives();
        return screen.includes(text);
      };
      await until(`the service says "${text}"`, said, () => screen);
    },
    async listens() {
      let origin = '';
      const found = async () => {
        lives();
        origin = (await readRunning(dataDir))?.publicUrl ?? '';
        return origin !== '';
      };
      await until('the service listens', found, () => screen);
      return origin;
    },
    ended: once(child, 'close').then(([code, signal]) => code ?? signal),
  };
}

/** Starts the whole service and resolves when it prints its start screen. */
export async function startService(
  t: TestContext,
  dataDir: string,
  extra: Record<string, string> = {},
): Promise<RunningService> {
  const starting = spawnService(t, dataDir, extra);
  await starting.says('Ctrl-C stops');
  const { screen } = starting;
  const origin = /running at (\S+)/.exec(screen)?.[1] ?? '';
  const demo = JSON.parse(await readFile(join(dataDir, 'demo-app.json'), 'utf8'));
  return { process: starting.process, pid: starting.pid, origin, screen, demo };
}

/** Runs one command line to its end. */
export async function runCommand(
  dataDir: string,
  args: readonly string[],
  extra: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: environment(dataDir, extra),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    err += data;
  });
  const [code] = await once(child, 'close');
  return { code, out, err };
}

/** Makes one call to the API. Returns the body as parsed JSON. */
export async function call(
  service: { origin: string },
  method: string,
  path: string,
  bearer: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests look at
): Promise<{ status: number; body: any }> {
  const response = await fetch(`${service.origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}
