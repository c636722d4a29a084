import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { call } from '../kit/service/call.ts';
import { guestPath } from '../kit/service/conversion.ts';
import { createDeveloper, registerApp } from '../kit/service/developer.ts';
import { hiddenField, sendForm } from '../kit/service/forms.ts';
import { codeIn, mailAtOnce } from '../kit/service/mailbox.ts';
import { hiddenFields } from '../kit/service/oauth-browser.ts';
import { authorizeUrl, redemption, refreshing } from '../kit/service/oauth-world.ts';
import { newPayment } from '../kit/service/payment.ts';
import { sendRaw } from '../kit/service/raw.ts';
import { PASSWORD, personWithPassword } from '../kit/service/with-password.ts';
import { startLogged } from './logged-world.ts';

test('no log line contains a secret, and each request has a log line', async (t) => {
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

  // The developer pages show secrets.
  const developer = await createDeveloper(world);
  const made = await registerApp(developer);
  secret('server key of the developer pages', made.serverKey);
  secret('client secret of the developer pages', made.clientSecret);

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
