import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { asHash } from '../../src/base/hex.ts';
import { connectRpc } from '../../src/chain/rpc.ts';
import { readInclusions } from '../../src/chain/state.ts';
import { sendRawTransactions } from '../../src/chain/transaction.ts';

type Call = { id: number; method: string };

/** An HTTP server that answers each body with the results of `answer` and `status`; null: it cuts the connection. */
async function startNode(
  t: TestContext,
  answer: (calls: Call[]) => unknown,
  status: number | ((calls: Call[]) => number) = 200,
  headers: Record<string, string> = {},
  see: (body: string) => void = () => {},
) {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => {
      body += data;
    });
    request.on('end', () => {
      see(body);
      const calls = [JSON.parse(body)].flat() as Call[];
      const code = typeof status === 'number' ? status : status(calls);
      const says = answer(calls);
      if (says === null) return void response.destroy();
      response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(says));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const refusal = (message: string) => (calls: Call[]) =>
  calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32000, message } }));
const results = (calls: Call[], result: unknown) => calls.map(({ id }) => ({ jsonrpc: '2.0', id, result }));
const raws = (count: number) => Array.from({ length: count }, () => Buffer.from('02', 'hex'));

test('replies are matched by id in any order, and a missing one is unknown', async (t) => {
  const url = await startNode(t, (calls) => results(calls, '0x1').reverse().slice(1));
  const replies = await connectRpc([url]).batch(raws(3).map(() => ({ method: 'eth_chainId', params: [] })));
  assert.deepEqual(
    replies.map(({ kind }) => kind),
    ['result', 'result', 'unknown'],
  );
});

test('a node that limits batches, with one error for all or in the place of the first, gets smaller ones', async (t) => {
  const error = { code: -32600, message: 'batch too large' };
  for (const refuse of [
    () => ({ jsonrpc: '2.0', id: null, error }),
    (calls: Call[]) => [{ jsonrpc: '2.0', id: calls[0]?.id, error }],
  ]) {
    const sizes: number[] = [];
    const url = await startNode(t, (calls) => {
      sizes.push(calls.length);
      return calls.length > 50 ? refuse(calls) : results(calls, '0x1');
    });
    const rpc = connectRpc([url]);
    for (let i = 0; i < 2; i++) {
      const replies = await sendRawTransactions(rpc, raws(64));
      assert.ok(replies.every(({ kind }) => kind === 'accepted'));
    }
    assert.equal(sizes.filter((size) => size > 50).length, 1, 'what was refused once is not tried again');
  }
});

test('a batch is no longer than nodes take, which may refuse it without a word about its size', async (t) => {
  const url = await startNode(t, (calls) => {
    const bytes = JSON.stringify(calls).length;
    return bytes > 2_000_000
      ? { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid request' } }
      : results(calls, '0x1');
  });
  const packed = raws(100).map((raw) => Buffer.alloc(20_000, raw));
  const replies = await sendRawTransactions(connectRpc([url]), packed);
  assert.deepEqual(
    replies.map(({ kind }) => kind),
    packed.map(() => 'accepted'),
  );
});

test('a batch limit is known in every form nodes give it, and believed for a while', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const error = { code: -32600, message: 'Request is too big' };
  for (const [status, body] of [
    [413, { message: 'Request Too Long' }],
    [413, { error: 'Request Entity Too Large' }],
    [413, { jsonrpc: '2.0', id: null, error }],
    [413, ''],
    [400, { message: 'batch size limit exceeded' }],
    [500, { message: 'Batch of more than 3 requests are not allowed', code: 31 }],
    [200, [{ id: null, error: 'batch too large' }]],
    [200, [{ jsonrpc: '2.0', id: null, error }]],
  ] as const) {
    let limit = 3;
    const sizes: number[] = [];
    const url = await startNode(
      t,
      (calls) => {
        sizes.push(calls.length);
        return calls.length > limit ? body : results(calls, '0x1');
      },
      (calls) => (calls.length > limit ? status : 200),
    );
    const rpc = connectRpc([url]);
    const send = async () => {
      sizes.length = 0;
      const replies = await sendRawTransactions(rpc, raws(8));
      assert.ok(replies.every(({ kind }) => kind === 'accepted'));
      return sizes;
    };
    const refusal = `${status} ${JSON.stringify(body)}`;
    assert.deepEqual(await send(), [8, 4, 2, 2, 2, 2], refusal);
    limit = 8;
    assert.deepEqual(await send(), [2, 2, 2, 2], refusal);
    now += 61_000;
    assert.deepEqual(await send(), [8], refusal);
  }
});

test('a batch that gets no usable answer is asked in parts if one call of it does, in whatever form it is refused', async (t) => {
  const LIMIT = 3;
  for (const [what, status, body] of [
    ['a parse error', 200, { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'parse error' } }],
    ['too many requests, that are few', 400, { error: { code: -32000, message: 'too many requests' } }],
    ['a limit without a time', 429, { message: 'Too Many Requests' }],
    ['a firewall', 403, '<html>403 Forbidden</html>'],
    ['nothing', 200, ''],
    ['a cut connection', 0, null],
  ] as const) {
    const sizes: number[] = [];
    const refuses = (calls: Call[]) => calls.length > LIMIT;
    const url = await startNode(
      t,
      (calls) => {
        sizes.push(calls.length);
        return refuses(calls) ? body : results(calls, '0x1');
      },
      (calls) => (refuses(calls) ? status : 200),
    );
    const rpc = connectRpc([url]);
    const replies = await sendRawTransactions(rpc, raws(8));
    assert.ok(
      replies.every(({ kind }) => kind === 'accepted'),
      what,
    );
    assert.deepEqual(sizes, [8, 1, 4, 1, 2, 2, 2, 2], what);
    assert.equal(rpc.endpoints.chosen.restMs(), 0, what);
  }
});

test('a batch that is refused as one call of it is, is not asked in parts', async (t) => {
  for (const [what, status, headers] of [
    ['a limit', 429, {}],
    ['a limit with a time, which is believed at once', 429, { 'retry-after': '1' }],
    ['a broken node', 500, {}],
  ] as const) {
    const sizes: number[] = [];
    const url = await startNode(
      t,
      (calls) => {
        sizes.push(calls.length);
        return {};
      },
      status,
      headers,
    );
    assert.ok((await sendRawTransactions(connectRpc([url]), raws(8))).every(({ kind }) => kind === 'unknown'));
    assert.deepEqual(sizes, 'retry-after' in headers ? [8] : [8, 1], what);
  }
});

test('a call by itself is no batch, and its answer is read in every form', async (t) => {
  const asked: unknown[] = [];
  for (const answer of [
    ([one]: Call[]) => ({ jsonrpc: '2.0', id: one?.id, result: '0x7a69' }),
    ([one]: Call[]) => [{ jsonrpc: '2.0', id: one?.id, result: '0x7a69' }],
    ([one]: Call[]) => ({ jsonrpc: '2.0', id: `${one?.id}`, result: '0x7a69' }),
  ] as ((calls: Call[]) => unknown)[]) {
    const url = await startNode(t, answer, 200, {}, (body) => asked.push(JSON.parse(body)));
    assert.equal(await connectRpc([url]).call('eth_chainId', []), '0x7a69');
  }
  assert.ok(asked.every((body) => !Array.isArray(body)));
});

test('the next endpoint is asked where one does not answer, and a 500 says nothing about what was done', async (t) => {
  const good = await startNode(t, (calls) => results(calls, '0x7a69'));
  const bad = await startNode(t, () => ({}), 500);
  assert.equal(await connectRpc(['http://127.0.0.1:9', bad, good]).call('eth_chainId', []), '0x7a69');
  const [reply] = await connectRpc([bad]).batch([{ method: 'eth_chainId', params: [] }]);
  assert.deepEqual(reply, { kind: 'unknown', reason: 'HTTP 500' });
});

test('the next endpoint is asked where one answers, but none of the calls', async (t) => {
  const error = { code: -32005, message: 'quota exceeded' };
  for (const [status, answer, reason] of [
    [401, () => ({ error: 'invalid api key' }), 'HTTP 401'],
    [402, (calls: Call[]) => calls.map(({ id }) => ({ jsonrpc: '2.0', id, error })), 'HTTP 402'],
    [403, () => ({ message: 'Forbidden' }), 'HTTP 403'],
    [404, () => ({ message: 'Cannot POST /v3/key' }), 'HTTP 404'],
    [200, () => ({}), 'no call was answered'],
    [200, () => [{ jsonrpc: '2.0', id: -7, result: '0x1' }], 'no call was answered'],
    [200, () => ({ jsonrpc: '2.0', id: null, error }), 'quota exceeded'],
  ] as const) {
    const bad = await startNode(t, answer, status);
    const good = await startNode(t, (calls) => results(calls, '0x7a69'));
    assert.equal(await connectRpc([bad, good]).call('eth_chainId', []), '0x7a69');
    for (const count of [1, 3]) {
      for (const reply of await sendRawTransactions(connectRpc([bad, good]), raws(count)))
        assert.equal(reply.kind, 'accepted');
      // It may have been accepted all the same.
      for (const reply of await sendRawTransactions(connectRpc([bad]), raws(count)))
        assert.deepEqual(reply, { kind: 'unknown', reason });
    }
  }
});

test('what may be a key in the address of an endpoint is in no reason', async (t) => {
  const KEY = 'a1b2c3d4e5f6a7b8';
  const says = (calls: Call[]) =>
    calls.map(({ id }) => ({
      jsonrpc: '2.0',
      id,
      error: { code: -32_000, message: `no access to /v3/${KEY}?token=${KEY}` },
    }));
  const url = `${await startNode(t, says)}/v3/${KEY}`;
  const [reply] = await connectRpc([url]).batch([{ method: 'eth_chainId', params: [] }]);
  assert.deepEqual(reply, { kind: 'error', code: -32_000, message: 'no access to /v3/…?token=…', data: undefined });
});

test('a valid reply counts whatever the HTTP status', async (t) => {
  const bad = await startNode(t, refusal('insufficient funds'), 400);
  const good = await startNode(t, (calls) => results(calls, '0x1'));
  const [reply] = await sendRawTransactions(connectRpc([bad, good]), raws(1));
  assert.deepEqual(reply, { kind: 'rejected', reason: 'insufficient funds', fault: 'no-funds' });
});

test('the errors of nodes about a raw transaction are distinguished', async (t) => {
  for (const [message, kind, fault] of [
    // geth and reth
    ['already known', 'accepted', undefined],
    ['known transaction: 0x7f657507aee0511e36d2d1972a6b22e917cc89f92b6c12c4dbd57eaabb236960', 'accepted', undefined],
    ['nonce too low', 'nonce-too-low', undefined],
    ['nonce too low: next nonce 5, tx nonce 3', 'nonce-too-low', undefined],
    ['nonce too high', 'rejected', undefined],
    ['replacement transaction underpriced', 'rejected', 'underpriced'],
    ['transaction underpriced: gas tip cap 1, minimum needed 2', 'rejected', 'fee-too-low'],
    ['transaction gas price below minimum: gas tip cap 1, minimum needed 2', 'rejected', 'fee-too-low'],
    ['transaction priority fee below minimum required priority fee 2', 'rejected', 'fee-too-low'],
    ['max fee per gas less than block base fee', 'rejected', 'fee-too-low'],
    ['max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 2', 'rejected', 'fee-too-low'],
    ['exceeds block gas limit', 'rejected', 'gas-too-high'],
    ['transaction gas limit too high (cap: 16777216, tx: 20000000)', 'rejected', 'gas-too-high'],
    ['intrinsic gas too low: gas 20000, minimum needed 21000', 'rejected', 'gas-too-low'],
    ['insufficient funds for gas * price + value: balance 0, tx cost 1, overshot 1', 'rejected', 'no-funds'],
    ['txpool is full', 'rejected', undefined],
    ['unknown transaction type', 'rejected', undefined],
    // Erigon
    ['ALREADY_EXISTS: already known', 'accepted', undefined],
    ['INTERNAL_ERROR: existing tx with same hash', 'accepted', undefined],
    ['mined', 'nonce-too-low', undefined],
    ['INTERNAL_ERROR: could not replace existing tx', 'rejected', 'underpriced'],
    ['fee too low', 'rejected', 'fee-too-low'],
    ['IntrinsicGas', 'rejected', 'gas-too-low'],
    ['pending sub-pool is full', 'rejected', undefined],
    // Nethermind
    ['AlreadyKnown', 'accepted', undefined],
    ['OldNonce, Current nonce: 4', 'nonce-too-low', undefined],
    ['NonceGap, Future nonce. Expected nonce: 10', 'rejected', undefined],
    ['FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 50, BaseFee: 100', 'rejected', 'fee-too-low'],
    ['FeeTooLowToCompete', 'rejected', 'fee-too-low'],
    ['ReplacementNotAllowed', 'rejected', 'underpriced'],
    ['GasLimitExceeded, Gas limit: 100, gas limit of rejected tx: 200', 'rejected', 'gas-too-high'],
    ['InsufficientFunds, Account balance: 4, cumulative cost: 5', 'rejected', 'no-funds'],
    // Besu
    ['Known transaction', 'accepted', undefined],
    ['Nonce too low', 'nonce-too-low', undefined],
    ['Replacement transaction underpriced', 'rejected', 'underpriced'],
    ['Gas price below configured minimum gas price', 'rejected', 'fee-too-low'],
    ['Gas price below current base fee', 'rejected', 'fee-too-low'],
    ['Transaction gas limit exceeds block gas limit', 'rejected', 'gas-too-high'],
    ['Intrinsic gas exceeds gas limit', 'rejected', 'gas-too-low'],
    ['Upfront cost exceeds account balance', 'rejected', 'no-funds'],
    // anvil
    ['transaction already imported', 'accepted', undefined],
    // Hardhat's EDR, as read from it
    ['Known transaction: 0x2c9d', 'accepted', undefined],
    ['Nonce too low. Expected nonce to be 5 but got 3.', 'nonce-too-low', undefined],
    [
      'Replacement transaction underpriced. A gasPrice/maxFeePerGas of at least 2 is necessary',
      'rejected',
      'underpriced',
    ],
    [
      'Transaction maxFeePerGas (1) is too low for the next block, which has a baseFeePerGas of 2',
      'rejected',
      'fee-too-low',
    ],
    ['Transaction gas limit is 60000001 and exceeds block gas limit of 60000000', 'rejected', 'gas-too-high'],
    ['Transaction requires at least 21560 gas but got 21000', 'rejected', 'gas-too-low'],
    // others
    ['tx already exists in cache', 'accepted', undefined],
    ['known transaction. transaction with hash 0x6013 is already in the system', 'accepted', undefined],
    ['Nonce too low. Provided nonce: 15, current nonce: 15', 'nonce-too-low', undefined],
    ['transaction already finalized', 'nonce-too-low', undefined],
    ['gas price less than block base fee', 'rejected', 'fee-too-low'],
    ["failed to forward tx to sequencer, please try again. Error message: 'already known'", 'accepted', undefined],
  ] as const) {
    const [reply] = await sendRawTransactions(connectRpc([await startNode(t, refusal(message))]), raws(1));
    assert.deepEqual([reply?.kind, reply?.fault], [kind, fault], message);
  }
});

test('the tip that a refusal asks for is read in the words of each node', async (t) => {
  for (const [message, leastTip] of [
    ['transaction underpriced: tip needed 25000000000, tip permitted 1000000000', 25_000_000_000n],
    [
      'transaction underpriced: tip needed 3000000000, or 1000000 for 48Club NFT holder, tip permitted 1',
      3_000_000_000n,
    ],
    ['transaction underpriced: gas tip cap 1, minimum needed 25000000000', 25_000_000_000n],
    ['transaction gas price below minimum: gas tip cap 1, minimum needed 25000000000', 25_000_000_000n],
    ['transaction gas price below minimum: gas tip cap 1 below minimum needed 25000000000', 25_000_000_000n],
    ['transaction priority fee below minimum required priority fee 20000000000', 20_000_000_000n],
    // No tip is named.
    ['transaction underpriced', undefined],
    ['FeeTooLow', undefined],
    ['Gas price below configured minimum gas price', undefined],
    ['intrinsic gas too low: gas 20000, minimum needed 21000', undefined],
    ['max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 2', undefined],
  ] as const) {
    const [reply] = await sendRawTransactions(connectRpc([await startNode(t, refusal(message))]), raws(1));
    assert.equal(reply?.leastTip, leastTip, message);
  }
});

test('a known transaction in no block is neither lost nor mined', async (t) => {
  const url = await startNode(t, (calls) => results(calls, { blockNumber: null, blockHash: null }));
  const inclusions = await readInclusions(connectRpc([url]), [asHash(`0x${'1'.repeat(64)}`)]);
  assert.deepEqual(inclusions, [{ block: null, blockHash: null, isEmpty: false, revertedAt: null }]);
});

test('a compressed reply is read, and a cut one or a redirection is no answer', async (t) => {
  let reply: 'whole' | 'cut' | 'elsewhere' = 'whole';
  const server = createServer((request, response) => {
    request.resume();
    const zipped = gzipSync('[{"jsonrpc":"2.0","id":1,"result":"0x7a69"}]');
    if (reply === 'elsewhere') return response.writeHead(307, { location: '/other' }).end();
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': zipped.length });
    if (reply === 'whole') return response.end(zipped);
    response.write(zipped.subarray(0, 20), () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = () => connectRpc([url]).batch([{ method: 'eth_chainId', params: [] }]);
  assert.deepEqual(await ask(), [{ kind: 'result', result: '0x7a69' }]);
  reply = 'cut';
  assert.equal((await ask())[0]!.kind, 'unknown');
  reply = 'elsewhere';
  assert.deepEqual(await ask(), [{ kind: 'unknown', reason: 'HTTP 307' }]);
});
