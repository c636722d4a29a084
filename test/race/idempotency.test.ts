import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLedgerIsChain } from '../support/audit.ts';
import { startTestService, type TestApp, type TestService } from '../support/service.ts';

const pay = async (s: TestService, app: TestApp, body: object, key: string) => {
  const response = await s.app.inject({
    method: 'POST',
    url: `/v1/accounts/${app.address}/transfer`,
    headers: { authorization: `Bearer ${app.serverKey}`, 'idempotency-key': key },
    payload: body,
  });
  return { status: response.statusCode, replayed: response.headers['idempotent-replayed'], body: response.json() };
};

test('fifty equal calls at once are one transfer, and all get its answer', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  await s.issue(app.id, 1_000);
  const guest = await s.createGuest(app);
  const body = { amount: 7, user: guest.userId };
  const answers = await Promise.all(Array.from({ length: 50 }, () => pay(s, app, body, 'order 1')));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1);
  assert.equal(answers.filter(({ replayed }) => replayed === 'true').length, 49);
  await s.settled();
  const later = await pay(s, app, { user: guest.userId, amount: 7 }, 'order 1');
  assert.deepEqual([later.status, later.replayed, later.body], [200, 'true', answers[0]?.body]);
  const [count] = await s.service.db.query<{ count: bigint }>('SELECT count(*) FROM requests');
  assert.equal(count?.count, 1n);
  await assertLedgerIsChain(s.service);
});

test('the same key with another body is refused, also at the same moment; another caller has keys of its own', async (t) => {
  const s = await startTestService(t);
  const [app, other] = [await s.createApp(), await s.createApp()];
  await s.issue(app.id, 100);
  await s.issue(other.id, 100);
  const guest = await s.createGuest(app);
  const answers = await Promise.all([1, 2, 1, 2].map((amount) => pay(s, app, { amount, user: guest.userId }, 'k')));
  // Whichever came first, its equal gets the same answer and the two others are refused.
  const paid = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 422);
  assert.deepEqual([paid.length, refused.length], [2, 2]);
  assert.deepEqual(paid[0]?.body, paid[1]?.body);
  assert.equal(refused[0]?.body.code, 'idempotency-mismatch');
  assert.equal((await pay(s, other, { amount: 2, user: guest.userId }, 'k')).status, 200);
});

test('a refusal is not recorded: the same key works once there are quarters', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  const guest = await s.createGuest(app);
  const body = { amount: 50, user: guest.userId };
  assert.equal((await pay(s, app, body, 'k')).status, 402);
  await s.issue(app.id, 50);
  const paid = await pay(s, app, body, 'k');
  assert.deepEqual([paid.status, paid.replayed], [200, undefined]);
  assert.equal((await pay(s, app, body, '')).status, 400);
  assert.equal((await pay(s, app, body, 'x'.repeat(256))).status, 400);
});

test('the same call in another spelling of the address is the same call', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  await s.issue(app.id, 100);
  const guest = await s.createGuest(app);
  const body = { amount: 5, user: guest.userId };
  const first = await pay(s, app, body, 'k');
  const again = await pay(s, { ...app, address: app.address.toLowerCase() as `0x${string}` }, body, 'k');
  assert.deepEqual([again.status, again.replayed, again.body], [200, 'true', first.body]);
});
