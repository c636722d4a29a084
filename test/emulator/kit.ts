import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../../sdk/emulator/src/start.ts';
import { lazily } from '../../src/base/lazily.ts';
import { atEnd, everyTest } from '../kit/unit/at-end.ts';

export const BIN = fileURLToPath(new URL('../../bin/quarters.mjs', import.meta.url));

/** An answer in JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks at what it expects, and fails if it is not there.
export type Said = any;
export type Answered = { readonly status: number; readonly headers: Headers; readonly body: Said };
type Refusal = { readonly status: number; readonly code: string; readonly message: string };

export type TestEmulator = {
  /** The origin of the service. */
  readonly url: string;
  /** Where it is controlled, and the token for it. */
  readonly control: string;
  readonly token: string;
  /** One operation of the control API; fails if that refuses. */
  call(method: string, path: string, body?: object): Promise<Said>;
  /** The same for one that must be refused. */
  refused(method: string, path: string, body?: object): Promise<Refusal>;
  /** Calls the service below /v1. */
  api(token: string, method: string, path: string, body?: object, more?: More): Promise<Answered>;
  /** Asks the chain. */
  rpc(method: string, ...params: readonly unknown[]): Promise<Said>;
};

type More = { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal };

/** What an emulator prepares at its first start, for all runs in this clone. */
export const CACHE = {
  XDG_CACHE_HOME: fileURLToPath(new URL('../../node_modules/.cache/quarters-tests', import.meta.url)),
};

/** The first app and player of this seed are the same in each run and on each machine. */
const SEED = 'a game';

const shared = lazily(async (): Promise<TestEmulator> => {
  const { stop, ...line } = await startProcess({
    command: [process.execPath, BIN],
    args: ['--seed', SEED],
    env: CACHE,
  });
  atEnd(everyTest, stop);
  const { url, control, token, chain } = line as typeof line & { readonly chain: { readonly rpcUrl: string } };
  const ask = (method: string, path: string, body?: object) =>
    send(`${control}/emulator/v1${path}`, token, method, body);
  return {
    ...{ url, control, token },
    call: async (...call) => taken(await ask(...call)),
    async refused(...call) {
      const { status, body } = await ask(...call);
      assert.ok(status >= 400, `${call.join(' ')} was not refused`);
      return { status, ...body };
    },
    api: (secret, method, path, body, more) => send(`${url}/v1${path}`, secret, method, body, more),
    rpc: async (method, ...params) =>
      taken(await send(chain.rpcUrl, '', 'POST', { jsonrpc: '2.0', id: 1, method, params })).result,
  };
});

/**
 * The emulator that tests of this process share, in a process of its own: its clock is not theirs. It is as after its start when a test gets it.
 */
export async function freshEmulator(): Promise<TestEmulator> {
  const emulator = await shared();
  await emulator.call('POST', '/reset');
  return emulator;
}

async function send(url: string, token: string, method: string, body?: object, more: More = {}): Promise<Answered> {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...more.headers },
    ...(body && { body: JSON.stringify(body) }),
    ...(more.signal && { signal: more.signal }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** What an answer says, if it is none that refuses. */
export function taken({ status, body }: Answered): Said {
  assert.ok(status < 400, `${status} ${JSON.stringify(body)}`);
  return body;
}

export type Player = {
  readonly id: string;
  readonly kind: string;
  readonly address: string;
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly pageToken: string | null;
  readonly email: string | null;
  readonly password: string | null;
};

type Id = Pick<Player, 'id'>;

/** An app, what its server does, and what its tests say of its players. */
export type Game = {
  readonly id: string;
  readonly address: string;
  readonly serverKey: string;
  readonly webhookSecret: string | null;
  /** Calls the service below /v1 with the app's key. With a body it is a POST. */
  server(path: string, body?: object, more?: More): Promise<Answered>;
  newPlayer(given?: object): Promise<Player>;
  pay(player: Id, amount: number, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  /** Asks a player for quarters; the request's id. */
  ask(player: Id, tokens: number, more?: object): Promise<string>;
  act(player: Id, act: string, body?: object): Promise<Said>;
  status(request: string): Promise<string>;
  quarters(player: Pick<Player, 'address' | 'accessToken'>): Promise<number>;
  /** The types of the events about a request or a transfer so far, oldest first. */
  events(request: string): Promise<string[]>;
};

export async function newGame({ call, api }: TestEmulator, given: object = {}): Promise<Game> {
  const app = (await call('POST', '/apps', given)) as Pick<Game, 'id' | 'address' | 'serverKey' | 'webhookSecret'>;
  const server: Game['server'] = (path, body, more) => api(app.serverKey, body ? 'POST' : 'GET', path, body, more);
  return {
    ...app,
    server,
    newPlayer: (more = {}) => call('POST', '/players', { app: app.id, quarters: 500, ...more }),
    pay: ({ id: user }, amount, headers = {}) =>
      server(`/accounts/${app.address}/transfer`, { amount, user }, { headers }),
    ask: async ({ id: userId }, tokens, more = {}) =>
      taken(await server('/requests', { tokens, appId: app.id, userId, ...more })).id,
    act: ({ id }, act, body = {}) => call('POST', `/players/${id}/${act}`, body),
    status: async (request) => taken(await server(`/requests/${request}`)).status,
    async quarters({ address, accessToken }) {
      const [balance] = taken(await api(accessToken, 'GET', `/accounts/${address}/balance`));
      return Number(balance.quarters);
    },
    async events(request) {
      const { data } = taken(await server('/events?limit=100'));
      return data.flatMap(({ type, data: { id } }: Said) => (id === request ? [type] : []));
    },
  };
}
