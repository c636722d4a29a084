import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppId, newCallId } from '../../src/base/ids.ts';
import { tokenBuckets } from '../../src/base/token-buckets.ts';
import { openDatabase } from '../../src/db/database.ts';
import type { Service } from '../../src/service/service.ts';
import { callWriter } from '../../src/wings/call-log/features/write-calls.ts';
import { openCallBuffer } from '../../src/wings/call-log/store/call-buffer.ts';
import { forgetOldHours, readCallHours } from '../../src/wings/call-log/store/call-hours.ts';
import { forgetOldCalls, searchCalls } from '../../src/wings/call-log/store/calls.ts';
import { call } from '../kit/service/call.ts';
import { redemption, startWorld } from '../kit/service/oauth-world.ts';
import { startTestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { startCuttingProxy } from '../kit/unit/cutting-proxy.ts';
import { until } from '../kit/unit/until.ts';
import { insertCalls } from '../rows/calls.ts';

const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

/** All calls of an app that are logged, newest first. */
const callsOf = async ({ db }: Pick<Service, 'db'>, appId: AppId) =>
  (await searchCalls(db, { appId, size: 1_000 }, {}, 1_000)).calls;

/** How many calls of an app are counted. */
const countOf = async ({ db }: Pick<Service, 'db'>, appId: AppId) =>
  (await readCallHours(db, appId, daysAgo(100))).reduce((sum, { calls }) => sum + calls, 0);

/** A buffer of its own that writes to this database when it is told to, with what records a call of an app. */
function openWriter(db: Service['db'], appId: AppId, kept?: Parameters<typeof callWriter>[2]) {
  const calls = openCallBuffer();
  const record = (count = 1) => {
    for (let i = 0; i < count; i++) {
      calls.record({ appId, status: 200, code: null }, () => ({
        id: newCallId(),
        milliseconds: 1,
        method: 'GET',
        route: '/v1/me',
        fields: null,
        keyId: null,
        userId: null,
        idempotencyKey: null,
        paymentId: null,
        about: null,
      }));
    }
  };
  return { calls, record, write: callWriter({ db }, calls, kept) };
}

test('writing the log of API calls', async (t) => {
  const s = await sharedService(t);
  const { service } = s;
  const { db } = service;

  await t.test(
    'a write that the database refuses loses its rows, and its counts are written with the next',
    async (t) => {
      const { id } = await s.createApp();
      const { calls, record, write } = openWriter(db, id);
      record(3);
      const { transaction } = db;
      t.mock.method(db, 'transaction', async (work: Parameters<typeof transaction>[0]) => {
        await transaction(async (tx) => {
          await work(tx);
          await tx.query('SELECT 1 / 0');
        });
      });
      await assert.rejects(write(), /division by zero/);
      t.mock.restoreAll();
      assert.deepEqual([await countOf(service, id), calls.dropped], [0, 3]);
      record(2);
      await write();
      assert.deepEqual([await countOf(service, id), (await callsOf(service, id)).length], [5, 2]);
    },
  );

  await t.test('a write whose COMMIT has no reply is not repeated, so nothing is counted twice', async (t) => {
    const { id } = await s.createApp();
    const proxy = await startCuttingProxy(s.databaseUrl);
    const behind = openDatabase(proxy.url);
    atEnd(t, async () => {
      await behind.close();
      proxy.close();
    });
    const { record, write } = openWriter(behind, id);
    record(3);
    proxy.cutNextCommit();
    await assert.rejects(write(), { name: 'CommitUnknown' });
    assert.equal(proxy.cuts, 1);
    await write();
    await until('the server has committed', async () => (await countOf(service, id)) > 0);
    record(1);
    await write();
    assert.deepEqual([await countOf(service, id), (await callsOf(service, id)).length], [4, 4]);
  });

  await t.test('processes that count the same apps at once add up, and none waits for another for ever', async () => {
    const apps = await Promise.all([s.createApp(), s.createApp(), s.createApp()]);
    const writers = [0, 1, 2, 3].map((process) => {
      const calls = openCallBuffer();
      return {
        write: callWriter({ db }, calls),
        record() {
          // In another order in each process.
          for (const i of [0, 1, 2]) {
            const { id: appId } = apps[(i + process) % 3]!;
            const describe = () => ({
              ...{ id: newCallId(), milliseconds: 1, method: 'GET', route: '/v1/me', fields: null, keyId: null },
              ...{ userId: null, idempotencyKey: null, paymentId: null, about: null },
            });
            for (const status of [200, 404, 500]) calls.record({ appId, status, code: null }, describe);
          }
        },
      };
    });
    for (let round = 0; round < 10; round++) {
      for (const { record } of writers) record();
      await Promise.all(writers.map(({ write }) => write()));
    }
    for (const { id } of apps) assert.equal(await countOf(service, id), 4 * 10 * 3);
  });

  await t.test('an app keeps its newest calls, and all are counted', async () => {
    const { id } = await s.createApp();
    const { record, write } = openWriter(db, id, { newest: 30, lookAfter: 20 });
    for (let i = 0; i < 8; i++) {
      record(20);
      await write();
    }
    const newest = await callsOf(service, id);
    record(5);
    await write();
    assert.deepEqual([newest.length, (await callsOf(service, id)).length, await countOf(service, id)], [30, 35, 165]);
  });
});

test('old calls and counts of every app are forgotten, a limited number at a time', async (t) => {
  const s = await startTestService(t);
  const { db } = s.service;
  const apps = await Promise.all([s.createApp(), s.createApp(), s.createApp()]);
  for (const { id: appId } of apps) {
    const at = [6.9, 7.1, 8, 9].map((days) => ({ at: daysAgo(days) }));
    const hours = [89, 91, 120].map((days) => ({ appId, hour: daysAgo(days), status: 200, code: '', calls: 2 }));
    await insertCalls(db, appId, at, hours);
  }
  const counts = async () => {
    const left = await Promise.all(apps.map(async ({ id }) => (await callsOf(s.service, id)).length));
    const hours = await Promise.all(apps.map(async ({ id }) => (await readCallHours(db, id, daysAgo(400))).length));
    return [left, hours];
  };
  // The chores of the service may be first.
  let forgotten = 0;
  for (let count = -1; count !== 0; forgotten += count) {
    count = await forgetOldCalls(db, 4);
    assert.ok(count <= 4);
  }
  while ((await forgetOldHours(db, 4)) > 0);
  assert.ok(forgotten <= 9);
  assert.deepEqual(await counts(), [
    [1, 1, 1],
    [1, 1, 1],
  ]);
});

test('the last calls are logged when the service stops, and a rate limit names the app it refuses', async (t) => {
  const s = await startTestService(t);
  // A moment that does not pass.
  const credentials = tokenBuckets({ perSecond: 5, processes: () => 1, seconds: () => 0 });
  Object.assign(s.service, { rateLimits: { credentials, addresses: null } });
  const { id, serverKey: token } = await s.createApp();
  const answers = await Promise.all(Array.from({ length: 20 }, () => call(s.app, 'GET /v1/requests', { token })));
  await s.stop();
  const db = openDatabase(s.databaseUrl);
  atEnd(t, () => db.close());
  const calls = await callsOf({ db }, id);
  assert.equal(calls.length, 20);
  assert.equal(answers.filter(({ statusCode }) => statusCode === 429).length, 15);
  assert.equal(calls.filter(({ code }) => code === 'rate-limited').length, 15);
  assert.equal(new Set(calls.map(({ keyId }) => keyId)).size, 1);
});

test('the token endpoint is in the log of a client that has proved who it is', async (t) => {
  const world = await startWorld(t);
  const [client, claimed] = [await world.createClient(), await world.createClient()];
  const { userId } = await world.tokens(client);
  const refused = await world.token(redemption(client, 'no such code'));
  const wrong = await world.token(redemption({ ...claimed, secret: 'qs_wrong' }, 'no such code'), {
    path: '/v1/oauth/token',
  });
  assert.deepEqual([refused.status, wrong.status], [400, 401]);
  await until('both calls are logged', async () => (await callsOf(world.service, client.id)).length === 2);
  assert.deepEqual(
    (await callsOf(world.service, client.id)).map((call) => [call.status, call.code, call.route, call.userId]),
    [
      [400, 'invalid_grant', '/oauth/token', null],
      [200, null, '/oauth/token', userId],
    ],
  );
  assert.deepEqual(await callsOf(world.service, claimed.id), []);
});
