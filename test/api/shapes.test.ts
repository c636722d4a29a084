import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAddress } from 'viem';
import { call } from '../kit/service/call.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { until } from '../kit/unit/until.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TX_HASH = /^0x[0-9a-f]{64}$/;
const REQUEST_FIELDS = [
  'id',
  'tokens',
  'appId',
  'appAddress',
  'embedCode',
  'description',
  'type',
  'endpoint',
  'created',
  'userId',
];

const STATE_FIELDS = [...REQUEST_FIELDS, 'status', 'txId', 'completed', 'refunded', 'refundOf'];

/** Asserts exactly these fields, in this order, and a JSON response that must not be stored. */
function assertShape(answer: Awaited<ReturnType<typeof call>>, status: number, fields: string[]) {
  assert.equal(answer.statusCode, status, answer.body);
  assert.match(String(answer.headers['content-type']), /^application\/json/);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  assert.equal(answer.headers['access-control-allow-origin'], '*');
  const body = answer.json();
  const object = Array.isArray(body) ? body[0] : body;
  if (Array.isArray(body)) assert.equal(body.length, 1);
  assert.deepEqual(Object.keys(object), fields);
  return object;
}

function assertTimestamp(value: { seconds: number; nanoseconds: number; iso: string }) {
  assert.deepEqual(Object.keys(value), ['seconds', 'nanoseconds', 'iso']);
  assert.ok(Number.isInteger(value.seconds) && Number.isInteger(value.nanoseconds));
  assert.match(value.iso, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(Date.parse(value.iso), value.seconds * 1000 + value.nanoseconds / 1e6);
  assert.ok(Math.abs(Date.now() - Date.parse(value.iso)) < 60_000);
}

function assertAddress(address: string) {
  assert.ok(isAddress(address, { strict: true }), address);
  assert.notEqual(address, address.toLowerCase());
}

test('every endpoint answers with the exact documented shape', async (t) => {
  const { app, createApp, issue, settled, service } = await sharedService(t);
  const game = await createApp();
  await issue(game.id, 2_000_000);

  const guest = assertShape(await call(app, 'POST /v1/new-guest', { token: game.serverKey }), 201, [
    'user_id',
    'access_token',
    'firebase_token',
    'address',
  ]);
  const token: string = guest.access_token;
  const address: string = guest.address;

  await t.test('new-guest has the documented shape', async () => {
    const answer = await call(app, 'POST /v1/new-guest', { token: game.serverKey });
    assert.ok(Array.isArray(answer.json()));
    assert.equal(answer.headers.location, undefined);
    assert.match(guest.user_id, /^[A-Za-z0-9]{28}$/);
    assert.match(token, /^qa_[A-Za-z0-9]{43}$/);
    assert.match(guest.firebase_token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
    assertAddress(address);
  });

  await t.test('me has the documented shape', async () => {
    const answer = await call(app, 'GET /v1/me', { token });
    const me = assertShape(answer, 200, ['id', 'userId', 'displayName', 'email', 'emailVerified']);
    assert.ok(!Array.isArray(answer.json()));
    const { displayName, ...rest } = me;
    assert.match(displayName, /^Guest [A-Z0-9]{4}$/);
    assert.deepEqual(rest, { id: guest.user_id, userId: guest.user_id, email: '', emailVerified: false });
  });

  await t.test('accounts has the documented shape', async () => {
    const answer = await call(app, 'GET /v1/accounts', { token });
    const account = assertShape(answer, 200, ['id', 'address', 'created', 'userId']);
    assert.ok(Array.isArray(answer.json()));
    const { created, ...rest } = account;
    assert.match(created, /^[A-Z][a-z]{2,8} [1-9]\d?, \d{4} at (1[0-2]|[1-9]):[0-5]\d:[0-5]\d [AP]M$/);
    assert.deepEqual(rest, { id: address, address, userId: guest.user_id });
  });

  await t.test('transfer has the documented shape', async () => {
    const answer = await call(app, `POST /v1/accounts/${game.address}/transfer`, {
      token: game.serverKey,
      body: { amount: 1_234_567, user: guest.user_id },
    });
    const outcome = assertShape(answer, 200, ['requestId', 'txId']);
    assert.match(outcome.requestId, UUID);
    assert.match(outcome.txId, TX_HASH);
    await settled();
    assert.equal(
      await service.rpc.call('eth_getTransactionReceipt', [outcome.txId]).then((r) => (r as { status: string }).status),
      '0x1',
    );
  });

  await t.test('balance has the documented shape', async () => {
    const fields = ['quarters', 'formattedQuarters', 'ethers', 'formattedEthers'];
    const path = `/v1/accounts/${address}/balance`;
    assert.deepEqual(assertShape(await call(app, `GET ${path}`, { token }), 200, fields), {
      quarters: '1234567',
      formattedQuarters: '1,234,567',
      ethers: '0',
      formattedEthers: '0.00',
    });
    assert.ok(Array.isArray((await call(app, `GET ${path}`, { token })).json()));
    // More wei than 64 bits hold. The last hundredth is incomplete, so it is rounded down.
    await service.rpc.call('anvil_setBalance', [address, `0x${(123_456_789n * 10n ** 16n - 1n).toString(16)}`]);
    // Ether is read again with the next block.
    await service.rpc.call('evm_mine', []);
    const read = async () =>
      assertShape(await call(app, `GET ${path.replace(address, address.toLowerCase())}`, { token }), 200, fields);
    await until('the ether is there', async () => (await read()).ethers === '1234567889999999999999999');
    const balance = await read();
    assert.equal(balance.formattedEthers, '1,234,567.88');
    const own = await call(app, `GET /v1/accounts/${game.address}/balance`, { token: game.serverKey });
    assert.equal(assertShape(own, 200, fields).quarters, '765433');
  });

  await t.test('rewards has the documented shape', async () => {
    const answer = await call(app, `GET /v1/accounts/${address}/rewards`, { token });
    assert.ok(Array.isArray(answer.json()));
    assert.deepEqual(assertShape(answer, 200, ['rewardAmount', 'rewardAmountFormatted']), {
      rewardAmount: '0',
      rewardAmountFormatted: '0',
    });
  });

  await t.test('requests has the documented shape', async () => {
    const body = { tokens: 60, appId: game.id, description: 'A <b>sword</b> ⚔ & "shield"' };
    const answer = await call(app, 'POST /v1/requests', { token, body });
    const request = assertShape(answer, 201, REQUEST_FIELDS);
    assert.ok(!Array.isArray(answer.json()));
    const { id, created, ...rest } = request;
    assert.match(id, UUID);
    assertTimestamp(created);
    assertAddress(request.appAddress);
    assert.deepEqual(rest, {
      tokens: 60,
      appId: game.id,
      appAddress: game.address,
      embedCode: id,
      description: body.description,
      type: 'transfer',
      endpoint: `/v1/requests/${id}`,
      userId: guest.user_id,
    });
    assert.equal(answer.headers.location, request.endpoint);

    const bare = await call(app, 'POST /v1/requests', { token, body: { tokens: 1, appId: game.id } });
    assert.equal(assertShape(bare, 201, REQUEST_FIELDS).description, '');

    for (const credential of [token, game.serverKey]) {
      const read = await call(app, `GET ${request.endpoint.replace(id, id.toUpperCase())}`, { token: credential });
      const state = assertShape(read, 200, STATE_FIELDS);
      assert.deepEqual(state, {
        ...request,
        status: 'pending',
        txId: null,
        completed: null,
        refunded: 0,
        refundOf: null,
      });
    }
  });

  await t.test('a paid request has the documented shape', async () => {
    const body = { amount: 5, address };
    const paid = await call(app, `POST /v1/accounts/${game.address}/transfer`, { token: game.serverKey, body });
    await settled();
    const read = await call(app, `GET /v1/requests/${paid.json().requestId}`, { token });
    const request = assertShape(read, 200, STATE_FIELDS);
    assert.equal(request.status, 'completed');
    assert.equal(request.txId, paid.json().txId);
    assert.equal(request.tokens, 5);
    assert.equal(request.appAddress, game.address);
    assertTimestamp(request.completed);
  });
});
