import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedLookups } from '../../src/db/shared-lookups.ts';
import { refundRequest } from '../../src/features/payments/refund-request.ts';
import { cancelRequest } from '../../src/features/requests/cancel-request.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { idempotencyKey } from '../../src/idempotency/keys.ts';
import type { Service } from '../../src/service/service.ts';
import { newPayment } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { asApp, asUser } from '../kit/unit/callers.ts';

/** The service, which can no longer read requests outside a transaction. */
function forgetful(service: Service): Service {
  const { db } = service;
  const query: typeof db.query = (text, values) =>
    / FROM (ONLY )?requests\b/.test(text)
      ? Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))
      : db.query(text, values);
  return { ...service, db: { ...db, query, ...sharedLookups({ query }) } };
}

test('a committed change whose result cannot be read is answered as unknown, and stays', async (t) => {
  const s = await sharedService(t);
  const { service } = s;
  const game = await s.createApp();
  const unknown = { name: 'Problem', code: 'outcome-unknown' };
  const guest = await s.createGuest(game);
  const requestsOf = async () =>
    (await service.db.query('SELECT FROM requests WHERE user_id = $1', [guest.userId])).length;

  await t.test('a created request that cannot be read again is outcome-unknown', async () => {
    const idempotency = idempotencyKey(['afterwards'], 'asked', '');
    const input = { tokens: 1, appId: game.id, idempotency };
    const ask = () => createRequest(forgetful(service), asUser(guest.userId, game.id), input);
    // A new request is answered from what was stored; one from an earlier call has to be read.
    assert.equal((await ask()).status, 'pending');
    await assert.rejects(ask(), unknown);
    assert.equal(await requestsOf(), 1);
  });

  await t.test('cancelling a request that cannot be read afterwards is outcome-unknown', async () => {
    const { id } = await newPayment(s, game, { guest });
    await assert.rejects(cancelRequest(forgetful(service), asApp(game.id), id, undefined), unknown);
    const [request] = await service.db.query<{ status: string }>('SELECT status FROM requests WHERE id = $1', [id]);
    assert.equal(request?.status, 'cancelled');
  });

  await t.test('a refund that cannot be read again is outcome-unknown', async () => {
    const { id, decide } = await newPayment(s, game, { guest });
    await s.issue(guest.userId, 100);
    await decide({ decision: 'approve' });
    await s.settled();
    const idempotency = idempotencyKey(['refund'], 'k', '');
    const refund = (on: Service) => refundRequest(on, asApp(game.id), { requestId: id, amount: 1, idempotency });
    const { requestId } = await refund(service);
    await assert.rejects(refund(forgetful(service)), unknown);
    assert.deepEqual({ ...(await refund(service)) }, { ...(await refund(service)), requestId, replayed: true });
  });
});
