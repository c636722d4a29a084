import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, truncate, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { privateKeyToAccount } from 'viem/accounts';
import { startEmbeddedChain } from '../../local/anvil/anvil.ts';
import { nodePlaces } from '../../local/anvil/guard.ts';
import { anvilBinary, startNode } from '../../local/anvil/node.ts';
import { connectRpc, type Rpc } from '../../src/chain/rpc.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';

const sender = privateKeyToAccount(`0x${'17'.repeat(32)}`);
const counter = '0x00000000000000000000000000000000000000cc';
// Adds one to slot 0, logs it and returns it.
const counterCode = '0x600054600101806000556000526020600' + '0a060206000f3';

/** Between two blocks. */
const LEAST_MS_APART = 200;

type Block = { hash: string; number: string; timestamp: string; baseFeePerGas: string; transactions: string[] };

async function start(t: TestContext, dataDir: string, depth = 1, finalAfter: number | 'auto' = 0) {
  const messages: string[] = [];
  const chain = await startEmbeddedChain({ dataDir, depth, finalAfter, log: (message) => messages.push(message) });
  t.after(() => chain.stop());
  const rpc = connectRpc([chain.url]);
  await rpc.call('anvil_setBalance', [sender.address, '0xde0b6b3a7640000']);
  return { chain, messages, rpc };
}

const signed = (nonce: number) =>
  sender.signTransaction({
    chainId: 31337,
    nonce,
    to: counter,
    gas: 100_000n,
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 1n,
  });

const count = async (rpc: Rpc, nonce: number): Promise<Block> =>
  minedIn(rpc, await rpc.call<string>('eth_sendRawTransaction', [await signed(nonce)]));

/** Asks for the receipt, because the node shows what a block did, as nonces, a moment before the block itself. */
async function minedIn(rpc: Rpc, hash: string): Promise<Block> {
  let blockHash = '';
  await until('it is mined', async () => {
    const receipt = await rpc.call<{ blockHash: string } | null>('eth_getTransactionReceipt', [hash]);
    blockHash = receipt?.blockHash ?? '';
    return receipt !== null;
  });
  return rpc.call<Block>('eth_getBlockByHash', [blockHash, false]);
}

const block = (rpc: Rpc, number: string) => rpc.call<Block>('eth_getBlockByNumber', [number, false]);

test('after a restart, old blocks answer as before, nonces from the block that counts on, and time moves on', async (t) => {
  const dataDir = await scratchFolder(t);
  const first = await start(t, dataDir);
  assert.equal(first.chain.restoredBlock, 0);
  await first.rpc.call('anvil_setCode', [counter, counterCode]);
  const blocks = [];
  const before = Math.floor(Date.now() / 1000);
  for (let nonce = 0; nonce < 3; nonce++) blocks.push(await count(first.rpc, nonce));
  const timestamp = Number(blocks[0]!.timestamp);
  assert.ok(timestamp >= before && timestamp < Date.now() / 1000 + 30, 'blocks carry the time of the clock');
  await first.chain.stop();

  const depth = 3;
  const second = await start(t, dataDir, depth);
  assert.equal(second.chain.restoredBlock, 3);
  assert.deepEqual(second.messages, []);
  for (const { hash, number, transactions } of blocks) {
    assert.equal((await block(second.rpc, number)).hash, hash);
    assert.equal((await second.rpc.call<unknown[]>('eth_getLogs', [{ blockHash: hash }])).length, 1);
    const receipt = await second.rpc.call<{ status: string }>('eth_getTransactionReceipt', [transactions[0]]);
    assert.equal(receipt.status, '0x1');
  }
  const head = async () => Number(await second.rpc.call('eth_blockNumber', []));
  await until('the restored block counts', async () => (await head()) === 3 + depth - 1);
  assert.equal(Number(await second.rpc.call('eth_getTransactionCount', [sender.address, '0x3'])), 3);
  assert.equal(Number(await second.rpc.call('eth_call', [{ to: counter, data: '0x' }, '0x3'])), 4);
  const next = await count(second.rpc, 3);
  assert.ok(Number(next.timestamp) >= Number(blocks[2]!.timestamp));
  const fee = Number(next.baseFeePerGas) / Number(blocks[2]!.baseFeePerGas);
  assert.ok(Math.abs(fee - 0.875 ** depth) < 0.001, 'fees go on');
});

test('a truncated state falls back to the older one, and two broken ones to the same first block', async (t) => {
  const dataDir = await scratchFolder(t);
  const states = join(dataDir, 'chain', 'states');
  const names = async () => (await readdir(states)).filter((name) => /^\d/.test(name)).sort();
  let genesis = '';
  for (const nonce of [0, 1, 2]) {
    const { chain, rpc } = await start(t, dataDir);
    genesis = (await block(rpc, '0x0')).hash;
    await count(rpc, nonce);
    await chain.stop();
  }
  assert.equal((await names()).length, 2, 'two are kept');

  await truncate(join(states, (await names())[1]!), 700);
  await writeFile(join(states, '0000000009.part'), 'half of it');
  const older = await start(t, dataDir);
  assert.equal(older.chain.restoredBlock, 2);
  assert.match(older.messages.join(), /cannot be used \(its checksum does not fit\)/);
  await count(older.rpc, 2);
  await older.chain.stop();

  for (const name of await names()) await writeFile(join(states, name), 'nothing');
  const anew = await start(t, dataDir);
  assert.equal(anew.chain.restoredBlock, 0);
  assert.match(anew.messages.join(), /starts again from its first block/);
  assert.equal((await block(anew.rpc, '0x0')).hash, genesis);
  assert.equal((await count(anew.rpc, 0)).number, '0x1');
});

test('a burst of transactions shares blocks in any order of arrival, and an idle chain makes none', async (t) => {
  const { rpc } = await start(t, await scratchFolder(t));
  await rpc.call('anvil_setCode', [counter, counterCode]);
  const raw = await Promise.all(Array.from({ length: 300 }, (_, nonce) => signed(nonce)));
  const began = performance.now();
  const [last] = await Promise.all(raw.reverse().map((bytes) => rpc.call<string>('eth_sendRawTransaction', [bytes])));
  const head = Number((await minedIn(rpc, last!)).number);
  // However long a busy machine took.
  const most = Math.ceil((performance.now() - began) / LEAST_MS_APART) + 1;
  assert.ok(head <= most, `${head} blocks`);
  // Each block comes with the next look at the pool; looks without a block would have shown in between.
  for (const nth of [1, 2, 3]) {
    assert.equal(
      Number((await count(rpc, raw.length + nth - 1)).number),
      head + nth,
      'no block was made without transactions',
    );
  }
});

test('an idle chain mines on until what was mined is final, as far as the service follows', async (t) => {
  const dataDir = await scratchFolder(t);
  const { chain, rpc } = await start(t, dataDir, 1, 'auto');
  const head = async () => BigInt(await rpc.call<string>('eth_blockNumber', []));
  let posted = 0n;
  chain.followedBy(async () => posted);
  const mined = BigInt((await count(rpc, 0)).number);
  // Two looks at the pool later: without the service nothing follows.
  const second = BigInt((await count(rpc, 1)).number);
  assert.equal(second, mined + 1n);
  const isFinal = async () => BigInt((await block(rpc, 'finalized')).number) >= second;
  await until('it is final', async () => {
    posted = await head();
    return isFinal();
  });
  const end = await head();
  // The next look at the pool shows that no more blocks come: the one after it is this transaction's.
  posted = end;
  assert.equal(BigInt((await count(rpc, 2)).number), end + 1n);
  const receipt = await rpc.call<object | null>('eth_getBlockReceipts', [`0x${second.toString(16)}`]);
  assert.equal((receipt as unknown[]).length, 1, 'what has become final still has its receipts');
});

test('the node keeps the logs that a service behind it needs, and the states at which nonces are read', async (t) => {
  const { rpc } = await start(t, await scratchFolder(t));
  await rpc.call('anvil_setCode', [counter, counterCode]);
  const mine = async (blocks: number) => {
    for (let i = 0; i < blocks; i++) await rpc.call('evm_mine', []);
  };
  await mine(1);
  const { hash, number } = await count(rpc, 0);
  await mine(6);
  assert.equal((await rpc.call<unknown[]>('eth_getLogs', [{ blockHash: hash }])).length, 1);
  await mine(32 + 1 - 6);
  assert.equal(Number(await rpc.call('eth_getTransactionCount', [sender.address, number])), 1);
});

/** The status of a call as a browser or a program sends it. */
async function statusOf(url: string, headers: Record<string, string>, method = 'POST'): Promise<number | undefined> {
  const sent = request(url, { method, headers, agent: false });
  sent.end(method === 'POST' ? '{"jsonrpc":"2.0","id":1,"method":"anvil_reset","params":[]}' : undefined);
  const answer = await new Promise<number | undefined>((resolve, reject) => {
    sent.once('response', ({ statusCode }) => resolve(statusCode));
    sent.once('upgrade', () => resolve(101));
    sent.once('error', reject);
  });
  sent.destroy();
  return answer;
}

test('no page can drive the node, neither by its guard nor directly, and a taken port is passed over', async (t) => {
  const places = nodePlaces();
  for (const { host, port } of places) {
    // The list of the Fetch standard that browsers have, too.
    const refused = await fetch(`http://${host}:${port}`).catch(({ cause }: Error) => (cause as Error).message);
    assert.equal(refused, 'bad port');
  }
  const taken = createServer().listen(places[0]);
  t.after(() => taken.close());
  await once(taken, 'listening');
  const node = await startNode(anvilBinary(), await scratchFolder(t), [], 0, undefined, undefined, places);
  t.after(() => node.child.stop());

  const json = { 'content-type': 'application/json' };
  const { port } = new URL(node.url);
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  for (const headers of [
    { ...json, origin: 'https://evil.example' },
    { ...json, origin: 'null' },
    { 'content-type': 'text/plain', origin: 'https://evil.example' },
    { ...json, host: `evil.example:${port}` },
    { ...json, host: '127.0.0.1' },
  ]) {
    assert.equal(await statusOf(node.url, headers), 403, JSON.stringify(headers));
  }
  for (const headers of [upgrade, { ...upgrade, origin: 'https://evil.example' }]) {
    assert.equal(await statusOf(node.url, headers, 'GET'), 403);
  }
  assert.equal(await connectRpc([node.url]).call('eth_chainId', []), '0x7a69');
  assert.equal(await statusOf(node.url, { ...json, host: `localhost:${port}` }), 200);
});
