import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { type AppId, newEventId } from '../../src/base/ids.ts';
import { redeliverEvent } from '../../src/features/webhooks/events.ts';
import {
  changeEndpoint,
  removeEndpoint,
  rotateEndpointSecret,
} from '../../src/features/webhooks/manage-webhook-endpoints.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { insertEvents } from '../../src/webhooks/events.ts';
import { addMember, createDeveloper, registerApp } from '../kit/service/developer.ts';
import { mailsTo, mailTo } from '../kit/service/mailbox.ts';
import { holdAnswers, type Received, startReceiver } from '../kit/service/receiver.ts';
import { startSecondService } from '../kit/service/second-service.ts';
import { startTestService } from '../kit/service/service.ts';
import { addHook, cancelled, deliveriesTo, PRIVATE_TARGETS, removeHooks } from '../kit/service/webhooks.ts';
import { until } from '../kit/unit/until.ts';
import { ago } from '../rows/times.ts';
import { changeDeliveries, changeEndpoints, holdRetries, letRetryTimePass } from '../rows/webhooks.ts';

/** Checked as the specification says, from the receiver's side. */
function signaturesOf({ headers, body }: Received, secret: string): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

test('events are delivered', async (t) => {
  const s = await startTestService(t, { env: PRIVATE_TARGETS });
  const app = await s.createApp();
  const guest = await s.createGuest(app);
  const { db } = s.service;
  const pausesOf = await holdRetries(db);

  await t.test('an event is delivered once, signed, to every endpoint that receives its type', async () => {
    const [all, some, none] = [await startReceiver(t), await startReceiver(t), await startReceiver(t)];
    const endpoint = await addHook(s, app.id, all.url);
    const picky = await addHook(s, app.id, some.url, ['request.cancelled']);
    const other = await addHook(s, app.id, none.url, ['request.approved']);
    const ids = [await cancelled(s, app, guest), await cancelled(s, app, guest)];
    await until('all arrived', () => all.received.length >= 2 && some.received.length >= 2);
    assert.deepEqual(all.received.map(({ event }) => event.data.id).sort(), ids.sort());
    assert.deepEqual(none.received, []);
    const [first] = all.received;
    assert.equal(first!.headers['webhook-signature'], signaturesOf(first!, endpoint.secret));
    assert.ok(Math.abs(Number(first!.headers['webhook-timestamp']) - Date.now() / 1000) < 60);
    assert.equal(first!.headers['content-type'], 'application/json');
    assert.deepEqual(Object.keys(first!.event), ['type', 'timestamp', 'data']);
    assert.deepEqual([first!.event.type, first!.event.data.sequence], ['request.cancelled', 1]);
    assert.equal(some.received[0]!.headers['webhook-signature'], signaturesOf(some.received[0]!, picky.secret));
    await until('it is noted', async () => (await deliveriesTo(s, endpoint.id)).every(({ delivered }) => delivered));
    const noted = { attempts: 1, delivered: true, over: true, last_status: 204, last_error: null, pause: null };
    assert.deepEqual(await deliveriesTo(s, endpoint.id), [noted, noted]);
    for (const { id } of [endpoint, picky, other]) await removeEndpoint(s.service, { by: OPERATOR, appId: app.id }, id);
  });

  await t.test('a failed delivery is retried at growing intervals', async () => {
    const receiver = await startReceiver(t);
    const elsewhere = await startReceiver(t);
    const faults: [answer: typeof receiver.answer, error: string, status: number | null][] = [
      [(response) => response.writeHead(500).end('x'.repeat(100_000)), 'status', 500],
      [(_, request) => request.socket.destroy(), 'unreachable', null],
      [(response) => response.writeHead(307, { location: elsewhere.url }).end(), 'status', 307],
      [(response) => response.socket!.end('nonsense\r\n\r\n'), 'unreachable', null],
    ];
    receiver.answer = faults[0]![0];
    const { id } = await addHook(s, app.id, receiver.url);
    await cancelled(s, app, guest);
    const pauses = [5, 60, 300, 1800];
    for (const [before, [answer, error, status]] of faults.entries()) {
      receiver.answer = answer;
      if (before > 0) await letRetryTimePass(db, id);
      await until(`it failed: ${error} ${status}`, async () => {
        const [delivery] = await deliveriesTo(s, id);
        return delivery!.attempts === before + 1 && delivery!.last_error === error && delivery!.last_status === status;
      });
      const pause = (await pausesOf(id))[before]!;
      const usual = pauses[before]!;
      assert.ok(pause <= usual * 1.2 && pause >= usual * 0.8, `${pause} s after attempt ${before + 1}`);
    }
    assert.deepEqual(elsewhere.received, []);
    receiver.answer = (response) => response.writeHead(200).end('y'.repeat(1_000_000));
    await letRetryTimePass(db, id);
    await until('it arrived', async () => (await deliveriesTo(s, id))[0]!.delivered);
    assert.equal(new Set(receiver.received.map((received) => received.id)).size, 1);
    await removeEndpoint(s.service, { by: OPERATOR, appId: app.id }, id);
  });

  await t.test('deliveries are signed with both secrets while one replaces the other', async () => {
    const receiver = await startReceiver(t);
    const { id, secret } = await addHook(s, app.id, receiver.url);
    const rotated = await rotateEndpointSecret(s.service, { by: OPERATOR, appId: app.id }, id);
    await cancelled(s, app, guest);
    await until('it arrived', () => receiver.received.length === 1);
    const [both] = receiver.received as [Received];
    assert.equal(
      both.headers['webhook-signature'],
      `${signaturesOf(both, rotated.secret)} ${signaturesOf(both, secret)}`,
    );
    await changeEndpoints(db, { id }, { previousUntil: ago() });
    await cancelled(s, app, guest);
    await until('it arrived', () => receiver.received.length === 2);
    const one = receiver.received[1]!;
    assert.equal(one.headers['webhook-signature'], signaturesOf(one, rotated.secret));
    await removeEndpoint(s.service, { by: OPERATOR, appId: app.id }, id);
  });

  await t.test('endpoints that never answer delay no others', async () => {
    const [hung, quick] = [await startReceiver(t), await startReceiver(t)];
    const held = holdAnswers(hung);
    const [slow, fine] = [await addHook(s, app.id, hung.url), await addHook(s, app.id, quick.url)];
    for (let i = 0; i < 10; i++) await cancelled(s, app, guest);
    await until('the others have all', () => quick.received.length === 10);
    // Only its share: the rest waits for this endpoint alone.
    await until('it has its share', () => held.mostAtOnce(hung.url) >= 4);
    assert.equal(held.mostAtOnce(hung.url), 4);
    await removeEndpoint(s.service, { by: OPERATOR, appId: app.id }, slow.id);
    await removeEndpoint(s.service, { by: OPERATOR, appId: app.id }, fine.id);
  });

  await t.test('endpoints that answer late delay no others, however large their backlog', async () => {
    const [late, quick] = [await startReceiver(t), await startReceiver(t)];
    const held = holdAnswers(late);
    const happened = (appId: AppId, times: number) => {
      const event = { appId, type: 'request.expired', sequence: 1, subject: { data: {} } } as const;
      const events = Array.from({ length: times }, () => ({ ...event, id: newEventId() }));
      return db.transaction((tx) => insertEvents(tx, events));
    };
    // The shares of the first half are all the room there is: the second half and the other get theirs once places are given up.
    const apps = await Promise.all(Array.from({ length: 10 }, () => s.createApp()));
    const hooksOf = async (some: typeof apps) =>
      Promise.all(
        some.flatMap(({ id }) => Array.from({ length: 5 }, (_, i) => addHook(s, id, `${late.url}/${id}/${i}`))),
      );
    const halves = [apps.slice(0, 5), apps.slice(5)];
    const hooks = await Promise.all(halves.map(hooksOf));
    const fine = await addHook(s, app.id, quick.url);
    const haveTheirShare = (half: number) => hooks[half]!.every(({ url }) => held.mostAtOnce(url) === 4);
    for (const { id } of halves[0]!) await happened(id, 12);
    await until('the first half has its share', () => haveTheirShare(0));
    for (const { id } of halves[1]!) await happened(id, 12);
    await happened(app.id, 1);
    await until('the other has its own', () => quick.received.length === 1);
    const begun = async (id: string) => (await deliveriesTo(s, id)).filter(({ attempts }) => attempts > 0);
    for (const { id } of hooks.flat()) assert.ok((await begun(id)).length < 12, 'one of the late has all of its own');
    // Each place of the first half was given up by then, so all of it is known to be slow.
    await until('the second half has its share', () => haveTheirShare(1));
    held.release();
    const { id, url } = hooks[0]![0]!;
    await until('one of the late is sent more', async () => (await begun(id)).length > 4);
    await until('that has come', () => held.mostAtOnce(url) > 0);
    assert.equal(held.mostAtOnce(url), 1, 'one at a time');
    await removeEndpoint(s.service, { by: OPERATOR, appId: app.id }, fine.id);
    for (const { id } of apps) await removeHooks(s, id);
  });

  await t.test('an endpoint that answers 410 is disabled, and its owner and admins are notified', async () => {
    const [developer, admin, viewer] = [await createDeveloper(s), await createDeveloper(s), await createDeveloper(s)];
    const own = (await registerApp(developer)).id as AppId;
    await addMember(s, own, admin, 'admin');
    await addMember(s, own, viewer, 'viewer');
    const receiver = await startReceiver(t);
    receiver.answer = (response) => response.writeHead(410).end();
    const { id } = await addHook(s, own, receiver.url);
    await cancelled(s, { ...app, id: own }, await s.createGuest({ ...app, id: own }));
    const disabled = async () =>
      (
        await db.query<{ reason: string | null }>(
          'SELECT disabled_reason AS reason FROM webhook_endpoints WHERE id = $1',
          [id],
        )
      )[0]!.reason;
    await until('it is disabled', async () => (await disabled()) === 'gone');
    const mail = await mailTo(s, developer.email);
    assert.match(mail.subject, /^A webhook endpoint of Space Race is disabled$/);
    assert.ok(mail.text.includes(receiver.url) && mail.text.includes(`/developer/apps/${own}/webhooks`));
    assert.equal((await mailTo(s, admin.email)).subject, mail.subject);
    assert.deepEqual(await mailsTo(s, viewer.email), []);

    // Once enabled again, it gets its waiting events.
    receiver.answer = (response) => response.writeHead(200).end();
    await letRetryTimePass(db, id);
    await changeEndpoint(s.service, { by: OPERATOR, appId: own }, id, { enabled: true });
    await until('it arrived', async () => (await deliveriesTo(s, id))[0]!.delivered);
    assert.equal((await mailsTo(s, developer.email)).length, 1);
  });

  await t.test('an endpoint that fails for three days is disabled', async () => {
    const receiver = await startReceiver(t);
    receiver.answer = (response) => response.writeHead(503).end();
    const { id } = await addHook(s, app.id, receiver.url);
    await cancelled(s, app, guest);
    const state = async () => {
      const [endpoint] = await db.query<{ failing: boolean; reason: string | null }>(
        'SELECT failing_since IS NOT NULL AS failing, disabled_reason AS reason FROM webhook_endpoints WHERE id = $1',
        [id],
      );
      const [delivery] = await deliveriesTo(s, id);
      return { ...endpoint!, over: delivery!.over };
    };
    await until('it failed', async () => (await state()).failing);
    const older = (hours: number) =>
      Promise.all([
        changeDeliveries(db, { endpointId: id }, { createdAt: ago(`${hours} hours`) }),
        changeEndpoints(db, { id }, { failingSince: ago(`${hours} hours`) }),
      ]);
    await older(71);
    const tries = receiver.received.length;
    await letRetryTimePass(db, id);
    await until(
      'it was tried',
      async () => receiver.received.length > tries && (await deliveriesTo(s, id))[0]!.pause > 31,
    );
    assert.deepEqual(await state(), { failing: true, reason: null, over: false });
    await older(73);
    await letRetryTimePass(db, id);
    await until('it is given up', async () => (await state()).reason !== null);
    assert.deepEqual(await state(), { failing: true, reason: 'failing', over: true });

    // The owner who repairs it asks for the lost events again.
    receiver.answer = (response) => response.writeHead(200).end();
    const [event] = await db.query<{ event_id: string }>('SELECT event_id FROM deliveries WHERE endpoint_id = $1', [
      id,
    ]);
    const again = () => redeliverEvent(s.service, { by: OPERATOR, appId: app.id }, event!.event_id, id);
    await assert.rejects(again(), /no such webhook endpoint/);
    await changeEndpoint(s.service, { by: OPERATOR, appId: app.id }, id, { enabled: true });
    assert.deepEqual(await again(), { id: event!.event_id, endpoints: [id] });
    await until('it arrived', async () => (await deliveriesTo(s, id))[0]!.delivered);
    await removeEndpoint(s.service, { by: OPERATOR, appId: app.id }, id);
  });

  await t.test('an event is delivered once, however many processes there are', async () => {
    await startSecondService(t, s, { works: true });
    const receiver = await startReceiver(t);
    const { id } = await addHook(s, app.id, receiver.url);
    const made = new Set<string>();
    for (let i = 0; i < 40; i++) made.add(await cancelled(s, app, guest));
    await until('all are noted', async () => {
      const rows = await deliveriesTo(s, id);
      return rows.length === made.size && rows.every(({ delivered }) => delivered);
    });
    assert.deepEqual(new Set(receiver.received.map(({ event }) => event.data.id)), made);
    assert.equal(receiver.received.length, made.size);
    assert.ok((await deliveriesTo(s, id)).every(({ attempts }) => attempts === 1));
  });
});
