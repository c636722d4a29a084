import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { asQuarters } from '../../src/base/quarters.ts';
import { currentContext, withContext } from '../../src/base/request-context.ts';
import { ALL_SECURITY_EVENTS } from '../../src/base/security-events.ts';
import { logOptions } from '../../src/boot/log.ts';
import { hashId } from '../../src/oauth/records.ts';
import { issueQuarters } from '../../src/usecases/operator/issue-quarters.ts';
import { call } from '../api/call.ts';
import { sendRaw } from '../api/raw.ts';
import { createDeveloper, registerApp } from '../console/developer.ts';
import { newPayment } from '../pages/payment.ts';
import { guestPath } from '../people/conversion.ts';
import { hiddenField, sendForm } from '../people/forms.ts';
import { PASSWORD, personWithPassword } from '../people/with-password.ts';
import { changeRecords } from '../rows/oauth.ts';
import { earlier } from '../rows/times.ts';
import { atEnd } from '../support/at-end.ts';
import { codeIn, mailAtOnce } from '../support/mailbox.ts';
import { until } from '../support/until.ts';
import { hiddenFields } from './browser.ts';
import { authorizeUrl, redemption, refreshing, startWorld } from './world.ts';

type Line = Record<string, unknown> & { msg: string };

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

/** The whole service, with its log as a process writes it. */
async function startLogged(t: TestContext, env: Record<string, string> = {}) {
  const written: string[] = [];
  const log = pino(logOptions({ logLevel: 'debug' }), { write: (line: string) => void written.push(line) });
  const world = await startWorld(t, { log, env: { TRUST_PROXY: '1', ...env } });
  const lines = () => written.map((line) => JSON.parse(line) as Line);
  /** What was noted of security meanwhile. */
  const noted = async (act: () => Promise<unknown>) => {
    const before = written.length;
    await act();
    return lines()
      .slice(before)
      .filter(({ security }) => security !== undefined)
      .map(({ level, time: _, msg: __, ...entry }) => entry);
  };
  return { world, written, lines, noted };
}

test('no line of the log holds a secret, and each request has one', async (t) => {
  const { world, written, lines } = await startLogged(t);
  const { app, service } = world;
  const secrets: Record<string, string> = {};
  const secret = (name: string, value: string | undefined) => {
    assert.ok(value && value.length >= 6, `${name} is a secret to look for`);
    secrets[name] = value;
    return value;
  };
  const key = secret('idempotency key', `order-${randomUUID()}`);

  // The API, by every kind of bearer token; what is wrong stays as secret as what is right.
  const game = await world.createApp({ redirectUris: ['https://game.example/callback'] });
  secret('server key', game.serverKey);
  const guest = await world.createGuest(game);
  const [token, page] = [secret('access token', guest.accessToken), secret('page token', guest.pageToken)];
  await call(app, 'POST /v1/new-guest', { token: game.serverKey, headers: { 'idempotency-key': key } });
  await call(app, `GET /v1/me?access_token=${token}`, { token });
  await call(app, 'GET /v1/me', { token: secret('wrong token', `qa_${'w'.repeat(43)}`) });
  await call(app, 'GET /v1/me', { headers: { authorization: `Basic ${secret('basic', 'Z2FtZTpzZWNyZXQtc2VjcmV0')}` } });
  await call(app, `GET /v1/requests/${token}`, { token });
  await call(app, `GET /nowhere/${token}?firebase_token=${page}`);
  await call(app, `GET /%zz/${token}`);
  await call(app, 'POST /v1/requests', { token, text: `{"description": "${token}` });

  // The approval page, a guest's way to an account, the payment's progress.
  const payment = await newPayment(world, game, { guest });
  await payment.open();
  const formToken = secret('form token', await payment.formToken());
  await payment.decide({ page_token: formToken, decision: 'decline' });
  await payment.decide({ page_token: `${formToken.slice(0, -2)}xx`, decision: 'decline' });
  await app.inject({ url: guestPath(game, guest) });
  await app.inject({ url: `/requests/${payment.id}/progress?token=${formToken}` });

  // Passwords, mailed codes, cookies, forms.
  const person = await personWithPassword(world);
  secret('e-mail address', person.email);
  secret('cookie', person.cookie.split('=')[1]);
  secret('form token of a session', person.csrf);
  const wrong = secret('wrong password', 'not the password at all');
  secret('password', PASSWORD);
  for (const password of [wrong, PASSWORD]) await sendForm(world, '/sign-in', { email: person.email, password });
  await sendForm(world, '/sign-in', {
    email: secret('password in the wrong field', 'hunter2-hunter2'),
    password: wrong,
  });
  const asked = await sendForm(world, '/forgot', { email: person.email });
  const mailed = codeIn(await mailAtOnce(world, person.email));
  const flow = secret('sealed field', hiddenField(asked.body, 'flow'));
  const proved = await sendForm(world, '/forgot/code', { flow, code: mailed });
  const next = secret('password that was set', 'a whole new password');
  await sendForm(world, '/forgot/password', { flow: hiddenField(proved.body, 'flow'), password: next });
  await app.inject({ url: '/account', headers: { cookie: person.cookie } });

  // OAuth: interactions, codes, tokens, secrets in the body and in the header.
  const client = await world.createClient();
  secret('client secret', client.secret);
  const browser = await world.browser(await world.createUser());
  const consent = await browser.arrive(authorizeUrl(world.origin, client));
  secret('interaction', consent.url.split('/').at(-1));
  const agreed = await browser.visit(consent.url, { ...hiddenFields(consent), decision: 'allow' });
  const done = await browser.visit(agreed.location!);
  const code = secret('authorization code', new URL(done.location!).searchParams.get('code')!);
  const basic = secret('basic credentials', Buffer.from(`${client.id}:${client.secret}`).toString('base64'));
  const { body: tokens } = await world.token(
    { grant_type: 'authorization_code', code },
    { headers: { authorization: `Basic ${basic}` } },
  );
  for (const name of ['access_token', 'refresh_token', 'id_token']) secret(name, tokens[name]);
  await world.token(redemption(client, code), { json: true });
  const { body: second } = await world.token(
    refreshing({ ...client, secret: `${client.secret}x` }, tokens.refresh_token!),
  );
  assert.equal(second.error, 'invalid_client');
  const form = (path: string, token: string) =>
    fetch(world.origin + path, {
      method: 'POST',
      body: new URLSearchParams({ token, client_id: client.id, client_secret: client.secret }),
    });
  for (const path of ['/oauth/introspect', '/oauth/revoke']) await (await form(path, tokens.access_token!)).text();
  await fetch(`${world.origin}/oauth/userinfo`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
  await browser.visit(`/oauth/logout?id_token_hint=${tokens.id_token}`);

  // The console shows secrets.
  const developer = await createDeveloper(world);
  const made = await registerApp(developer);
  secret('server key of the console', made.serverKey);
  secret('client secret of the console', made.clientSecret);

  // What never becomes a request, and errors of ours.
  await sendRaw(
    Number(new URL(world.origin).port),
    `GET /?t=${token} HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
  );
  service.log.error({ err: Object.assign(new Error('ok'), { detail: token, headers: { cookie: next } }) }, 'an error');

  // Without a mail server mails are in the log, as is said of it.
  const log = written.filter((line) => !line.includes('as no SMTP_URL is set'));
  for (const [name, value] of Object.entries(secrets)) {
    const line = log.find((line) => line.includes(value));
    assert.equal(line, undefined, `${name} is in the log`);
  }
  const requests = lines().filter(({ msg }) => msg === 'request');
  const routes = new Set(requests.map(({ method, route }) => `${method} ${route}`));
  for (const route of [
    'POST /v1/new-guest',
    'GET /v1/requests/:id',
    'GET undefined',
    'POST /requests/:id/decision',
    'POST /sign-in',
    'POST /forgot/password',
    'POST /oauth/token',
    'GET /oauth/authorize',
    'POST /oauth/introspect',
    'POST /developer/apps/new',
  ]) {
    assert.ok(routes.has(route), `${route} is logged: ${[...routes].join(', ')}`);
  }
  const shortHash = createHash('sha256').update(key).digest('hex').slice(0, 8);
  assert.equal(requests.filter(({ idempotency }) => idempotency === shortHash).length, 1);
  assert.ok(requests.some(({ refused, status }) => refused === 'headers-too-large' && status === 431));
});

test('what is logged and noted of a call', async (t) => {
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

  await t.test('a request: who called what from where, by an id that the caller was told', async () => {
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

  await t.test('OAuth answers past the framework, and is logged all the same', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...from('2001:db8:1:2:3:4:5:6') };
    const body = new URLSearchParams({ ...redemption(client, 'no such code') });
    const answer = await fetch(`${world.origin}/oauth/token`, { method: 'POST', headers, body });
    assert.equal(answer.status, 400);
    const isOurs = ({ client, msg }: Line) => client === '2001:db8:1:2::/64' && msg === 'request';
    await until('the request is logged', () => lines().some(isOurs));
    const { requestId } = lines().find(isOurs)!;
    assert.deepEqual(await lineOf(requestId), {
      requestId,
      client: '2001:db8:1:2::/64',
      appId: client.id,
      method: 'POST',
      route: '/oauth/token',
      status: 400,
    });
  });

  await t.test('a caller who goes away before the answer', async () => {
    const held = Promise.withResolvers<void>();
    let arrived = false;
    const original = db.query;
    t.mock.method(db, 'query', async (...args: Parameters<typeof original>) => {
      arrived = true;
      await held.promise;
      return original(...args);
    });
    const socket = connect(Number(new URL(world.origin).port), 'localhost');
    atEnd(t, () => void socket.destroy());
    socket.write(`GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer qa_${'x'.repeat(43)}\r\n\r\n`);
    await until('the call is under way', () => arrived);
    socket.destroy();
    await until('the loss is logged', () => lines().some(({ aborted }) => aborted === true));
    t.mock.restoreAll();
    held.resolve(undefined);
    const line = lines().find(({ aborted }) => aborted === true)!;
    // What it had begun goes on, and still knows whose it is.
    await until('its end is noted', () =>
      lines().some(({ security, requestId }) => security === 'credential-denied' && requestId === line.requestId),
    );
    assert.deepEqual([line.route, 'status' in line], ['/v1/me', false]);
  });

  await t.test('calls at once, and bodies that come late, keep each its own', async () => {
    const addresses = Array.from({ length: 20 }, (_, i) => `198.51.100.${i + 1}`);
    const events = await noted(() =>
      Promise.all(
        addresses.map((address) => {
          const body = new URLSearchParams({ email: `${address}@mail.example`, password: 'wrong wrong wrong' });
          return sendLate(`${world.origin}/sign-in`, body.toString(), from(address));
        }),
      ),
    );
    assert.deepEqual(events.map(({ client }) => client).sort(), addresses.sort());
    assert.equal(new Set(events.map(({ requestId }) => requestId)).size, 20);
    for (const event of events)
      assert.deepEqual([event.security, event.what, 'userId' in event], ['sign-in-failed', 'password', false]);
  });

  await t.test('signing in, failing at it, and being locked out, which is said once', async () => {
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

  await t.test('a password reset by code', async () => {
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

  await t.test('a credential of the API that is none, or not for this', async () => {
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

  await t.test('OAuth: a wrong secret, a code replayed, a refresh token reused, a token revoked', async () => {
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

  await t.test('what calls share is part of none of them', async () => {
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

  await t.test('a form of another site', async () => {
    const developer = await createDeveloper(world);
    const events = await noted(() =>
      developer.post('/developer/apps/new', { name: 'X' }, { 'sec-fetch-site': 'cross-site' }),
    );
    assert.deepEqual(
      events.map(({ security, userId }) => [security, userId]),
      [['foreign-form', developer.userId]],
    );
  });

  await t.test('each event, and each class of answers, is a metric from the start on', async () => {
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

test('ACCESS_LOG=off leaves security events and counts', async (t) => {
  const { world, lines } = await startLogged(t, { ACCESS_LOG: 'off' });
  await call(world.app, 'GET /v1/me', { token: `qk_${'0'.repeat(43)}` });
  assert.deepEqual(
    lines()
      .map(({ msg }) => msg)
      .filter((msg) => msg === 'request'),
    [],
  );
  assert.ok(lines().some(({ security }) => security === 'credential-denied'));
  assert.ok(
    world.service.answers
      .entries()
      .some(({ area, answer, count }) => area === 'api' && answer === '4xx' && count === 1),
  );
});
