import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import type { RequestId } from '../../src/base/ids.ts';
import { callsWaiting } from '../../src/wings/call-log/features/calls-waiting.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks } from '../kit/browser/fit.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { addMember, createDeveloper, type Developer } from '../kit/service/developer.ts';
import { startTestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { insertCalls } from '../rows/calls.ts';

const MINUTE_MS = 60_000;
const minutesAgo = (count: number) => new Date(Date.now() - count * MINUTE_MS);
const shortOf = (key: string) => hash('sha256', key).slice(0, 8);

/** The ids of the calls on a page, in their order. */
const idsIn = (body: string) => [...body.matchAll(/\/log\/([0-9a-f-]{36})"/g)].map(([, id]) => id!);

test('the page of the log of calls', async (t) => {
  const s = await sharedService(t);
  const { db } = s.service;
  const developer = await createDeveloper(s);
  const newApp = (owner: Developer = developer) => s.createApp({ ownerId: owner.userId });

  await t.test('each filter shows the calls that fulfil it, newest first', async () => {
    const app = await newApp();
    const { userId } = await s.createGuest(app);
    const key = hash('sha256', app.serverKey).slice(0, 16);
    const ids = await insertCalls(db, app.id, [
      { at: minutesAgo(1), method: 'POST', route: '/v1/requests', userId, status: 201 },
      { at: minutesAgo(2), route: '/v1/requests/:id', keyId: key, status: 404, code: 'not-found' },
      {
        at: minutesAgo(3),
        method: 'POST',
        route: '/v1/requests/:id/cancel',
        userId,
        status: 409,
        code: 'request-decided',
      },
      { at: minutesAgo(100), status: 503, code: 'overloaded', idempotency: shortOf('order 7') },
      { at: minutesAgo(200), status: null, milliseconds: 30_000, idempotency: shortOf('3F9AC41B') },
    ]);
    const at = (minutes: number) => minutesAgo(minutes).toISOString().slice(0, 19);
    const path = `/developer/apps/${app.id}/log`;
    for (const [query, ...expected] of [
      ['', 0, 1, 2, 3, 4],
      ['status=4xx', 1, 2],
      ['status=503', 3],
      ['status=none', 4],
      ['status=weird', 0, 1, 2, 3, 4],
      ['code=not-found', 1],
      ['route=requests', 0, 1, 2],
      ['route=POST+/v1/requests/{id}', 2],
      [`user=${userId}`, 0, 2],
      [`server=${key}`, 1],
      ['server=0000000000000000'],
      ['user=%00', 0, 1, 2, 3, 4],
      [`request=${ids[3]}`, 3],
      ['request=0199f5c2-7d1e-7a44-9c14-2f6f0d0c81b7'],
      ['request=none'],
      [`key=${shortOf('order 7')}`, 3],
      // A key that looks like a hash is found too.
      ['key=3F9AC41B', 4],
      [`from=${at(150)}&to=${at(50)}`, 3],
      ['status=4xx&route=cancel', 2],
    ] as const) {
      const { body, statusCode } = await developer.get(`${path}?${query}`);
      assert.deepEqual([statusCode, idsIn(body)], [200, expected.map((i) => ids[i])], query);
    }
    const page = await developer.get(path);
    assert.ok(page.body.includes(`Key …${app.serverKey.slice(-4)}`) && page.body.includes('/v1/requests/{id}/cancel'));
  });

  await t.test('a pasted Idempotency-Key leaves the address', async () => {
    const app = await newApp();
    const answer = await developer.get(`/developer/apps/${app.id}/log?status=4xx&key=order+7`);
    assert.equal(answer.statusCode, 303);
    assert.equal(answer.headers.location, `/developer/apps/${app.id}/log?status=4xx&key=${shortOf('order 7')}`);
  });

  await t.test('a retry that paid twice shows two payments, and one that was answered again shows one', async () => {
    const app = await newApp();
    const payment = (n: number) => `0199f5c2-7d1e-7a44-9c1${n}-2f6f0d0c81b7` as RequestId;
    const made = (key: string, paymentId: RequestId | null) => ({
      at: minutesAgo(1),
      idempotency: shortOf(key),
      paymentId,
    });
    await insertCalls(db, app.id, [
      ...[made('once', payment(1)), made('once', payment(1)), made('once', null)],
      ...[made('twice', payment(2)), made('twice', payment(3))],
    ]);
    const textOf = async (key: string) =>
      (await developer.get(`/developer/apps/${app.id}/log?key=${shortOf(key)}`)).body;
    assert.match(await textOf('once'), /3 calls on this page with this Idempotency-Key\. All that are about a payment/);
    assert.match(await textOf('twice'), /They are about 2 payments:/);
  });

  await t.test('pages continue where the one before ended, with the same filter, and show each call once', async () => {
    const app = await newApp();
    const ids = await insertCalls(
      db,
      app.id,
      Array.from({ length: 120 }, (_, i) => ({ at: minutesAgo(i), status: i % 6 === 5 ? 404 : 200 })),
    );
    for (const [query, expected] of [
      ['', ids],
      ['?status=2xx', ids.filter((_, i) => i % 6 !== 5)],
    ] as const) {
      const seen: string[] = [];
      let next: string | undefined = `/developer/apps/${app.id}/log${query}`;
      for (let pages = 0; next !== undefined && pages < 5; pages++) {
        const { body } = await developer.get(next);
        seen.push(...idsIn(body));
        next = /<a href="([^"]+)" rel="next">Older/.exec(body)?.[1]?.replaceAll('&amp;', '&');
      }
      assert.deepEqual(seen, expected);
    }
    assert.equal((await developer.get(`/developer/apps/${app.id}/log?before=1`)).statusCode, 400);
  });

  await t.test('a call has a page, which explains its error and leads to what it concerns', async () => {
    const app = await newApp();
    const { userId } = await s.createGuest(app);
    const paymentId = '0199f5c2-7d1e-7a44-9c14-2f6f0d0c81b7' as RequestId;
    const call = {
      at: minutesAgo(1),
      userId,
      status: 409,
      code: 'request-decided',
      fields: 'amount, transfers[0].user',
      idempotency: '0fc89f8a',
      paymentId,
    };
    const [id] = await insertCalls(db, app.id, [{ ...call, route: '/v1/requests/:id/cancel' }]);
    const { body } = await developer.get(`/developer/apps/${app.id}/log/${id}`);
    for (const part of [
      'The request is already decided',
      '<code>amount, transfers[0].user</code>',
      'href="/docs/reference/problems#request-decided"',
      `/developer/apps/${app.id}/payments/${paymentId}`,
      `?user=${userId}`,
      '?key=0fc89f8a',
      `>${id}<`,
    ]) {
      assert.ok(body.includes(part), part);
    }
    const { body: docs } = await s.app.inject('/docs/reference/problems');
    assert.ok(docs.includes('id="request-decided"'));
    assert.ok((await s.app.inject('/docs/guides/console')).body.includes('id="the-log-of-calls"'));
  });

  await t.test('members read the log, others get 404', async () => {
    const app = await newApp();
    const [id] = await insertCalls(db, app.id, [{ at: minutesAgo(1) }]);
    const [viewer, stranger] = [await createDeveloper(s), await createDeveloper(s)];
    await addMember(s, app.id, viewer, 'viewer');
    const own = await newApp(stranger);
    const paths = (of: string) => [`/developer/apps/${of}/log`, `/developer/apps/${of}/log/${id}`];
    const statuses = async (who: Developer, of: string) =>
      Promise.all(paths(of).map(async (path) => (await who.get(path)).statusCode));
    assert.deepEqual(await statuses(viewer, app.id), [200, 200]);
    assert.deepEqual(await statuses(stranger, app.id), [404, 404]);
    assert.deepEqual(await statuses(stranger, own.id), [200, 404]);
    assert.equal((await developer.get(`/developer/apps/${app.id}/log/none`)).statusCode, 404);
  });

  await t.test('the pages in a browser', { skip: NO_BROWSER || notInTurn(2, 'log page') }, async (t) => {
    const app = await newApp();
    const browser = await startBrowser(t);
    const context = await browser.newContext();
    const [name = '', value = ''] = developer.cookie.split('=');
    await context.addCookies([{ name, value, url: s.origin }]);
    const page = await context.newPage();
    await page.goto(`${s.origin}/developer/apps/${app.id}/log`);
    await page.getByText('No calls yet').waitFor();
    await assertFitInLooks(page, 'log-empty');

    const keyId = hash('sha256', app.serverKey).slice(0, 16);
    const refused = { status: 429, code: 'credential-not-allowed', idempotency: shortOf('order 7') };
    await insertCalls(db, app.id, [
      ...Array.from({ length: 60 }, (_, i) => ({ at: minutesAgo(i + 2), keyId })),
      { at: minutesAgo(1), route: '/v1/webhook-endpoints/:id/rotate-secret', keyId, ...refused },
    ]);
    await page.reload();
    await assertFitInLooks(page, 'log');
    await page.getByText('More filters').click();
    await page.getByLabel('Idempotency-Key').fill('order 7');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(/key=[0-9a-f]{8}/);
    assert.equal(await page.getByRole('row').count(), 2);
    await assertFitInLooks(page, 'log-filtered');
    await page.getByRole('row').last().getByRole('link').click();
    await page.getByRole('heading', { name: 'rotate-secret' }).waitFor();
    await assertFitInLooks(page, 'log-call');
    await context.close();
  });
});

test('with API_LOG=off nothing is recorded, and the page says so', async (t) => {
  const s = await startTestService(t, { env: { API_LOG: 'off' } });
  const developer = await createDeveloper(s);
  const app = await s.createApp({ ownerId: developer.userId });
  const answer = await s.app.inject({ url: '/v1/requests', headers: { authorization: `Bearer ${app.serverKey}` } });
  assert.equal(answer.statusCode, 200);
  assert.equal(callsWaiting(s.service).take(), null);
  assert.match((await developer.get(`/developer/apps/${app.id}/log`)).body, /turned this log off/);
});
