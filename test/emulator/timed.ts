import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Of a test's own process: settings of the tests' services would reach the emulator. */
const env = Object.fromEntries(
  ['PATH', 'HOME', 'TMPDIR', 'XDG_CACHE_HOME', 'NODE_COMPILE_CACHE'].map((name) => [name, process.env[name]]),
);

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of it.
type Json = any;

export type Answer = { readonly status: number; readonly body: Json };

/** An emulator in a process of its own: the clock of this one stays. */
export type TestEmulator = {
  readonly url: string;
  /** Calls what controls it. */
  control(method: string, path: string, body?: object): Promise<Answer>;
  /** Asks the chain. */
  rpc(method: string, params: readonly unknown[]): Promise<Json>;
  /** Calls the service. */
  call(method: string, path: string, token: string, body?: object, headers?: Record<string, string>): Promise<Answer>;
  stop(): Promise<void>;
};

export async function startEmulator(...args: readonly string[]): Promise<TestEmulator> {
  const bin = new URL('../../bin/quarters.mjs', import.meta.url).pathname;
  const child = spawn(process.execPath, [bin, 'emulator', '--with-parent', ...args], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const line = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  if (child.exitCode !== null) throw new Error('The emulator did not start.');
  const { url, control, token, chain } = JSON.parse(line[0] as string);
  const calling = async (
    method: string,
    address: string,
    bearer: string,
    body?: object,
    headers?: Record<string, string>,
  ) => {
    const response = await fetch(address, {
      method,
      headers: { authorization: `Bearer ${bearer}`, ...(body && { 'content-type': 'application/json' }), ...headers },
      body: body ? JSON.stringify(body) : null,
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };
  return {
    url,
    control: (method, path, body) => calling(method, `${control}/emulator/v1${path}`, token, body),
    async rpc(method, params) {
      const { body } = await calling('POST', chain.rpcUrl, '', { jsonrpc: '2.0', id: 1, method, params });
      return body.result;
    },
    call: (method, path, bearer, body, headers) => calling(method, `${url}/v1${path}`, bearer, body, headers),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
