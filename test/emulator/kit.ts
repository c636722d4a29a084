import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { atEnd, type Ending } from '../kit/unit/at-end.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/quarters.mjs', import.meta.url));

/** An answer in JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks at what it expects, and fails if it is not there.
export type Said = any;

export type TestEmulator = {
  /** Of the service. */
  readonly url: string;
  /** Of its node. */
  readonly rpcUrl: string;
  /** Calls the control API, and returns what it answers. Throws its status and message if it refuses. */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Said>;
};

export type EmulatedApp = {
  readonly id: string;
  readonly address: string;
  readonly serverKey: string;
  readonly webhookSecret: string | null;
};

/** Starts an emulator as a process of its own: its clock is not the test's. */
export async function startEmulator(t: Ending): Promise<TestEmulator> {
  const child = spawn(process.execPath, [PROGRAM, 'emulator', '--with-parent'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  atEnd(t, async () => {
    child.stdin.end();
    await exited;
  });
  const line = await Promise.race([once(child.stdout, 'data'), exited.then(() => null)]);
  if (!line) throw new Error('The emulator has ended by itself.');
  const { url, control, token, chain } = JSON.parse(String(line[0]));
  return {
    url,
    rpcUrl: chain.rpcUrl,
    async call(method, path, body) {
      const answer = await fetch(`${control}/emulator/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const said = text === '' ? undefined : JSON.parse(text);
      if (!answer.ok) throw new Error(`${answer.status} ${said.message}`);
      return said;
    },
  };
}

export type Answered = { readonly status: number; readonly headers: Headers; readonly body: Said };

/** What an app's server does. */
export type TestGame = EmulatedApp & {
  /** Calls the service. With a body it is a POST. Throws if the connection is cut. */
  ask(path: string, body?: object, headers?: Record<string, string>, signal?: AbortSignal): Promise<Answered>;
  /** Pays a guest of its own. */
  pay(amount: number, headers?: Record<string, string>): Promise<Answered>;
  /** Its guest. */
  readonly guest: { readonly id: string; readonly pageToken: string };
  /** The types of its events about a request, oldest first. */
  eventsOf(requestId: string): Promise<string[]>;
  /** What its guest has. */
  balance(): Promise<number>;
};

/** Makes an app with a guest. */
export async function newGame(emulator: TestEmulator, details: object = {}): Promise<TestGame> {
  const app: EmulatedApp = await emulator.call('POST', '/apps', details);
  const ask: TestGame['ask'] = async (path, body, headers = {}, signal) => {
    const answer = await fetch(`${emulator.url}/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${app.serverKey}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  const [made] = (await ask('/new-guest', {})).body;
  const guest = { id: made.user_id, pageToken: made.firebase_token };
  return {
    ...app,
    ask,
    guest,
    pay: (amount, headers) => ask(`/accounts/${app.address}/transfer`, { amount, user: guest.id }, headers),
    async eventsOf(requestId) {
      const { status, body } = await ask('/events?limit=100');
      assert.equal(status, 200);
      return body.data.flatMap(({ type, data }: Said) => (data.id === requestId ? [type] : []));
    },
    async balance() {
      const { status, body } = await ask(`/accounts/${made.address}/balance`, undefined, {
        authorization: `Bearer ${made.access_token}`,
      });
      assert.equal(status, 200);
      return Number(body.quarters);
    },
  };
}

/** The guest decides on the page. Returns the page's status. */
export async function decideOnPage(
  { url }: TestEmulator,
  { guest }: TestGame,
  requestId: string,
  decision: 'approve' | 'decline',
): Promise<{ readonly status: number; readonly html: string }> {
  const page = await fetch(`${url}/requests/${requestId}?${new URLSearchParams({ firebase_token: guest.pageToken })}`);
  const [, token = ''] = /name="page_token" value="([^"]+)"/.exec(await page.text()) ?? [];
  const answer = await fetch(`${url}/requests/${requestId}/decision`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ page_token: token, decision }),
  });
  return { status: answer.status, html: await answer.text() };
}
