import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { lazily } from '../../src/base/lazily.ts';
import { atEnd, type Ending, everyTest } from '../kit/unit/at-end.ts';

export const BIN = fileURLToPath(new URL('../../bin/quarters.mjs', import.meta.url));
/** Of all runs in this clone: what an emulator prepares at its first start. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/quarters-tests', import.meta.url));

export type Refusal = { readonly status: number; readonly code: string; readonly message: string };

export type RunningEmulator = {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The origin of the service. */
  readonly url: string;
  /** Where it is controlled, and the token for it. */
  readonly control: string;
  readonly token: string;
  /** One operation of the control API. */
  call<Result = Record<string, string>>(method: string, path: string, body?: object): Promise<Result>;
  /** The same for one that must be refused. */
  refused(method: string, path: string, body?: object): Promise<Refusal>;
  /** A call of the service's API. */
  api<Result = Record<string, string>>(token: string, method: string, path: string, body?: object): Promise<Result>;
};

export const environment = (extra: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env.PATH,
  TMPDIR: process.env.TMPDIR,
  HOME: process.env.HOME,
  XDG_CACHE_HOME: CACHE,
  // Chains that are away are part of the tests.
  LOG_LEVEL: 'error',
  ...extra,
});

/** Starts `quarters emulator --with-parent` and reads its line. It ends with `t`. */
export async function startEmulator(t: Ending, env: Readonly<Record<string, string>> = {}): Promise<RunningEmulator> {
  const child = spawn(process.execPath, [BIN, 'emulator', '--with-parent'], {
    env: environment(env),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  atEnd(t, async () => {
    child.stdin.end();
    await ended;
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string | undefined];
  assert.ok(line, 'the emulator ended before it was ready');
  const { url, control, token, pid } = JSON.parse(line) as Record<'url' | 'control' | 'token', string> & {
    pid: number;
  };
  const ask = (method: string, path: string, body?: object) =>
    send(`${control}/emulator/v1${path}`, token, method, body);
  return {
    ...{ process: child, pid, url, control, token },
    call: async (...call) => taken(await ask(...call)),
    async refused(...call) {
      const { status, body } = await ask(...call);
      assert.ok(status >= 400, `${call.join(' ')} was not refused`);
      return { status, ...(body as Omit<Refusal, 'status'>) };
    },
    api: async (secret, method, path, body) => taken(await send(`${url}${path}`, secret, method, body)),
  };
}

type Answer = { readonly status: number; readonly body: unknown };

async function send(url: string, token: string, method: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

function taken<Result>({ status, body }: Answer): Result {
  assert.ok(status < 400, `${status} ${JSON.stringify(body)}`);
  return body as Result;
}

const shared = lazily(() => startEmulator(everyTest));

/** The emulator that tests of this process share. It is as after its start when a test gets it. */
export async function freshEmulator(): Promise<RunningEmulator> {
  const emulator = await shared();
  await emulator.call('POST', '/reset');
  return emulator;
}
