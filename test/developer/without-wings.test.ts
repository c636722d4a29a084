import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/database.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { call } from '../kit/service/call.ts';
import { createDeveloper } from '../kit/service/developer.ts';
import { move } from '../kit/service/history.ts';
import { startTestService, type TestApp, type TestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { asUser } from '../kit/unit/callers.ts';

/** A developer with an app that a player was asked to pay, so that its overview has more than first steps. */
async function startUsedApp(s: TestService) {
  const developer = await createDeveloper(s);
  const app = await s.createApp({ ownerId: developer.userId });
  const { userId } = await s.createGuest(app);
  const { id } = await createRequest(s.service, asUser(userId, app.id), { tokens: 1, appId: app.id });
  await move(s, id, 'cancel');
  return { developer, app, path: `/developer/apps/${app.id}` };
}

const callWith = (s: TestService, { serverKey }: TestApp) => call(s.app, 'GET /v1/requests', { token: serverKey });

test('without the log of calls nothing is kept of them, and nothing leads there', async (t) => {
  const s = await startTestService(t, { wings: '-call-log' });
  const { developer, app, path } = await startUsedApp(s);
  for (let i = 0; i < 3; i++) await callWith(s, app);
  assert.equal((await developer.get(`${path}/log`)).statusCode, 404);
  for (const page of [path, `${path}/keys`]) {
    const { statusCode, body } = await developer.get(page);
    assert.equal(statusCode, 200, page);
    assert.doesNotMatch(body, /\/log["?]/, page);
  }
  const { body } = await developer.get(path);
  assert.match(body, /Approval rate/);
  assert.doesNotMatch(body, /API errors/);
  const counters = (await s.app.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })).body;
  assert.match(counters, /quarters_http_requests_total/);
  assert.doesNotMatch(counters, /api_log_dropped/);

  await s.stop();
  const db = openDatabase(s.databaseUrl);
  atEnd(t, () => db.close());
  for (const table of ['api_calls', 'api_call_hours']) {
    assert.deepEqual(await db.query(`SELECT FROM ${table}`), [], table);
  }
});

test('without the console for developers no page of it exists, and nothing leads there', async (t) => {
  const s = await startTestService(t, { wings: '-developers-console' });
  const { developer, app, path } = await startUsedApp(s);
  await callWith(s, app);
  for (const page of ['/developer', path, `${path}/log`, `${path}/statement`]) {
    assert.equal((await developer.get(page)).statusCode, 404, page);
  }
  for (const page of [
    '/',
    '/account',
    '/account/close',
    '/tour',
    '/docs',
    '/docs/reference',
    '/docs/reference/events',
  ]) {
    const { statusCode, body } = await developer.get(page);
    assert.equal(statusCode, 200, page);
    assert.doesNotMatch(body, /["']\/developer/, page);
  }
});

test('without the economy the overview of an app opens, and says what it can', async (t) => {
  const s = await startTestService(t, { wings: '-economy' });
  const { developer, app, path } = await startUsedApp(s);
  const { statusCode, body } = await developer.get(path);
  assert.equal(statusCode, 200);
  assert.ok(body.includes(app.id));
  assert.doesNotMatch(body, /Approval rate|aria-label="Period"|<canvas/);
  const payments = await developer.get(`${path}/payments`);
  assert.match(payments.body, /Download CSV/);
  assert.doesNotMatch(payments.body, /Monthly statement/);
  assert.equal((await developer.get(`${path}/statement`)).statusCode, 404);
});
