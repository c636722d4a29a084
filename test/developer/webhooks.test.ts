import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppId, type EventId, lowestIdAt, madeAt, newRequestId } from '../../src/base/ids.ts';
import { insertEvents } from '../../src/webhooks/events.ts';
import { fillDeliveries } from '../kit/service/deliveries.ts';
import { addMember, createDeveloper, registerApp } from '../kit/service/developer.ts';
import { startReceiver } from '../kit/service/receiver.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { addHook, cancelled, PRIVATE_TARGETS } from '../kit/service/webhooks.ts';
import { until } from '../kit/unit/until.ts';
import { changeDeliveries, letRetryTimePass } from '../rows/webhooks.ts';

/** The events that a page links to, in its order. */
const eventsIn = (body: string) =>
  [...body.matchAll(/<td data-label="Event"><div><a href="[^"]*\/events\/([^"]+)"/g)].map(([, id]) => id);

/** The id of an event that many milliseconds older than another. */
function idBefore(id: string, milliseconds: number): EventId {
  const at = lowestIdAt(new Date(madeAt(id).getTime() - milliseconds));
  return `${at.slice(0, 18)}${id.slice(18)}` as EventId;
}

test('events and deliveries on the developer pages', async (t) => {
  const s = await sharedService(t, { env: PRIVATE_TARGETS });
  const { db } = s.service;
  const newGame = async () => {
    const developer = await createDeveloper(s);
    const id = (await registerApp(developer)).id as AppId;
    const path = `/developer/apps/${id}`;
    const show = async (at: string) => (await developer.get(`${path}${at}`)).body;
    return { developer, id, path, show };
  };

  await t.test('an endpoint lists its deliveries by state and type, page by page', async () => {
    const { id, path, show } = await newGame();
    const { id: endpoint } = await addHook(s, id, 'https://game.invalid/hook');
    const ids = await fillDeliveries(s, id);
    const own = `/webhooks/${endpoint}`;
    assert.deepEqual(new Set(eventsIn(await show(own))), new Set(Object.values(ids)));
    assert.deepEqual(eventsIn(await show(`${own}?state=delivered`)), [ids['request.completed']]);
    assert.deepEqual(eventsIn(await show(`${own}?state=pending`)), [ids['request.declined']]);
    assert.deepEqual(eventsIn(await show(`${own}?type=request.failed`)), [ids['request.failed']]);
    assert.deepEqual(eventsIn(await show(`${own}?state=failed&type=request.declined`)), []);
    assert.match(await show('/webhooks'), /1 of 3 \(33\.3%\)/);

    const base = { appId: id, type: 'request.expired', sequence: 1 } as const;
    const older = Array.from({ length: 30 }, (_, i) => idBefore(ids['request.completed'], 30 - i));
    await db.transaction(async (tx) => {
      await insertEvents(
        tx,
        older.map((event) => ({ ...base, id: event, subject: { data: {} } })),
      );
      await changeDeliveries(tx, { eventId: older }, { nextAttemptAt: null, lastError: 'timeout' });
    });
    const first = await show(`${own}?state=failed`);
    const next = /href="([^"]*before=[^"]*)"/.exec(first)![1]!.replaceAll('&amp;', '&');
    const second = await show(next.replace(path, ''));
    assert.deepEqual([...eventsIn(first), ...eventsIn(second)], [ids['request.failed'], ...older.toReversed()]);
    assert.doesNotMatch(second, /before=/);
  });

  await t.test('events are found by type, request and day', async () => {
    const { id, show } = await newGame();
    const game = { ...(await s.createApp()), id };
    const guest = await s.createGuest(game);
    const request = await cancelled(s, game, guest);
    await cancelled(s, game, guest);
    const ids = await fillDeliveries(s, id);
    assert.equal(eventsIn(await show('/events')).length, 5);
    assert.deepEqual(eventsIn(await show('/events?type=request.failed')), [ids['request.failed']]);
    const [about, ...more] = eventsIn(await show(`/events?request=${request}`));
    assert.deepEqual(more, []);
    assert.ok((await show(`/events/${about}`)).includes(`/payments/${request}"`));
    for (const none of [newRequestId(), 'x']) assert.deepEqual(eventsIn(await show(`/events?request=${none}`)), []);
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    for (const [query, count] of [
      [`from=${day(-1)}&to=${day(1)}`, 5],
      [`to=${day(-2)}`, 0],
      [`from=${day(2)}`, 0],
      ['from=2026-99-99', 5],
    ] as const) {
      assert.equal(eventsIn(await show(`/events?${query}`)).length, count, query);
    }
  });

  await t.test('an event shows its payload and answers, and is sent again', async (t) => {
    const { developer, id, path, show } = await newGame();
    const receiver = await startReceiver(t);
    receiver.answer = (response) => response.writeHead(500).end('A word from inside the network');
    const { id: endpoint } = await addHook(s, id, receiver.url);
    const sent = await developer.post(`${path}/events`, { type: 'request.completed', endpoint });
    const at = String(sent.headers.location).replace('?done=test', '').replace(path, '');
    await until('it failed', async () => /500 in \d+ ms/.test(await show(at)));
    const page = await show(at);
    assert.match(page, /&quot;test&quot;: true/);
    // The receiver is in a private network: not a word of its answer is kept.
    assert.doesNotMatch(JSON.stringify(await db.query('SELECT * FROM deliveries')), /inside the network/);
    assert.doesNotMatch(page, /class="answer"/);

    // As if the receiver were on the public internet.
    const eventId = at.split('/').at(-1)!;
    await changeDeliveries(db, { eventId }, { lastAnswer: '<script>alert(1)</script>' });
    assert.match(await show(at), /class="answer"[^>]*>&lt;script&gt;alert\(1\)&lt;\/script&gt;<\/pre>/);

    receiver.answer = (response) => response.writeHead(204).end();
    const again = await developer.post(`${path}${at}/redeliver`, { endpoint });
    assert.equal(again.headers.location, `${path}${at}?done=redeliver`);
    await letRetryTimePass(db, endpoint);
    await until('it arrived', async () => /204 in \d+ ms/.test(await show(at)));
    const [row] = await db.query<{ answer: string | null }>(
      'SELECT last_answer AS answer FROM deliveries WHERE event_id = $1',
      [eventId],
    );
    assert.deepEqual(row, { answer: null });

    receiver.answer = (response) => response.destroy();
    assert.equal((await developer.post(`${path}${at}/redeliver`)).statusCode, 303);
    await until('it failed', async () => /unreachable/.test(await show(at)));
    // How long that took would tell about the network.
    assert.doesNotMatch(await show(at), /unreachable in \d/);
  });

  await t.test('a test event goes to all endpoints that take its type, until the limit is reached', async () => {
    const { developer, id, path, show } = await newGame();
    await addHook(s, id, 'https://game.invalid/one', ['request.failed']);
    await addHook(s, id, 'https://game.invalid/two');
    const send = (type = 'request.completed') => developer.post(`${path}/events`, { type });
    const sent = await send();
    const page = await show(String(sent.headers.location).replace(path, ''));
    assert.match(page, /game\.invalid\/two/);
    assert.doesNotMatch(page, /game\.invalid\/one/);
    assert.equal((await send('request.imagined')).statusCode, 404);
    for (let i = 1; i < 60; i++) await send();
    const refused = await send();
    assert.equal(refused.statusCode, 429);
    assert.match(refused.body, /An app can send itself 60 test events an hour\./);
  });

  await t.test('a viewer reads all of it, and is offered nothing that changes it', async () => {
    const { developer, id, path } = await newGame();
    const { id: endpoint } = await addHook(s, id, 'https://game.invalid/hook');
    const { 'request.failed': event } = await fillDeliveries(s, id);
    const viewer = await createDeveloper(s);
    await addMember(s, id, viewer, 'viewer');
    for (const at of ['/webhooks', `/webhooks/${endpoint}`, '/events', `/events/${event}`]) {
      const [seen, own] = [await viewer.get(path + at), await developer.get(path + at)];
      assert.equal(seen.statusCode, 200, at);
      assert.doesNotMatch(seen.body, /method="post" action="\/developer/, at);
      if (at !== '/events') assert.match(own.body, /method="post" action="\/developer/, at);
    }
    assert.equal((await viewer.post(`${path}/events`, { type: 'request.failed' })).statusCode, 403);
  });

  await t.test('strangers, foreign forms and old sign-ins change and see nothing', async () => {
    const { developer, id, path } = await newGame();
    await addHook(s, id, 'https://game.invalid/hook');
    const { 'request.failed': event } = await fillDeliveries(s, id);
    const other = await newGame();
    const stranger = await createDeveloper(s);
    for (const at of ['/events', `/events/${event}`]) {
      assert.equal((await stranger.get(path + at)).statusCode, 404, at);
    }
    // Their own app does not open it either.
    assert.equal((await other.developer.get(`${other.path}/events/${event}`)).statusCode, 404);
    assert.equal((await other.developer.post(`${other.path}/events/${event}/redeliver`)).statusCode, 404);
    assert.equal((await developer.get(`${path}/events/x`)).statusCode, 404);
    for (const at of ['/events', `/events/${event}/redeliver`]) {
      const form = { type: 'request.failed' };
      assert.equal((await stranger.post(path + at, form)).statusCode, 404, at);
      assert.equal((await developer.post(path + at, { ...form, csrf: '' })).statusCode, 403, at);
      const stale = await (await createDeveloper(s, { minutesAgo: 60 })).post(path + at, form);
      assert.match(String(stale.headers.location), /^\/sign-in\?again=true/);
    }
    const [row] = await db.query<{ attempts: number }>('SELECT attempts FROM deliveries WHERE event_id = $1', [event]);
    assert.equal(row!.attempts, 12);
  });
});
