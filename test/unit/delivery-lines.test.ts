import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppId, type EndpointId, newEndpointId, newEventId } from '../../src/base/ids.ts';
import { DeliveryLines, PER_ENDPOINT } from '../../src/features/webhooks/delivery-lines.ts';
import type { DueDelivery } from '../../src/webhooks/deliveries.ts';
import type { Sent } from '../../src/webhooks/send.ts';

const AT_ONCE = 100;

/** Lines whose messages are answered when the test says so. */
function openLines() {
  const open: { readonly delivery: DueDelivery; answer(sent: Sent): void }[] = [];
  const givenBack: DueDelivery[] = [];
  const lines = new DeliveryLines({
    send: (delivery) => new Promise((resolve) => open.push({ delivery, answer: resolve })),
    record: async () => {},
    giveBack: async (deliveries) => void givenBack.push(...deliveries),
    freed() {},
  });
  return { lines, open, givenBack };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function due(endpointId: EndpointId, count: number, failing = false): DueDelivery[] {
  return Array.from({ length: count }, () => ({
    event: {
      ...{ id: newEventId(), appId: `app of ${endpointId}` as AppId, type: 'request.expired', sequence: 1 },
      ...{ data: {}, createdAt: new Date() },
    },
    ...{ endpointId, url: 'https://game.example/', sealedSecrets: [], attempts: 1, failing, wasDueAt: new Date() },
  }));
}

test('a hundred deliveries are sent at once, one for each endpoint in turn', async () => {
  const { lines, open } = openLines();
  const endpoints = Array.from({ length: 40 }, newEndpointId);
  lines.add(endpoints.flatMap((id) => due(id, PER_ENDPOINT + 1)));
  assert.equal(open.length, AT_ONCE);
  assert.deepEqual(
    open.slice(0, 40).map(({ delivery }) => delivery.endpointId),
    endpoints,
  );
  assert.deepEqual(lines.room().healthy, 0, 'no more are taken');
  // One that fails has a place of its own.
  const failing = newEndpointId();
  lines.add(due(failing, 1, true));
  assert.equal(open.at(-1)?.delivery.endpointId, failing);

  for (let i = 0; i < open.length; i++) {
    open[i]!.answer({ ok: true, status: 204 });
    await turn();
    const underWay = open.slice(i + 1).filter(({ delivery }) => !delivery.failing);
    for (const id of endpoints)
      assert.ok(underWay.filter(({ delivery }) => delivery.endpointId === id).length <= PER_ENDPOINT);
    assert.ok(underWay.length <= AT_ONCE);
  }
  assert.equal(open.length, 40 * (PER_ENDPOINT + 1) + 1);
  await lines.sent();
  assert.deepEqual(
    [...lines.underWay().values()].filter(({ count }) => count > 0),
    [],
  );
});

test('what waits for an endpoint that fails is given back, and others go on', async () => {
  const { lines, open, givenBack } = openLines();
  const [broken, healthy] = [newEndpointId(), newEndpointId()];
  const [ofBroken, ofHealthy] = [due(broken, PER_ENDPOINT + 3), due(healthy, PER_ENDPOINT + 3)];
  lines.add([...ofBroken, ...ofHealthy]);
  const answer = async (id: EndpointId, sent: Sent) => {
    for (const one of open.filter(({ delivery }) => delivery.endpointId === id)) one.answer(sent);
    await turn();
  };
  await answer(broken, { ok: false, status: 500, fault: 'status' });
  assert.deepEqual(givenBack, ofBroken.slice(PER_ENDPOINT));
  await answer(healthy, { ok: true, status: 204 });
  assert.equal(open.filter(({ delivery }) => delivery.endpointId === healthy).length, ofHealthy.length);
  await answer(healthy, { ok: true, status: 204 });
  await lines.empty();
});
