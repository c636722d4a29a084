import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRequestId } from '../../src/base/ids.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { assertInvalid, assertProblem, call } from '../kit/service/call.ts';
import { fundedPayment, newPayment, statusOf } from '../kit/service/payment.ts';
import { sharedGame } from '../kit/service/player.ts';
import { letRequestExpire } from '../rows/requests.ts';
import { readTransitions } from '../rows/transitions.ts';

test('an app cancels its requests', async (t) => {
  const { s, game } = await sharedGame(t);
  const { app } = s;
  const other = await s.createApp();
  const cancel = (id: string, token = game.serverKey, sent: object = {}) =>
    call(app, `POST /v1/requests/${id}/cancel`, { token, ...sent });

  await t.test('a pending request can be cancelled, and cancelling again gives the same response', async () => {
    const payment = await fundedPayment(s, game);
    const page_token = await payment.formToken();
    const answer = await cancel(payment.id.toUpperCase());
    assert.equal(answer.statusCode, 200, answer.body);
    assert.equal(answer.json().status, 'cancelled');
    assert.deepEqual(
      (await call(app, `GET /v1/requests/${payment.id}`, { token: game.serverKey })).json(),
      answer.json(),
    );
    assert.deepEqual((await cancel(payment.id)).json(), answer.json());
    const recorded = await readTransitions(s.service.db, payment.id);
    assert.deepEqual(
      recorded.map(({ event, actor }) => ({ event, actor })),
      [
        { event: 'create', actor: `app:${game.id}` },
        { event: 'cancel', actor: `app:${game.id}` },
      ],
    );
    const late = await payment.decide({ page_token, decision: 'approve' });
    assert.match(String(late.location), /requestId=.*&error=/);
    assert.equal(await statusOf(s, payment.id), 'cancelled');
  });

  await t.test('a request cannot be cancelled after the decision', async () => {
    for (const decision of ['approve', 'decline']) {
      const payment = await fundedPayment(s, game);
      await payment.decide({ decision });
      assertProblem(await cancel(payment.id), 409, 'request-decided');
    }
    await s.settled();
    const late = await newPayment(s, game);
    await letRequestExpire(s.service.db, late.id);
    assertProblem(await cancel(late.id), 409, 'request-decided');
    assert.notEqual(await statusOf(s, late.id), 'cancelled');
    await s.issue(game.id, 5);
    const paid = await call(app, `POST /v1/accounts/${game.address}/transfer`, {
      token: game.serverKey,
      body: { amount: 5, user: late.guest.userId },
    });
    assertProblem(await cancel(paid.json().requestId), 409, 'request-decided');
  });

  await t.test('a foreign request, or a key without the scope, is refused', async () => {
    const payment = await newPayment(s, game);
    assertProblem(await cancel(payment.id, other.serverKey), 404, 'not-found');
    assertProblem(await cancel(newRequestId()), 404, 'not-found');
    assertProblem(await cancel('x'), 404, 'not-found');
    assertProblem(await cancel(payment.id, payment.guest.accessToken), 403, 'credential-not-allowed');
    const shipped = await issueKey(s.service, OPERATOR, game.id, {
      kind: 'server',
      scopes: ['guests'],
      payPerDay: null,
    });
    assertProblem(await cancel(payment.id, shipped), 403, 'insufficient-scope');
    assertInvalid(await cancel(payment.id, game.serverKey, { text: '[]' }), '');
    assert.equal(await statusOf(s, payment.id), 'pending');
    assert.equal((await cancel(payment.id, game.serverKey, { body: {} })).statusCode, 200);
  });
});
