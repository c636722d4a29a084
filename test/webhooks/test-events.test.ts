import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sendTestEvent } from '../../src/features/webhooks/test-events.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { EVENT_TYPES } from '../../src/webhooks/event-types.ts';
import { assertProblem, call } from '../kit/service/call.ts';
import { startReceiver } from '../kit/service/receiver.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { addHook, PRIVATE_TARGETS } from '../kit/service/webhooks.ts';
import { until } from '../kit/unit/until.ts';
import { startListening } from './listening.ts';

test('test events', async (t) => {
  const s = await sharedService(t, { env: PRIVATE_TARGETS });
  const trigger = (...args: string[]) => runCommand(s.service, 'trigger', ...args);

  await t.test('a test event reaches the endpoints that take its type, listeners and the list of events', async (t) => {
    const app = await s.createApp();
    const [takes, other, listener] = [await startReceiver(t), await startReceiver(t), await startReceiver(t)];
    const { id: endpoint } = await addHook(s, app.id, takes.url, ['request.completed']);
    await addHook(s, app.id, other.url, ['request.failed']);
    const listening = startListening(t, s, ['--app', app.id, '--forward', listener.url]);
    await listening.prints(/Ctrl-C ends/, 'err');
    const sent = JSON.parse((await trigger('request.completed', '--app', app.id, '--json')).out);
    assert.deepEqual(sent, { id: sent.id, type: 'request.completed', endpoints: [endpoint], sample: true });
    await until('both have it', () => takes.received.length > 0 && listener.received.length > 0);
    const { event } = takes.received[0]!;
    const listed = await call(s.app, 'GET /v1/events', { token: app.serverKey });
    assert.deepEqual(listed.json().data, [{ id: sent.id, ...event }]);
    assert.equal(listener.received[0]!.body, takes.received[0]!.body);
    assert.deepEqual(other.received, []);
    const { test, status, tokens, appAddress, sequence } = event.data;
    const facts = { test: true, status: 'completed', tokens: 60, appAddress: app.address, sequence: 1 };
    assert.deepEqual({ test, status, tokens, appAddress, sequence }, facts);
    assertProblem(await call(s.app, `GET /v1/requests/${event.data.id}`, { token: app.serverKey }), 404, 'not-found');
  });

  await t.test('every type can be sent, to one endpoint whatever it takes', async (t) => {
    const app = await s.createApp();
    const receiver = await startReceiver(t);
    const { id: endpoint } = await addHook(s, app.id, receiver.url, ['request.failed']);
    await addHook(s, app.id, `${receiver.url}/another`);
    for (const type of EVENT_TYPES) {
      const { code, out } = await trigger(type, '--app', app.id, '--endpoint', endpoint);
      assert.match(out, /What an event names is made in development mode only\.\n/);
      assert.deepEqual([code, /^Sent a sample of (\S+), \S+ to 1 endpoint\.\n/.exec(out)?.[1]], [0, type]);
    }
    await until('all have arrived', () => receiver.received.length === EVENT_TYPES.length);
    const fieldsOf = (data: object) => Object.keys(data).filter((name) => name !== 'test');
    for (const { event } of receiver.received) {
      const ofGuests: Record<string, string[]> = {
        'guest.converted': ['userId', 'appId', 'converted', 'sequence'],
        'guest.merged': ['userId', 'appId', 'mergedInto', 'merged', 'sequence'],
      };
      const fields = ofGuests[event.type] ?? [
        ...['id', 'tokens', 'appId', 'appAddress', 'embedCode', 'description', 'type', 'endpoint', 'created'],
        ...['userId', 'status', 'txId', 'completed', 'refunded', 'refundOf', 'sequence'],
      ];
      assert.deepEqual([event.data.test, fieldsOf(event.data)], [true, fields], event.type);
    }
  });

  await t.test('an app sends itself at most 60 an hour, even with concurrent calls', async () => {
    const app = await s.createApp();
    const results = await Promise.allSettled(
      Array.from({ length: 64 }, () =>
        sendTestEvent(s.service, OPERATOR, app.id, { type: 'request.completed', endpoint: null }),
      ),
    );
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 60);
    const refused = await trigger('request.completed', '--app', app.id);
    assert.deepEqual([refused.code, refused.err], [1, 'An app can send itself 60 test events an hour.\n']);
  });

  await t.test('an unknown type, app or endpoint is refused', async () => {
    const app = await s.createApp();
    const stranger = await s.createApp();
    const { id: foreign } = await addHook(s, stranger.id, 'http://127.0.0.1:9/');
    const unknown = await trigger('request.paid', '--app', app.id);
    assert.equal(unknown.code, 2);
    assert.match(unknown.err, /Use one of request\.approved, .*guest\.merged\./);
    for (const endpoint of [foreign, randomUUID()]) {
      const { code, err } = await trigger('request.failed', '--app', app.id, '--endpoint', endpoint);
      assert.equal(code, 3);
      assert.match(err, /^There is no such webhook endpoint/);
    }
    assert.match((await trigger('request.failed', '--app', 'x'.repeat(20))).err, /^There is no app "x{20}"/);
    assert.deepEqual((await call(s.app, 'GET /v1/events', { token: app.serverKey })).json().data, []);
  });
});
