import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { idempotencyKey } from '../../src/idempotency/keys.ts';
import { startSecondService } from '../kit/service/second-service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { asApp, asUser } from '../kit/unit/callers.ts';
import { refusalsOf } from '../kit/unit/refusals.ts';

test('as many requests wait for a user as allowed, created by two processes at once', async (t) => {
  const most = 7;
  const s = await sharedService(t, { env: { MAX_PENDING_REQUESTS: `${most}` } });
  const processes = [s.service, (await startSecondService(t, s)).service];
  const app = await s.createApp();
  const guests = [await s.createGuest(app), await s.createGuest(app)];
  const input = { tokens: 10, appId: app.id };
  const calls = Array.from({ length: most * 8 }, (_, i) =>
    createRequest(processes[(i >> 1) % 2]!, asUser(guests[i % 2]!.userId, app.id), input),
  );
  const results = await Promise.allSettled(calls);
  assert.deepEqual(refusalsOf(results), Array(most * 6).fill('limit-reached'));
  for (const { userId } of guests) {
    const rows = await s.service.db.query('SELECT FROM pending_requests WHERE user_id = $1', [userId]);
    assert.equal(rows.length, most);
  }
});

test('of equal calls in one group one creates a request, and a call with another body is refused', async (t) => {
  const s = await sharedService(t);
  const app = await s.createApp();
  const { userId } = await s.createGuest(app);
  const input = { tokens: 10, appId: app.id };
  const ask = (body: string) =>
    createRequest(s.service, asUser(userId, app.id), {
      ...input,
      idempotency: idempotencyKey([app.id], 'order 1', body),
    });
  const results = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => ask(`${i % 5 === 4}`)));
  assert.deepEqual(refusalsOf(results), Array(10).fill('idempotency-mismatch'));
  const views = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  assert.equal(views.filter(({ replayed }) => !replayed).length, 1);
  assert.deepEqual(await s.service.db.query('SELECT id FROM requests WHERE user_id = $1', [userId]), [
    { id: views[0]!.id },
  ]);
  assert.equal(new Set(views.map(({ id }) => id)).size, 1);
});

test('of equal calls in one group that are refused, each is decided by itself', async (t) => {
  const s = await sharedService(t);
  const app = await s.createApp();
  const { userId } = await s.createGuest(app);
  const idempotency = idempotencyKey([app.id], 'order 1', '');
  const input = { tokens: 10, appId: app.id, userId, idempotency };
  // No such key is stored, which counts as revoked.
  const [refused, made, replayed] = await Promise.allSettled([
    createRequest(s.service, asApp(app.id), input),
    createRequest(s.service, asUser(userId, app.id), input),
    createRequest(s.service, asUser(userId, app.id), input),
  ]);
  assert.deepEqual(refusalsOf([refused]), ['token-invalid']);
  assert.ok(made.status === 'fulfilled' && !made.value.replayed);
  assert.ok(replayed.status === 'fulfilled' && replayed.value.replayed && replayed.value.id === made.value.id);
});
