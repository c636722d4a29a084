import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lowestIdAt, newEventId } from '../../src/base/ids.ts';
import type { Tx } from '../../src/db/database.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { transitionRequests } from '../../src/settlement/transition-requests.ts';
import { forgetOldEvents, insertEvents, setEventClock } from '../../src/webhooks/events.ts';
import { assertInvalid, call } from '../kit/service/call.ts';
import { fundedPayment } from '../kit/service/payment.ts';
import { startTestService } from '../kit/service/service.ts';
import { cancelled } from '../kit/service/webhooks.ts';
import { asUser } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';
import { advanceEvents } from '../rows/webhooks.ts';

type Page = {
  data: { id: string; type: string; timestamp: string; data: { id: string; sequence: number; status: string } }[];
  next: string | null;
};

test('an app reads its events', async (t) => {
  const s = await startTestService(t);
  const { db } = s.service;
  const read = async (app: { serverKey: string }, query = '') =>
    (await call(s.app, `GET /v1/events${query}`, { token: app.serverKey })).json<Page>();
  /** An event is shown once all earlier transactions of the server have ended. */
  const readAll = async (app: { serverKey: string }, count: number) => {
    await until('all is shown', async () => (await read(app, '?limit=100')).data.length >= count);
    return (await read(app, '?limit=100')).data;
  };

  await t.test('an event of a request holds the request as it reads, and its sequence', async () => {
    const app = await s.createApp();
    const payment = await fundedPayment(s, app, 50);
    await payment.decide({ decision: 'approve' });
    await s.settled();
    const [approved, completed, ...more] = await readAll(app, 2);
    assert.deepEqual(more, []);
    const now = (await call(s.app, `GET /v1/requests/${payment.id}`, { token: app.serverKey })).json();
    assert.equal(completed!.type, 'request.completed');
    assert.deepEqual(completed!.data, { ...now, sequence: 2 });
    assert.deepEqual(Object.keys(completed!), ['id', 'type', 'timestamp', 'data']);
    assert.equal(approved!.type, 'request.approved');
    assert.deepEqual(approved!.data, { ...now, status: 'approved', completed: null, sequence: 1 });
    const { address } = app;
    await call(s.app, `POST /v1/accounts/${address}/transfer`, {
      token: app.serverKey,
      body: { amount: 3, user: payment.guest.userId },
    });
    await s.settled();
    const last = (await readAll(app, 3)).at(-1)!;
    assert.deepEqual([last.type, last.data.sequence], ['transfer.completed', 1]);
    assert.deepEqual((await read(app, '?type=transfer.completed')).data, [last]);
    // Another app does not see it.
    assert.deepEqual(await read(await s.createApp()), { data: [], next: null });
  });

  await t.test('events are read page by page, and on from a stored cursor', async () => {
    const app = await s.createApp();
    const guest = await s.createGuest(app);
    for (let i = 0; i < 5; i++) await cancelled(s, app, guest);
    const all = await readAll(app, 5);
    const first = await read(app, '?limit=2');
    assert.deepEqual([first.data, first.next], [all.slice(0, 2), all[1]!.id]);
    const second = await read(app, `?limit=3&cursor=${first.next}`);
    assert.deepEqual(second, { data: all.slice(2), next: null });
    const at = all.at(-1)!.id;
    assert.deepEqual(await read(app, `?cursor=${at}`), { data: [], next: null });
    await cancelled(s, app, guest);
    await until('the next is there', async () => (await read(app, `?cursor=${at}`)).data.length === 1);

    const stranger = await s.createApp();
    for (const [who, query] of [
      [app, '?cursor=x'],
      [app, `?cursor=${newEventId()}`],
      [stranger, `?cursor=${at}`],
    ] as const) {
      assertInvalid(await call(s.app, `GET /v1/events${query}`, { token: who.serverKey }), 'query/cursor');
    }
    for (const query of ['limit=0', 'limit=101', 'limit=x']) {
      assert.equal((await call(s.app, `GET /v1/events?${query}`, { token: app.serverKey })).statusCode, 400);
    }
  });

  await t.test('a filter by a rare type reads a bounded number of rows', async () => {
    const app = await s.createApp();
    const insert = (type: 'request.expired' | 'guest.converted', count: number) =>
      db.transaction((tx) =>
        insertEvents(
          tx,
          Array.from({ length: count }, () => ({
            id: newEventId(),
            appId: app.id,
            type,
            sequence: 1,
            subject: { data: {} },
          })),
        ),
      );
    await insert('request.expired', 5_000);
    await insert('guest.converted', 1);
    await until('all is shown', async () => (await read(app, '?type=guest.converted')).next !== null);
    const first = await read(app, '?type=guest.converted');
    assert.deepEqual(first.data, []);
    await until('the rare one', async () => {
      const { data, next } = await read(app, `?type=guest.converted&cursor=${first.next}`);
      return data.length === 1 && data[0]!.type === 'guest.converted' && next === null;
    });
  });

  await t.test('a reader misses no event that began earlier and was committed later', async () => {
    const app = await s.createApp();
    const guest = await s.createGuest(app);
    const { id: slow } = await createRequest(s.service, asUser(guest.userId, app.id), { tokens: 1, appId: app.id });
    const wrote = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const late = db.transaction(async (tx) => {
      await transitionRequests(tx, [slow], 'cancel', `app:${app.id}`);
      wrote.resolve();
      await commit.promise;
    });
    await wrote.promise;
    const quick = await cancelled(s, app, guest);
    // The fast one is committed. A reader who saw it now and continued after it would never see the slow one.
    assert.equal((await db.query('SELECT FROM events WHERE app_id = $1', [app.id])).length, 1);
    assert.deepEqual((await read(app)).data, []);
    commit.resolve();
    await late;
    const all = await readAll(app, 2);
    assert.deepEqual(
      all.map(({ data }) => data.id),
      [slow, quick],
    );
  });

  await t.test('a reader misses no event if the earlier transaction wrote last', async () => {
    const app = await s.createApp();
    const event = (name: string) => {
      const subject = { data: { id: name } };
      return { id: newEventId(), appId: app.id, type: 'guest.converted', sequence: 1, subject } as const;
    };
    const open = (name: string) => {
      const [began, write, wrote, commit] = [0, 0, 0, 0].map(() => Promise.withResolvers<void>());
      const done = db.transaction(async (tx: Tx) => {
        await tx.query('SELECT pg_current_xact_id()');
        began!.resolve();
        await write!.promise;
        await insertEvents(tx, [event(name)]);
        wrote!.resolve();
        await commit!.promise;
      });
      return { began: began!, write: write!, wrote: wrote!, commit: commit!, done };
    };
    const first = open('first');
    await first.began.promise;
    const second = open('second');
    await second.began.promise;
    second.write.resolve();
    await second.wrote.promise;
    second.commit.resolve();
    await second.done;
    assert.deepEqual((await read(app)).data, []);
    first.write.resolve();
    await first.wrote.promise;
    first.commit.resolve();
    await first.done;
    const all = await readAll(app, 2);
    assert.deepEqual(
      all.map(({ data }) => data.id),
      ['first', 'second'],
    );
  });

  await t.test('events of a request are read in their order if the later transaction changed it first', async () => {
    const app = await s.createApp();
    const event = (sequence: number) => {
      const subject = { data: { id: 'one' } };
      return { id: newEventId(), appId: app.id, type: 'guest.converted', sequence, subject } as const;
    };
    const [began, write] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const early = db.transaction(async (tx: Tx) => {
      await tx.query('SELECT pg_current_xact_id()');
      began.resolve();
      await write.promise;
      await insertEvents(tx, [event(2)]);
      assert.deepEqual((await read(app)).data, []);
    });
    await began.promise;
    await db.transaction((tx) => insertEvents(tx, [event(1)]));
    write.resolve();
    await early;
    await db.transaction((tx) => insertEvents(tx, [event(3)]));
    const all = await readAll(app, 3);
    assert.deepEqual(
      all.map(({ data }) => data.sequence),
      [1, 2, 3],
    );
  });

  await t.test('events are read after the database was restored from a dump', async () => {
    const app = await s.createApp();
    const guest = await s.createGuest(app);
    await cancelled(s, app, guest);
    // As if the dump came from a server with a billion more transactions.
    await advanceEvents(db, 1_000_000_000);
    await setEventClock(db);
    const after = await cancelled(s, app, guest);
    const all = await readAll(app, 2);
    assert.equal(all.at(-1)!.data.id, after);
    const [clock] = await db.query<{ lead: bigint }>('SELECT lead FROM event_clock');
    await setEventClock(db);
    assert.deepEqual(await db.query('SELECT lead FROM event_clock'), [clock], 'it is set once');
  });

  await t.test('events are deleted after thirty days', async () => {
    const app = await s.createApp();
    const old = (days: number) =>
      lowestIdAt(new Date(Date.now() - days * 86_400_000)).replace(/0{12}$/, '000000000001');
    const base = { appId: app.id, type: 'guest.converted', sequence: 1, subject: { data: {} } } as const;
    await db.transaction((tx) =>
      insertEvents(
        tx,
        [31, 30.1, 29.9].map((days) => ({ ...base, id: old(days) as ReturnType<typeof newEventId> })),
      ),
    );
    const kept = async () => (await db.query('SELECT FROM events WHERE app_id = $1', [app.id])).length;
    // A job may delete at the same time: neither waits for the other.
    await until('the older ones are forgotten', async () => {
      await forgetOldEvents(db, 1000);
      return (await kept()) < 2;
    });
    assert.equal(await kept(), 1);
  });
});
