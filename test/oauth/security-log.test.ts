import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { currentContext, withContext } from '../../src/base/log.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { ALL_SECURITY_EVENTS } from '../../src/base/security-log.ts';
import { issueQuarters } from '../../src/features/payments/issue-quarters.ts';
import { hashId } from '../../src/oauth/records.ts';
import { call } from '../kit/service/call.ts';
import { createDeveloper } from '../kit/service/developer.ts';
import { hiddenField, sendForm } from '../kit/service/forms.ts';
import { codeIn, mailAtOnce } from '../kit/service/mailbox.ts';
import { redemption, refreshing } from '../kit/service/oauth-world.ts';
import { newPayment } from '../kit/service/payment.ts';
import { PASSWORD, personWithPassword } from '../kit/service/with-password.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';
import { changeRecords } from '../rows/oauth.ts';
import { earlier } from '../rows/times.ts';
import { startLogged } from './logged-world.ts';

/** Sends a form whose body comes after the service has begun with the request (RFC 9110, section 10.1.1). */
function sendLate(url: string, body: string, headers: Record<string, string>): Promise<unknown> {
  const sent = httpRequest(url, {
    method: 'POST',
    headers: {
      ...headers,
      origin: new URL(url).origin,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': body.length,
      expect: '100-continue',
    },
  });
  sent.once('continue', () => sent.end(body)).flushHeaders();
  return once(sent, 'response').then(([answer]) => answer.resume());
}

test('request log and security events of a call', async (t) => {
  const { world, lines, noted } = await startLogged(t);
  const { app, service } = world;
  const { db } = service;
  const client = await world.createClient();
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const lineOf = async (id: unknown) => {
    await until('the request is logged', () =>
      lines().some(({ requestId, msg }) => requestId === id && msg === 'request'),
    );
    const { level, time, ms, msg, ...entry } = lines().find(
      ({ requestId, msg }) => requestId === id && msg === 'request',
    )!;
    assert.ok(level === 30 && typeof time === 'number' && typeof ms === 'number' && ms >= 0);
    return entry;
  };

  await t.test('a request is logged with caller, route, address and the id the caller got', async () => {
    const game = await world.createApp();
    const guest = await world.createGuest(game);
    const payment = await newPayment(world, game, { guest });
    const url = `/v1/requests/${payment.id}?x=y`;
    const answer = await call(app, `GET ${url}`, { token: guest.accessToken, headers: from('192.0.2.7') });
    assert.equal(answer.statusCode, 200);
    assert.deepEqual(await lineOf(answer.headers['request-id']), {
      requestId: answer.headers['request-id'],
      client: '192.0.2.7',
      appId: game.id,
      userId: guest.userId,
      method: 'GET',
      route: '/v1/requests/:id',
      id: payment.id,
      status: 200,
    });
  });

  await t.test('OAuth requests, answered outside the framework, are logged too', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...from('2001:db8:1:2:3:4:5:6') };
    const body = new URLSearchParams({ ...redemption(client, 'no such code') });
    const answer = await fetch(`${world.origin}/oauth/token`, { method: 'POST', headers, body });
    assert.equal(answer.status, 400);
    const find = () => lines().find(({ client, msg }) => client === '2001:db8:1:2::/64' && msg === 'request');
    await until('the request is logged', () => find() !== undefined);
    const { requestId } = find()!;
    assert.deepEqual(await lineOf(requestId), {
      requestId,
      client: '2001:db8:1:2::/64',
      appId: client.id,
      code: 'invalid_grant',
      method: 'POST',
      route: '/oauth/token',
      status: 400,
    });
  });

  await t.test('a request whose caller disconnects early is logged', async () => {
    const held = Promise.withResolvers<void>();
    let arrived = false;
    const original = db.lookUp;
    t.mock.method(db, 'lookUp', async (...args: Parameters<typeof original>) => {
      arrived = true;
      await held.promise;
      return original(...args);
    });
    try {
      const socket = connect(Number(new URL(world.origin).port), 'localhost');
      atEnd(t, () => void socket.destroy());
      socket.write(`GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer qa_${'x'.repeat(43)}\r\n\r\n`);
      await until('the call is under way', () => arrived);
      socket.destroy();
      await until('the loss is logged', () => lines().some(({ aborted }) => aborted === true));
    } finally {
      t.mock.restoreAll();
      held.resolve();
    }
    const line = lines().find(({ aborted }) => aborted === true)!;
    // The work it began continues, and its log lines still name the call.
    await until('its end is noted', () =>
      lines().some(({ security, requestId }) => security === 'credential-denied' && requestId === line.requestId),
    );
    assert.deepEqual([line.route, 'status' in line], ['/v1/me', false]);
  });

  await t.test('concurrent requests and late bodies keep their own log context', async () => {
    const addresses = Array.from({ length: 8 }, (_, i) => `198.51.100.${i + 1}`);
    const events = await noted(() =>
      Promise.all(
        addresses.map((address) => {
          const body = new URLSearchParams({ email: `${address}@mail.example`, password: 'wrong wrong wrong' });
          return sendLate(`${world.origin}/sign-in`, body.toString(), from(address));
        }),
      ),
    );
    assert.deepEqual(events.map(({ client }) => client).sort(), addresses.sort());
    assert.equal(new Set(events.map(({ requestId }) => requestId)).size, 8);
    for (const event of events)
      assert.deepEqual([event.security, event.what, 'userId' in event], ['sign-in-failed', 'password', false]);
  });

  await t.test('sign-ins, failures and one lockout are logged', async (t) => {
    t.mock.method(service.delays, 'wait', async () => {});
    const person = await personWithPassword(world);
    const headers = from('203.0.113.9');
    const attempt = (password: string) => sendForm(world, '/sign-in', { email: person.email, password }, headers);
    const events = await noted(async () => {
      await attempt(PASSWORD);
      for (let i = 0; i < 12; i++) await attempt('wrong');
    });
    assert.ok(events.every(({ client }) => client === '203.0.113.9'));
    assert.deepEqual(
      events.map(({ security, userId = null }) => [security, userId]),
      [
        ['sign-in', person.userId],
        ...Array.from({ length: 9 }, () => ['sign-in-failed', person.userId]),
        ['locked-out', null],
      ],
    );
    assert.match(String(events.at(-1)!.what), /^sign-in, 10 in 15 minutes/);
  });

  await t.test('a password reset is logged as a security event', async () => {
    const person = await personWithPassword(world);
    const events = await noted(async () => {
      const { body } = await sendForm(world, '/forgot', { email: person.email });
      const code = codeIn(await mailAtOnce(world, person.email));
      const flow = hiddenField(body, 'flow');
      await sendForm(world, '/forgot/code', { flow, code: code === '000000' ? '000001' : '000000' });
      const step = await sendForm(world, '/forgot/code', { flow, code });
      await sendForm(world, '/forgot/password', {
        flow: hiddenField(step.body, 'flow'),
        password: 'quite another password',
      });
    });
    assert.deepEqual(
      events.map(({ security, what }) => `${security} ${what ?? ''}`.trim()),
      ['code-sent reset', 'code-failed reset', 'password-reset', 'sign-in code'],
    );
  });

  await t.test('invalid and insufficient API credentials are logged', async () => {
    const game = await world.createApp();
    const events = await noted(async () => {
      await call(app, 'GET /v1/me', { token: `qk_${'0'.repeat(43)}` });
      await call(app, 'GET /v1/me', { token: game.serverKey });
      await call(app, 'GET /v1/webhook-endpoints', { token: game.serverKey });
      await call(app, 'GET /v1/me');
    });
    assert.deepEqual(
      events.map(({ security, what, appId }) => [security, what, appId]),
      [
        ['credential-denied', 'server key: token-invalid', undefined],
        ['credential-denied', 'server key: credential-not-allowed', game.id],
        ['credential-denied', 'server key: insufficient-scope', game.id],
      ],
    );
  });

  await t.test('a wrong client secret, replayed codes, reused refresh tokens and revocations are logged', async () => {
    const replayed = await world.authorize(await world.browser(await world.createUser()), client);
    const code = redemption(client, replayed.get('code')!);
    const [first, revoked] = [await world.tokens(client), await world.tokens(client)];
    await world.token(refreshing(client, first.refresh_token));
    await changeRecords(db, { hash: hashId(first.refresh_token) }, { consumedAt: earlier('consumedAt', '31 seconds') });
    const events = await noted(async () => {
      await world.token({ ...code, client_secret: 'wrong' });
      await world.token({ ...code, client_id: 'nobody' });
      for (let i = 0; i < 2; i++) await world.token(code);
      await world.token(refreshing(client, first.refresh_token));
      const body = new URLSearchParams({
        token: revoked.access_token,
        client_id: client.id,
        client_secret: client.secret,
      });
      await fetch(`${world.origin}/oauth/revoke`, { method: 'POST', body });
    });
    assert.deepEqual(
      events.map(({ security, appId, userId, requestId }) => [security, appId, userId, typeof requestId]),
      [
        ['client-denied', client.id, undefined, 'string'],
        ['client-denied', undefined, undefined, 'string'],
        ['code-replayed', client.id, undefined, 'string'],
        ['refresh-token-reused', client.id, first.userId, 'string'],
        ['token-revoked', client.id, revoked.userId, 'string'],
      ],
    );
  });

  await t.test('a transaction shared by several calls runs without the context of any', async () => {
    const { id } = await world.createApp();
    const seen: unknown[] = [];
    const transaction: typeof db.transaction = (work) => {
      seen.push(currentContext());
      return db.transaction(work);
    };
    const sharing = { ...service, db: { ...db, transaction } };
    const events = await noted(() =>
      withContext({ requestId: 'this call' }, () => issueQuarters(sharing, { recipient: id, amount: asQuarters(1) })),
    );
    assert.deepEqual(seen, [undefined]);
    assert.deepEqual(
      events.map(({ security, requestId }) => [security, requestId]),
      [['quarters-issued', 'this call']],
    );
  });

  await t.test('a form from another site is logged as a security event', async () => {
    const developer = await createDeveloper(world);
    const events = await noted(() =>
      developer.post('/developer/apps/new', { name: 'X' }, { 'sec-fetch-site': 'cross-site' }),
    );
    assert.deepEqual(
      events.map(({ security, userId }) => [security, userId]),
      [['foreign-form', developer.userId]],
    );
  });

  await t.test('each security event and response class is a metric from the start', async () => {
    const body = await (await fetch(`${world.origin}/metrics`)).text();
    for (const event of ALL_SECURITY_EVENTS) {
      assert.match(body, new RegExp(`^quarters_security_events_total\\{event="${event}"\\} \\d+$`, 'm'));
    }
    const valueAt = (labels: string) =>
      Number(
        body
          .split('\n')
          .find((line) => line.includes(labels))
          ?.split(' ')[1],
      );
    assert.equal(valueAt('{event="refresh-token-reused"}'), 1);
    assert.equal(valueAt('{event="account-closed"}'), 0);
    assert.ok(valueAt('quarters_http_requests_total{area="oauth",status="4xx"}') >= 5);
    assert.ok(valueAt('quarters_http_requests_total{area="api",status="aborted"}') >= 1);
  });
});
