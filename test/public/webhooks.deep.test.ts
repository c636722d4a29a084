import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentedVerify } from '../kit/service/documented-verify.ts';
import { startReceiver } from '../kit/service/receiver.ts';
import { until } from '../kit/unit/until.ts';
import { callApi, newGuest, useTarget } from './target.ts';

test('an endpoint gets signed events, is changed and removed, and an event is sent again', async (t) => {
  const target = await useTarget();
  const { serverKey: bearer } = target.game;
  const receiver = await startReceiver(t);
  const endpoints = '/v1/webhook-endpoints';
  const added = await callApi(target, 'POST', endpoints, { bearer, body: { url: receiver.url, types: null } });
  assert.equal(added.status, 201, added.text);
  const own = `${endpoints}/${added.body.id}`;
  const { body: all } = await callApi(target, 'GET', endpoints, { bearer });
  assert.ok((all.data ?? all).some(({ id }: { id: string }) => id === added.body.id));

  const { token } = await newGuest(target);
  const asked = { tokens: 2, appId: target.game.id, description: 'for the webhook' };
  const { body: request } = await callApi(target, 'POST', '/v1/requests', { bearer: token, body: asked });
  await callApi(target, 'POST', `/v1/requests/${request.id}/cancel`, { bearer });
  const deliveries = () =>
    receiver.received.filter(({ event }) => event.type === 'request.cancelled' && event.data.id === request.id);
  await until('the event arrives', () => deliveries().length > 0);
  const [delivery] = deliveries();
  const verify = await documentedVerify();
  assert.ok(verify(delivery!.headers, delivery!.body, added.body.secret), 'the documented check takes it');
  assert.deepEqual(
    Object.keys(delivery!.event)
      .sort()
      .filter((name) => ['type', 'timestamp', 'data'].includes(name)),
    ['data', 'timestamp', 'type'],
  );
  assert.equal(delivery!.event.data.status, 'cancelled');

  const again = await callApi(target, 'POST', `/v1/events/${delivery!.id}/redeliver`, {
    bearer,
    body: { endpoint: added.body.id },
  });
  assert.equal(again.status, 200, again.text);
  await until('it arrives again', () => deliveries().length > 1);
  const rotated = await callApi(target, 'POST', `${own}/rotate-secret`, { bearer });
  assert.notEqual(rotated.body.secret, added.body.secret);
  const changed = await callApi(target, 'POST', own, {
    bearer,
    body: { types: ['request.completed'], enabled: false },
  });
  assert.deepEqual(
    [changed.body.types, changed.body.enabled, changed.body.disabledReason],
    [['request.completed'], false, 'owner'],
  );
  assert.deepEqual((await callApi(target, 'GET', own, { bearer })).body, changed.body);
  await callApi(target, 'DELETE', own, { bearer });
  assert.equal((await callApi(target, 'GET', own, { bearer })).body.code, 'not-found');
});
