import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshEmulator, newGame, type TestEmulator, taken } from './kit.ts';

async function world() {
  const emulator = await freshEmulator();
  const game = await newGame(emulator);
  const guest = await game.newPlayer();
  /** The player pays; the request, and the transaction that pays it. */
  const pay = async (quarters: number) => {
    const request = await game.ask(guest, quarters);
    const { txId } = await game.act(guest, 'approve', { request });
    return { request, txId: txId as string };
  };
  const chain = (act: string, body?: object) => emulator.call('POST', `/chain/${act}`, body);
  return { emulator, game, guest, pay, chain };
}

const blockOf = async ({ call }: TestEmulator): Promise<number> => (await call('GET', '/state')).block;

test('with blocks by hand a payment waits for the block, and its page says so', async () => {
  const { emulator, game, guest, pay, chain } = await world();
  await chain('blocks', { mode: 'manual' });
  const { request } = await pay(100);
  const page = `${emulator.url}/requests/${request}?${new URLSearchParams({ firebase_token: guest.pageToken! })}`;
  const progress = async () => /data-status="(\w+)"/.exec(await (await fetch(page)).text())?.[1];
  const block = await blockOf(emulator);
  assert.deepEqual([await game.events(request), await progress()], [['request.approved'], 'submitted']);
  await chain('mine', { blocks: 3 });
  assert.equal(await blockOf(emulator), block + 3);
  assert.deepEqual([await game.status(request), await progress()], ['completed', 'completed']);
  const refused = await emulator.refused('POST', '/players', { app: game.id, quarters: 1 });
  assert.match(refused.message, /Blocks are made by hand/);
  assert.equal((await game.newPlayer({ quarters: 0 })).kind, 'guest');
});

test('blocks come in the pace that was asked for', async () => {
  const { game, pay, chain } = await world();
  await chain('blocks', { mode: 600_000 });
  const { request } = await pay(100);
  assert.notEqual(await game.status(request), 'completed');
  // Whoever waits for something to arrive gets the next block early.
  const other = await game.newPlayer({ quarters: 7 });
  assert.equal(await game.quarters(other), 7);
  assert.equal(await game.status(request), 'completed');
});

test('a payment that a reorganisation leaves out is taken back, and paid again by the same transaction', async () => {
  const { emulator, game, guest, pay, chain } = await world();
  const { request, txId } = await pay(100);
  await emulator.call('POST', '/settle');
  assert.equal(await game.status(request), 'completed');
  await chain('blocks', { mode: 'manual' });
  await chain('reorganize', { depth: 1, without: [txId] });
  assert.equal(await game.status(request), 'submitted');
  const before = ['request.approved', 'request.completed', 'request.reorged'];
  assert.deepEqual(await game.events(request), before);
  await chain('mine');
  assert.deepEqual(
    [await game.status(request), await game.events(request), await game.quarters(guest)],
    ['completed', [...before, 'request.completed'], 400],
  );
  assert.equal(taken(await game.server(`/requests/${request}`)).txId, txId);
});

test('a reorganisation mines all again that is not left out, in other blocks', async () => {
  const { emulator, game, guest, pay, chain } = await world();
  const { request } = await pay(100);
  await emulator.call('POST', '/settle');
  const block = await blockOf(emulator);
  await chain('reorganize', { depth: 2 });
  assert.equal(await blockOf(emulator), block);
  assert.deepEqual([await game.status(request), await game.quarters(guest)], ['completed', 400]);
  assert.deepEqual(await game.events(request), [
    'request.approved',
    'request.completed',
    'request.reorged',
    'request.completed',
  ]);
});

test('a reorganisation of what is not there is refused', async () => {
  const { emulator, pay } = await world();
  const { txId } = await pay(1);
  await emulator.call('POST', '/settle');
  const refused = (body: object) => emulator.refused('POST', '/chain/reorganize', body);
  assert.match((await refused({ depth: 10_000 })).message, /up to \d+ blocks/);
  assert.match(
    (await refused({ depth: 1, without: [txId.replace(/.$/, (end) => (end === '0' ? '1' : '0'))] })).message,
    /no transaction/,
  );
  assert.equal((await refused({ depth: 0 })).status, 400);
});

test('fees stay as they were set, and payments wait while they are above what the service may offer', async () => {
  const { emulator, game, pay, chain } = await world();
  await chain('fees', { gwei: 5_000 });
  const { request } = await pay(1);
  await chain('mine', { blocks: 2 });
  assert.equal(await game.status(request), 'approved');
  await chain('fees', { gwei: 30 });
  await emulator.call('POST', '/settle');
  assert.equal(await game.status(request), 'completed');
});

test('while the chain is down payments are taken, and go on when it is up again', async () => {
  const { emulator, game, pay, chain } = await world();
  await chain('down');
  const { request } = await pay(100);
  assert.deepEqual([await game.status(request), await game.events(request)], ['approved', ['request.approved']]);
  for (const [path, body] of [
    ['/players', { app: game.id, quarters: 1 }],
    ['/apps', {}],
    ['/settle', undefined],
    ['/snapshots', { name: 'down' }],
    ['/chain/reorganize', { depth: 1 }],
  ] as const) {
    const { status, message } = await emulator.refused('POST', path, body);
    assert.deepEqual([path, status, /chain is down/.test(message)], [path, 409, true]);
  }
  await chain('up');
  await emulator.call('POST', '/settle');
  assert.equal(await game.status(request), 'completed');
});

test('a reset brings back blocks, fees and the chain', async () => {
  const { emulator, chain } = await world();
  await chain('fees', { gwei: 5_000 });
  await chain('blocks', { mode: 'manual' });
  await chain('down');
  await emulator.call('POST', '/reset');
  const { blocks } = await emulator.call('GET', '/state');
  assert.equal(blocks, 'instant');
  const game = await newGame(emulator);
  assert.equal(await game.quarters(await game.newPlayer({ quarters: 9 })), 9);
});
