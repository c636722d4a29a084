import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hash, Hex } from '../../../src/base/hex.ts';
import { seedOf } from '../run/seed.ts';
import { atEnd, type Ending } from './at-end.ts';

/**
 * | Fault | The node did it | The client gets |
 * |---|---|---|
 * | `lose-call` | no | a broken connection |
 * | `lose-reply` | yes | a broken connection |
 * | `hang` | yes | nothing, until its own timeout |
 * | `delay` | yes, late | the right reply, late |
 * | `duplicate` | twice | the second reply |
 * | `http-429`, `http-500` | no | that status, without a JSON-RPC body |
 * | `not-json` | yes | an HTML page with status 200 |
 * | `wrong-shape` | yes | JSON that is no reply to the call |
 * | `half-body` | yes | half of the declared length, then a broken connection |
 * | `shuffle-replies` | yes | the batch's replies in another order |
 * | `partial-replies` | yes | only some of the batch's replies |
 * | `item-errors` | yes | an error for some items of the batch |
 */
const FAULTS = [
  'lose-call',
  'lose-reply',
  'hang',
  'delay',
  'duplicate',
  'http-429',
  'http-500',
  'not-json',
  'wrong-shape',
  'half-body',
  'shuffle-replies',
  'partial-replies',
  'item-errors',
] as const;
export type Fault = (typeof FAULTS)[number];

export type FaultRule = {
  readonly fault: Fault;
  /** Only requests with a call of this method; by default all. */
  readonly method?: string;
  /** The share of requests it strikes, by the seeded generator; by default 1. */
  readonly rate?: number;
  /** The most times it strikes. */
  readonly times?: number;
  /** The error message of `item-errors`. */
  readonly message?: string;
};

export type FaultProxy = {
  readonly url: string;
  readonly seed: number;
  /** Adds a rule; the first rule that applies strikes. */
  inject(rule: FaultRule): void;
  /** From now on everything is passed on unharmed, and hanging requests are released. */
  heal(): void;
  /** How often a fault has struck; without an argument, all of them together. */
  struck(fault?: Fault): number;
  /** The number of requests received. */
  readonly requests: number;
  /** Whether the node can be reached. */
  reachable: boolean;
  /** Puts another node behind the same address. */
  target(url: string): void;
  /** From now on it changes what it answers to a call; null: no more. */
  lie(lie: Lie | null): void;
  /** What the node's pool does with a raw transaction, instead of the node; null: what the node does. */
  pool: ((raw: Hex) => PoolVerdict | null) | null;
  /** What a gateway in front of the node does with a request; null: it passes it on. */
  gateway: ((calls: readonly Call[], isBatch: boolean) => GatewayVerdict | null) | null;
};

/** The connection is cut, or this is answered without asking the node. */
export type GatewayVerdict =
  | 'closes'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string };

/** The result that is given in the place of the node's. `random`: numbers from 0 to 1 by the seeded generator. */
export type Lie = (method: string, result: unknown, random: () => number) => unknown;

/** The pool refuses it with an error, or answers with its hash and keeps it to itself. */
export type PoolVerdict = { readonly refuses: string } | { readonly keeps: Hash };

export type Call = { readonly id: unknown; readonly method: string; readonly params?: readonly unknown[] };
type Reply = { readonly id: unknown; readonly result?: unknown };

/** Usually longer than what comes after it; nothing depends on that. */
const DELAY_MS = 300;
const WRONG_SHAPES = [
  '[]',
  '{}',
  'null',
  '"busy"',
  '{"jsonrpc":"2.0","id":-7,"result":"0x1"}',
  '[null]',
  '[{"id":null}]',
];

/** An HTTP JSON-RPC proxy in front of a node. It fails on demand, by a seeded random generator. */
export async function startFaultProxy(t: Ending, nodeUrl: string, seed = seedOf('faults')): Promise<FaultProxy> {
  const random = randomNumbers(seed);
  const hanging = new Set<ServerResponse>();
  const strikes = new Map<Fault, number>();
  let rules: (FaultRule & { left: number })[] = [];
  let target = nodeUrl;
  let requests = 0;
  let lie: Lie | null = null;

  const strike = (calls: readonly Call[]): FaultRule | null => {
    for (const rule of rules) {
      if (rule.left <= 0 || (rule.method !== undefined && !calls.some(({ method }) => method === rule.method)))
        continue;
      if (random() >= (rule.rate ?? 1)) continue;
      rule.left--;
      strikes.set(rule.fault, (strikes.get(rule.fault) ?? 0) + 1);
      return rule;
    }
    return null;
  };

  /** Answers instead of the node what its pool does not take, and asks the node for the rest. */
  const forwardThroughPool = async (parsed: Call | Call[]): Promise<string> => {
    const calls = [parsed].flat();
    const own = calls.map(({ id, method, params }) => {
      const verdict = method === 'eth_sendRawTransaction' ? proxy.pool?.(params![0] as Hex) : null;
      if (!verdict) return null;
      const answer =
        'refuses' in verdict ? { error: { code: -32_000, message: verdict.refuses } } : { result: verdict.keeps };
      return { jsonrpc: '2.0', id, ...answer };
    });
    const rest = calls.filter((_, i) => !own[i]);
    const replies = rest.length === 0 ? [] : (JSON.parse(await forward(JSON.stringify(rest))) as Reply[]);
    const all = own.map((reply) => reply ?? replies.shift());
    return JSON.stringify(Array.isArray(parsed) ? all : all[0]);
  };

  const forward = async (body: string): Promise<string> => {
    const response = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return response.text();
  };

  function falsified(lie: Lie, calls: readonly Call[], said: string): string {
    const methods = new Map(calls.map(({ id, method }) => [id, method]));
    const change = (reply: Reply) =>
      reply.result ? { ...reply, result: lie(methods.get(reply.id)!, reply.result, random) } : reply;
    const replies = JSON.parse(said) as Reply | Reply[];
    return JSON.stringify(Array.isArray(replies) ? replies.map(change) : change(replies));
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    requests++;
    if (!proxy.reachable) return void response.destroy();
    const parsed = JSON.parse(body) as Call | Call[];
    const verdict = proxy.gateway?.([parsed].flat(), Array.isArray(parsed));
    if (verdict === 'closes') return void response.destroy();
    if (verdict) {
      const headers = { 'content-type': 'application/json', ...verdict.headers };
      return void response.writeHead(verdict.status, headers).end(verdict.body);
    }
    const rule = strike([parsed].flat());
    const fault = rule?.fault;
    switch (fault) {
      case 'lose-call':
        return void response.destroy();
      case 'http-429':
        return void response.writeHead(429, { 'retry-after': '1' }).end('Too many requests');
      case 'http-500':
        return void response.writeHead(500).end('Internal error');
      case 'delay':
        await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
        break;
      case 'duplicate':
        await forward(body);
        break;
    }
    const said = await (proxy.pool ? forwardThroughPool(parsed) : forward(body));
    const reply = lie ? falsified(lie, [parsed].flat(), said) : said;
    switch (fault) {
      case 'lose-reply':
        return void response.destroy();
      case 'hang':
        hanging.add(response);
        return;
      case 'not-json':
        return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
      case 'wrong-shape':
        return void send(response, WRONG_SHAPES[Math.floor(random() * WRONG_SHAPES.length)]!);
      case 'half-body':
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(reply) });
        return void response.write(reply.slice(0, reply.length >> 1), () => response.destroy());
      case 'shuffle-replies':
      case 'partial-replies':
      case 'item-errors':
        return void send(response, JSON.stringify(mangle(rule!, JSON.parse(reply) as Reply | Reply[], random)));
      default:
        send(response, reply);
    }
  }

  const server = createServer((request, response) => {
    // A node or a client that has gone breaks the connection, like other faults here.
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(t, async () => {
    proxy.heal();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seed,
    reachable: true,
    pool: null,
    gateway: null,
    inject: (rule) => void rules.push({ ...rule, left: rule.times ?? Number.POSITIVE_INFINITY }),
    heal() {
      rules = [];
      proxy.gateway = null;
      for (const response of hanging) response.destroy();
      hanging.clear();
    },
    struck: (fault) =>
      fault ? (strikes.get(fault) ?? 0) : [...strikes.values()].reduce((sum, count) => sum + count, 0),
    get requests() {
      return requests;
    },
    target(url) {
      target = url;
    },
    lie(next) {
      lie = next;
    },
  };
  return proxy;
}

function mangle({ fault, message }: FaultRule, reply: Reply | Reply[], random: () => number): unknown {
  const items = Array.isArray(reply) ? reply : [reply];
  if (fault === 'shuffle-replies')
    return items
      .map((item) => ({ item, key: random() }))
      .sort(byKey)
      .map(({ item }) => item);
  // At least one item is struck, or nothing would be wrong.
  const certain = Math.floor(random() * items.length);
  const struck = items.map((_, i) => i === certain || random() < 0.5);
  if (fault === 'partial-replies') return items.filter((_, i) => !struck[i]);
  const error = { code: -32_005, message: message ?? 'the backend is busy' };
  return items.map((item, i) => (struck[i] ? { jsonrpc: '2.0', id: item.id, error } : item));
}

const byKey = (a: { key: number }, b: { key: number }): number => a.key - b.key;

function send(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Numbers from 0 (inclusive) to 1 (exclusive), the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
