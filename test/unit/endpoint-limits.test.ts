import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { USED } from '../../src/chain/block-replies.ts';
import { connectRpc } from '../../src/chain/rpc.ts';
import { readShownAuthorizations } from '../../src/chain/token-logs.ts';

// What providers say was read in issue threads and in the tests of other clients; each is one line below.

const TOKEN = asAddress(`0x${'7'.repeat(40)}`);
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;

type Call = { id: number; method: string; params: [{ fromBlock: string; toBlock: string }] };
type Refusal = { status?: number; headers?: Record<string, string>; error?: object; text?: string };

/** A provider that refuses what `refuses` says, in the words of `refusal`, and has a used authorization in each hundredth block. */
async function startProvider(t: TestContext, refusal: Refusal, refuses: (blocks: bigint) => boolean) {
  const asked: bigint[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => {
      body += data;
    });
    request.on('end', () => {
      const [{ id, params }] = [JSON.parse(body)].flat() as [Call];
      const from = BigInt(params[0]?.fromBlock ?? 0);
      const blocks = BigInt(params[0]?.toBlock ?? 0) - from + 1n;
      asked.push(blocks);
      const isRefused = refuses(blocks);
      const reply = isRefused ? { error: refusal.error } : { result: logsOf(from, blocks) };
      const status = isRefused ? (refusal.status ?? 200) : 200;
      response.writeHead(status, { 'content-type': 'application/json', ...(isRefused && refusal.headers) });
      response.end(
        isRefused && refusal.text !== undefined ? refusal.text : JSON.stringify([{ jsonrpc: '2.0', id, ...reply }]),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { asked, rpc: connectRpc([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]) };
}

function logsOf(from: bigint, blocks: bigint): object[] {
  return Array.from({ length: Number(blocks) }, (_, i) => from + BigInt(i))
    .filter((block) => block % 100n === 0n)
    .map((block) => ({
      logIndex: '0x0',
      transactionHash: word(block),
      blockHash: word(block),
      blockNumber: `0x${block.toString(16)}`,
      topics: [USED, word(1n), word(block)],
      data: '0x',
    }));
}

async function blocksShown(rpc: Parameters<typeof readShownAuthorizations>[0], last: bigint): Promise<bigint[]> {
  const blocks: bigint[] = [];
  for await (const shown of readShownAuthorizations(rpc, TOKEN, 1n, last))
    blocks.push(...shown.map(({ block }) => block));
  return blocks;
}

test('logs are read from a provider that limits ranges, in whatever words it does', async (t) => {
  const range = 'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.';
  for (const [provider, refusal, limit] of [
    ['Alchemy', { status: 400, error: { code: -32600, message: range } }, 10n],
    [
      'Alchemy, results',
      { error: { code: -32602, message: 'Log response size exceeded. Please reduce query block range.' } },
      500n,
    ],
    [
      'Infura',
      {
        error: {
          code: -32005,
          message: 'query returned more than 10000 results. Try with this block range [0xCB3D, 0x7B737].',
        },
      },
      999n,
    ],
    ['Infura, range', { error: { code: -32602, message: 'range 1000000 exceeds limit of 10000' } }, 999n],
    ['QuickNode', { status: 413, error: { code: -32614, message: 'eth_getLogs is limited to a 100 range' } }, 100n],
    [
      'Tenderly',
      {
        error: {
          code: -32602,
          message: 'invalid params',
          data: { payload: 'range 9009594 is bigger than range limit 2000' },
        },
      },
      300n,
    ],
    ['PublicNode', { error: { code: -32701, message: 'exceed maximum block range: 50000' } }, 700n],
    [
      'dRPC',
      { status: 400, error: { code: 35, message: 'ranges over 10000 blocks are not supported on freetier' } },
      700n,
    ],
    ['BNB', { error: { code: -32005, message: 'limit exceeded' } }, 700n],
    [
      'Avalanche',
      { error: { code: -32000, message: 'requested too many blocks from 0 to 16777216, maximum is set to 2048' } },
      48n,
    ],
    ['a node that times out', { status: 504, text: '<h1>Gateway timeout</h1>' }, 300n],
    ['a node with query timeouts', { status: 500, error: { code: -32002, message: 'request timed out' } }, 30n],
  ] as const) {
    const { asked, rpc } = await startProvider(t, refusal, (blocks) => blocks > limit);
    assert.deepEqual(
      await blocksShown(rpc, 1_000n),
      [100n, 200n, 300n, 400n, 500n, 600n, 700n, 800n, 900n, 1_000n],
      provider,
    );
    assert.ok(asked.filter((blocks) => blocks > limit).length <= 8, `${provider}: what was refused is not tried again`);
  }
});

test('a provider that limits our rate is asked later, not for less, in whatever words it does', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  for (const [provider, refusal] of [
    ['any', { status: 429, text: 'Too many requests', headers: { 'retry-after': '0' } }],
    [
      'Infura',
      {
        status: 429,
        error: { code: -32005, message: 'exceeded project rate limit', data: { rate: { backoff_seconds: 1 } } },
      },
    ],
    ['Infura, daily', { error: { code: -32005, message: 'daily request count exceeded, request rate limited' } }],
    ['Alchemy', { error: { code: 429, message: 'Your app has exceeded its compute units per second capacity.' } }],
    ['QuickNode', { error: { code: -32007, message: '50/second request limit reached - reduce calls per second' } }],
    ['QuickNode, credits', { error: { code: -32012, message: 'credits limited to 6000/sec' } }],
    ['Base', { error: { code: -32016, message: 'over rate limit' } }],
    ['dRPC', { error: { code: 15, message: 'Too many request, try again later' } }],
  ] as const) {
    let isLimited = true;
    const { asked, rpc } = await startProvider(t, refusal, () => isLimited);
    const read = () => rpc.batch([{ method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: '0x64' }] }]);
    assert.equal((await read())[0]!.kind, 'unknown', provider);
    assert.equal(rpc.endpoints.chosen.restMs(), 1_000, provider);
    isLimited = false;
    await read();
    assert.equal(asked.length, 1, `${provider}: it is left alone`);
    now += 1_000;
    assert.deepEqual(await blocksShown(rpc, 100n), [100n], `${provider}: the same call is answered later`);
    assert.deepEqual(asked, [100n, 100n]);
  }
});

test('a limiter is left alone for as long as it says, up to a minute, and sending goes on meanwhile', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  t.mock.method(performance, 'now', () => 0);
  for (const [says, restMs] of [
    ['30', 30_000],
    [new Date(Date.now() + 20_000).toUTCString(), 20_000],
    ['3600', 60_000],
    ['soon', 1_000],
  ] as const) {
    const { asked, rpc } = await startProvider(
      t,
      { status: 429, text: '', headers: { 'retry-after': says } },
      () => true,
    );
    await rpc.batch([{ method: 'eth_chainId', params: [] }]);
    assert.equal(rpc.endpoints.chosen.restMs(), restMs, says);
    for (let i = 0; i < 3; i++) await rpc.batch([{ method: 'eth_sendRawTransaction', params: ['0x02'] }]);
    assert.equal(asked.length, 4);
  }
});

test('a clock that is set back does not prolong the rest', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  let isLimited = true;
  const { rpc } = await startProvider(t, { status: 429, text: '' }, () => isLimited);
  await rpc.batch([{ method: 'eth_chainId', params: [] }]);
  isLimited = false;
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 2 * 3_600_000 });
  assert.equal(rpc.endpoints.chosen.restMs(), 1_000);
  now += 1_000;
  assert.deepEqual(await blocksShown(rpc, 100n), [100n]);
});
