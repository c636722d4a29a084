import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppId, newEventId } from '../../src/base/ids.ts';
import { PER_ENDPOINT } from '../../src/features/webhooks/delivery-lines.ts';
import {
  changeEndpoint,
  removeEndpoint,
  rotateEndpointSecret,
} from '../../src/features/webhooks/manage-webhook-endpoints.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { insertEvents } from '../../src/webhooks/events.ts';
import { holdAnswers, startReceiver } from '../kit/service/receiver.ts';
import { startTestService } from '../kit/service/service.ts';
import { addHook, deliveriesTo, PRIVATE_TARGETS } from '../kit/service/webhooks.ts';
import { until } from '../kit/unit/until.ts';
import { letRetryTimePass, loseOutcomes } from '../rows/webhooks.ts';

test('deliveries that are taken and recorded in groups', async (t) => {
  const s = await startTestService(t, { env: PRIVATE_TARGETS });
  const { db } = s.service;
  /** Events of these apps in turn, in one transaction. */
  const happen = async (apps: readonly AppId[], count: number) => {
    const events = Array.from({ length: count }, (_, i) => ({
      ...{ id: newEventId(), appId: apps[i % apps.length]!, type: 'request.expired' as const },
      ...{ sequence: 1, subject: { data: {} } },
    }));
    await db.transaction((tx) => insertEvents(tx, events));
    return events;
  };

  await t.test('a group whose outcomes are lost after it was sent is sent once more, with the same ids', async (t) => {
    const receiver = await startReceiver(t);
    const apps = await Promise.all([s.createApp(), s.createApp(), s.createApp()]);
    const hooks = await Promise.all(apps.map((app) => addHook(s, app.id, receiver.url)));
    const outcomes = await loseOutcomes(db);
    const count = 3 * PER_ENDPOINT;
    const appIds = apps.map(({ id }) => id);
    const sent = await happen(appIds, count);
    await until('all have arrived, and are not recorded', async () => (await outcomes.count()) === count);
    assert.equal(receiver.received.length, count);
    await outcomes.find();
    await letRetryTimePass(db);
    for (const { id } of hooks) {
      await until('it is recorded', async () => (await deliveriesTo(s, id)).every(({ delivered }) => delivered));
      assert.deepEqual(
        (await deliveriesTo(s, id)).map(({ attempts }) => attempts),
        Array(PER_ENDPOINT).fill(2),
      );
    }
    for (const { id } of sent) assert.equal(receiver.received.filter((message) => message.id === id).length, 2);
  });

  await t.test('an endpoint is disabled, gets a new secret and is removed while its group is under way', async (t) => {
    const [receiver, other] = [await startReceiver(t), await startReceiver(t)];
    const [app, beside] = [await s.createApp(), await s.createApp()];
    const { id } = await addHook(s, app.id, receiver.url);
    const { id: besideId } = await addHook(s, beside.id, other.url);
    const caller = { by: OPERATOR, appId: app.id };
    const states = async () =>
      (await deliveriesTo(s, id)).map(({ attempts, delivered }) => (delivered ? 'delivered' : attempts)).sort();
    const held = holdAnswers(receiver);
    const first = 2 * PER_ENDPOINT;
    await happen([app.id], first);
    await until('one group is under way', () => held.mostAtOnce(receiver.url) === PER_ENDPOINT);

    await changeEndpoint(s.service, caller, id, { enabled: false });
    await happen([beside.id], first);
    await until('the other endpoint has all', async () =>
      (await deliveriesTo(s, besideId)).every(({ delivered }) => delivered),
    );
    held.release();
    const half = [...Array(PER_ENDPOINT).fill(0), ...Array(PER_ENDPOINT).fill('delivered')];
    await until('what was under way is recorded', async () =>
      (await states()).filter((one) => one !== 0).every((one) => one === 'delivered'),
    );
    assert.deepEqual(await states(), half, 'nothing more was taken');

    await changeEndpoint(s.service, caller, id, { enabled: true });
    await letRetryTimePass(db, id);
    await until('the rest is under way', () => held.mostAtOnce(receiver.url) === PER_ENDPOINT);
    await rotateEndpointSecret(s.service, caller, id);
    const before = receiver.received.length;
    await happen([app.id], 1);
    held.release();
    await until('the next one has come', () => receiver.received.length > before);
    const signatures = receiver.received.map(({ headers }) => headers['webhook-signature']!.split(' ').length);
    assert.deepEqual(signatures, [...Array(before).fill(1), 2], 'each as it was taken');

    await removeEndpoint(s.service, caller, id);
    await happen([app.id], 1);
    held.release();
    await until('its outcome is recorded', async () => (await states()).every((one) => one === 'delivered'));
    assert.equal(receiver.received.length, before + 1, 'nothing more was sent');
  });
});
