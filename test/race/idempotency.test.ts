import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { asAddress } from '../../src/base/address.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { payoutInstruction } from '../../src/features/payments/pay-user.ts';
import { idempotencyKey } from '../../src/idempotency/keys.ts';
import { lockAccounts } from '../../src/ledger/accounts.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { assertInvalid, assertProblem, call } from '../kit/service/call.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { POSTS } from '../kit/service/posts.ts';
import { startSecondService } from '../kit/service/second-service.ts';
import { startTestService, type TestApp, type TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { asApp } from '../kit/unit/callers.ts';
import { startCuttingProxy } from '../kit/unit/cutting-proxy.ts';

const replayed = ({ headers }: LightMyRequestResponse) => String(headers['idempotent-replayed'] ?? '');
const assertInvalidKey = (answer: LightMyRequestResponse) => assertInvalid(answer, 'header/idempotency-key');

const pay = async (s: TestService, app: TestApp, body: object, key: string) => {
  const response = await s.app.inject({
    method: 'POST',
    url: `/v1/accounts/${app.address}/transfer`,
    headers: { authorization: `Bearer ${app.serverKey}`, 'idempotency-key': key },
    payload: body,
  });
  return { status: response.statusCode, replayed: response.headers['idempotent-replayed'], body: response.json() };
};

/** Every POST of the API: 50 equal calls at once, alternating between two services. */
test('fifty equal concurrent calls have one effect and get one answer', async (t) => {
  const s = await startTestService(t);
  const posts = s.routes.filter(({ url, method }) => url.startsWith('/v1/') && method === 'POST').map(({ url }) => url);
  assert.deepEqual(posts.sort(), Object.keys(POSTS).sort(), 'each POST of the API is tested here');
  const second = await startSecondService(t, s, { works: true });

  for (const [route, prepare] of Object.entries(POSTS)) {
    await t.test(route, async () => {
      const { what, token, body, otherBody, effects } = await prepare(s, await s.createApp({ autoApprove: true }));
      const send = (i: number, sent: object, key = 'order 1') =>
        call(i % 2 === 0 ? s.app : second.app, what, { token, body: sent, headers: { 'idempotency-key': key } });

      const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => send(i, body)));
      const [first, ...others] = answers.sort((a, b) => replayed(a).length - replayed(b).length);
      assert.ok(first);
      assert.ok(first.statusCode < 300, first.body);
      assert.equal(replayed(first), '');
      for (const other of others) {
        assert.deepEqual([replayed(other), other.statusCode, other.body], ['true', first.statusCode, first.body]);
        assert.equal(other.headers.location, first.headers.location);
      }
      assert.equal(await effects(), 1);
      assertProblem(await send(1, otherBody), 422, 'idempotency-mismatch');
      assertInvalidKey(await send(0, body, ''));
      assertInvalidKey(await send(0, body, 'x'.repeat(256)));
      assert.equal(await effects(), 1);
    });
  }
  await s.settled();
  await assertLedgerIsChain(s.service);
});

test('a lost reply to COMMIT answers outcome-unknown, and the same key returns the outcome', async (t) => {
  const s = await sharedService(t);
  const proxy = await startCuttingProxy(s.databaseUrl);
  atEnd(t, () => proxy.close());
  const cut = await startSecondService(t, s, { databaseUrl: proxy.url });
  for (const route of ['/v1/new-guest', '/v1/guests/:id/tokens', '/v1/requests']) {
    await t.test(route, async () => {
      const { what, token, body, effects } = await POSTS[route]!(s, await s.createApp());
      const send = () => call(cut.app, what, { token, body, headers: { 'idempotency-key': 'order 1' } });
      proxy.cutNextCommit();
      assertProblem(await send(), 503, 'outcome-unknown');
      assert.equal(await effects(), 1, 'the database has the effect');
      const again = await send();
      assert.deepEqual([again.statusCode < 300, replayed(again)], [true, 'true'], again.body);
      assert.equal(await effects(), 1);
    });
  }
});

test('a call that times out behind an equal one answers outcome-unknown', async (t) => {
  const s = await sharedService(t);
  const { db } = s.service;
  const app = await s.createApp();
  const { what, token, body, effects } = await POSTS['/v1/guests/:id/tokens']!(s, app);
  const send = () => call(s.app, what, { token, body, headers: { 'idempotency-key': 'order 1' } });
  /** As the server cancels after its time limits. */
  const cancelWaiting = async (where: 'for the key' | 'for the guest') => {
    const [cancelled, ...others] = await db.query(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND (query ~ 'idempotency_keys') = $1`,
      [where === 'for the key'],
    );
    assert.ok(cancelled && others.length === 0);
  };
  const [guest] = await db.query<{ id: string }>('SELECT id FROM users WHERE guest_of = $1', [app.id]);
  const [first] = await db.transaction(async (tx) => {
    await tx.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [guest!.id]);
    const first = send();
    await lockWaitersAre(s.service, 1);
    const second = send();
    await lockWaitersAre(s.service, 2);
    await cancelWaiting('for the key');
    assertProblem(await second, 503, 'outcome-unknown');
    return [first];
  });
  assert.ok((await first).statusCode < 300);
  assert.equal(replayed(await send()), 'true');
  assert.equal(await effects(), 1);

  await db.transaction(async (tx) => {
    await tx.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [guest!.id]);
    const alone = call(s.app, what, { token, body });
    await lockWaitersAre(s.service, 1);
    await cancelWaiting('for the guest');
    assertProblem(await alone, 503, 'database-unavailable');
  });
  assert.equal(await effects(), 1);
});

test('a stored answer with secrets cannot be opened without the caller’s key', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  const answer = await call(s.app, 'POST /v1/new-guest', {
    token: app.serverKey,
    headers: { 'idempotency-key': 'order 1' },
  });
  const [guest] = answer.json<{ access_token: string }[]>();
  const [stored] = await s.service.db.query<{ hash: Buffer; answer: { sealedAnswer: string } }>(
    'SELECT hash, answer FROM idempotency_keys',
  );
  const sealed = Buffer.from(stored!.answer.sealedAnswer, 'base64');
  const context = `answer ${stored!.hash.toString('hex')}`;
  assert.throws(() => s.service.vault.unseal(sealed, context));
  assert.throws(() => s.service.vault.unseal(sealed, context, stored!.hash));
  const { sealingSecret } = idempotencyKey([], 'order 1', '');
  assert.match(s.service.vault.unseal(sealed, context, sealingSecret).toString(), new RegExp(guest!.access_token));
});

test('the same key with another body is refused, also concurrently, and each caller has its own keys', async (t) => {
  const s = await sharedService(t);
  const [app, other] = [await s.createApp(), await s.createApp()];
  await s.issue(app.id, 100);
  await s.issue(other.id, 100);
  const guest = await s.createGuest(app);
  const answers = await Promise.all([1, 2, 1, 2].map((amount) => pay(s, app, { amount, user: guest.userId }, 'k')));
  // Whichever came first, the call equal to it gets the same answer and the two others are refused.
  const paid = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 422);
  assert.deepEqual([paid.length, refused.length], [2, 2]);
  assert.deepEqual(paid[0]?.body, paid[1]?.body);
  assert.equal(refused[0]?.body.code, 'idempotency-mismatch');
  assert.equal((await pay(s, other, { amount: 2, user: guest.userId }, 'k')).status, 200);
});

test('a refused call leaves its key free for another body, even in the same group', async (t) => {
  const s = await sharedService(t);
  const { service } = s;
  const app = await s.createApp();
  await s.issue(app.id, 100);
  const { userId, address } = await s.createGuest(app);
  const from = asAddress(app.address);
  const decide = async (amount: bigint, key: string) => {
    const idempotency = idempotencyKey(['test'], key, `${amount}`);
    const payout = { from, to: { userId, address: asAddress(address) }, amount: asQuarters(amount), idempotency };
    return service.accept(payoutInstruction(service, asApp(app.id), payout)).then(
      () => 'paid',
      (error: { code: string }) => error.code,
    );
  };
  const outcomes = await service.db.transaction(async (tx) => {
    await lockAccounts(tx, [from]);
    const first = decide(1n, 'held up');
    await lockWaitersAre(service, 1);
    // Accepted together, once the first one is.
    return [first, decide(1_000n, 'k'), decide(2n, 'k')];
  });
  assert.deepEqual(await Promise.all(outcomes), ['paid', 'insufficient-quarters', 'paid']);
  // The key belongs to the body that was accepted.
  assert.deepEqual([await decide(2n, 'k'), await decide(3n, 'k')], ['paid', 'idempotency-mismatch']);
});

test('a refusal is not recorded: the same key works once there are quarters', async (t) => {
  const s = await sharedService(t);
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

test('the same call with the address in another case is the same call', async (t) => {
  const s = await sharedService(t);
  const app = await s.createApp();
  await s.issue(app.id, 100);
  const guest = await s.createGuest(app);
  const body = { amount: 5, user: guest.userId };
  const first = await pay(s, app, body, 'k');
  const again = await pay(s, { ...app, address: app.address.toLowerCase() as `0x${string}` }, body, 'k');
  assert.deepEqual([again.status, again.replayed, again.body], [200, 'true', first.body]);
});
