import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { readSendReply } from '../../src/chain/send-reply.ts';
import { inTurns, oneInTurn } from '../kit/run/turns.ts';
import { type Scenario, startScenario } from '../kit/service/scenario.ts';
import type { Call, GatewayVerdict } from '../kit/unit/fault-proxy.ts';
import { until } from '../kit/unit/until.ts';

// What nodes and gateways were recorded to say. A further one is a line in refusals.json.

type Gateway = {
  readonly name: string;
  /** Whether it ends after a while. If not, payments are made in spite of it. */
  readonly passes: boolean;
  /** What the service says of it while it lasts, if that is neither its error nor its status. Null: nothing, because it does without. */
  readonly says?: string | null;
  /** What it refuses: by default everything. `each`: an error for each call. `half`: of the calls of a batch, some. */
  readonly when?: {
    readonly method?: string;
    readonly batchOver?: number;
    readonly each?: boolean;
    readonly half?: boolean;
  };
  readonly answer: {
    readonly status?: number;
    readonly headers?: Record<string, string>;
    readonly body?: string;
    readonly error?: { readonly message: string };
    /** The error is not in a JSON-RPC answer. */
    readonly bare?: boolean;
    readonly closes?: boolean;
  };
};

const { gateways, sends } = JSON.parse(readFileSync(join(import.meta.dirname, 'refusals.json'), 'utf8')) as {
  gateways: Gateway[];
  sends: { node: string; means: string; message: string }[];
};

test('what nodes say about a raw transaction is understood', () => {
  assert.ok(sends.length >= 81);
  for (const { node, means, message } of sends) {
    const { kind, fault } = readSendReply({ kind: 'error', code: -32_000, message });
    assert.equal(fault ?? kind, means, `${node}: ${message}`);
  }
});

function verdictOf({ when, answer }: Gateway, calls: readonly Call[], isBatch: boolean): GatewayVerdict | null {
  const { method, batchOver, each } = when ?? {};
  if (method && !calls.some((call) => call.method === method)) return null;
  if (batchOver !== undefined && !(isBatch && calls.length > batchOver)) return null;
  if (answer.closes) return 'closes';
  const { status = 200, headers, body, error, bare } = answer;
  const reply = ({ id }: Call) => ({ jsonrpc: '2.0', id, error });
  const whole = bare ? error : isBatch ? { jsonrpc: '2.0', id: null, error } : reply(calls[0]!);
  return {
    status,
    ...(headers && { headers }),
    body: body ?? JSON.stringify(each && isBatch ? calls.map(reply) : whole),
  };
}

function wordsOf({ says, answer: { status = 200, error } }: Gateway): string | null {
  return says === undefined ? (status < 300 && error?.message) || `HTTP ${status}` : says;
}

/** What the service says from now on, as Health and commands say it if it lasts: why a loop fails, and why endpoints have to agree. */
function listen({ loopFaults, readiness }: Scenario['service']): () => readonly string[] {
  const said: string[] = [];
  loopFaults.set = (loop, fault) => {
    said.push(fault.reason);
    return Map.prototype.set.call(loopFaults, loop, fault) as typeof loopFaults;
  };
  return () => [...said, readiness.proven.less?.reason ?? ''];
}

/** In batches that are larger than any recorded limit. */
const PAYMENTS = 12;
const LONGEST_REST_MS = 5_000;

/** Pays through the refusal. Resolves when all is paid. */
async function payThrough(s: Scenario, gateway: Gateway): Promise<void> {
  const { proxy } = s.faulty;
  // As on a chain of others, and with what asks for logs.
  const proof = gateway.when?.method === 'eth_getLogs' ? 'agreement' : 'auto';
  Object.assign(s.service.readiness, { proof });
  let refused = 0;
  const before = proxy.struck();
  const said = listen(s.service);
  const isRefused = () => refused + proxy.struck() > before;
  if (gateway.when?.half) proxy.inject({ fault: 'item-errors', message: gateway.answer.error!.message });
  else
    proxy.gateway = (calls, isBatch) => {
      const verdict = verdictOf(gateway, calls, isBatch);
      if (verdict) refused++;
      return verdict;
    };
  const paid = await Promise.all(Array.from({ length: PAYMENTS }, (_, i) => s.pay(i % 3, 1 + i)));
  if (gateway.passes) {
    await until('it was refused', isRefused);
    const words = wordsOf(gateway);
    if (words !== null) await until(`it says: ${words}`, () => said().some((one) => one.includes(words)), said);
    proxy.heal();
    const rest = s.service.rpc.endpoints!.chosen.restMs();
    assert.ok(rest <= LONGEST_REST_MS, `it is left alone for ${rest} ms`);
  }
  await s.completed(...paid);
  assert.ok(isRefused(), 'it was refused');
  proxy.heal();
}

const startPaying = (t: TestContext) => startScenario(t, { env: { TRANSFERS_PER_TRANSACTION: '1' } });

async function proveAll(s: Scenario): Promise<void> {
  const again = await s.service.db.query(
    'SELECT FROM transactions WHERE attempt > 0 UNION ALL SELECT FROM further_transactions',
  );
  assert.equal(again.length, 0, 'transactions that were sent for nothing');
  await s.prove();
}

const isOfSize = ({ when }: Gateway) => when?.batchOver !== undefined;

/** With one service, of which a test has so many. */
const TOGETHER = 8;

describe('payments are made once through each refusal that was recorded, or soon after it', () => {
  const some = gateways.filter((gateway) => !isOfSize(gateway));
  assert.ok(some.length >= 37);
  for (let first = 0; first < some.length; first += TOGETHER) {
    const those = some.slice(first, first + TOGETHER);
    test(`from "${those[0]!.name}" on`, async (t) => {
      const s = await startPaying(t);
      const turns = inTurns(t, 6);
      for (const gateway of those) await turns.test(gateway.name, () => payThrough(s, gateway));
      await proveAll(s);
    });
  }
});

describe('payments are made once', { concurrency: 2 }, () => {
  const some = gateways.filter(isOfSize);
  assert.ok(some.length >= 16);
  // A limit that was learned holds for a minute, so each has a service that knows none.
  for (const gateway of oneInTurn(some, 'limits of batches')) {
    test(`through a gateway that refuses ${gateway.name}`, async (t) => {
      const s = await startPaying(t);
      await payThrough(s, gateway);
      await proveAll(s);
    });
  }
});
