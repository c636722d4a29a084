import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { registerPages } from '../../src/pages/pages.ts';
import { createApiSite, createSite } from '../../src/process/site.ts';
import { outcomeUnknown } from '../../src/service/unknown-outcome.ts';
import { ask, fundedPayment, newPayment, sendForm } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';

const GAME = 'https://game.example';

test('the content and headers of the approval pages', async (t) => {
  const service = await sharedService(t);
  const framed = await service.createApp({ redirectUris: [`${GAME}/back`], frameAncestors: [GAME] });
  const plain = await service.createApp();

  const common = {
    'referrer-policy': 'same-origin',
    'permissions-policy':
      'camera=(), geolocation=(), microphone=(), payment=(), publickey-credentials-get=(), publickey-credentials-create=()',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-type': 'text/html; charset=utf-8',
    'content-language': 'en',
    vary: 'accept-language, cookie',
  };
  const unframed = { 'cross-origin-resource-policy': 'same-origin' };
  /** As the page of a game needs that is cross-origin isolated. */
  const frameable = {
    'cross-origin-resource-policy': 'cross-origin',
    'cross-origin-embedder-policy': 'require-corp',
  };
  const csp = (between: string, ancestors: string) =>
    `default-src 'none'; style-src 'self'; img-src 'self'; ${between}; base-uri 'none'; frame-ancestors ${ancestors}`;
  const sent = ({ date, connection, 'content-length': length, ...headers }: Record<string, string>) => headers;

  await t.test('each kind of page sends its own security headers', async () => {
    const asked = await (await newPayment(service, framed)).open();
    assert.deepEqual(sent(asked.headers), {
      ...common,
      ...frameable,
      'content-security-policy': csp(`script-src 'self'; connect-src 'self'; form-action 'self' https:`, GAME),
      'cross-origin-opener-policy': 'unsafe-none',
    });

    const payment = await newPayment(service, plain);
    const result = await payment.decide({ decision: 'decline' });
    assert.deepEqual(sent(result.headers), {
      ...common,
      ...unframed,
      'content-security-policy': csp(`script-src 'self'; form-action 'self'`, `'none'`),
      'cross-origin-opener-policy': 'unsafe-none',
      'x-frame-options': 'DENY',
    });

    const missing = await ask(service, { url: `/requests/${payment.id}?firebase_token=x` });
    assert.deepEqual(sent(missing.headers), {
      ...common,
      ...unframed,
      'content-security-policy': csp(`form-action 'self'`, `'none'`),
      'cross-origin-opener-policy': 'unsafe-none',
      'x-frame-options': 'DENY',
    });
  });

  await t.test('the page shows the game, the amount, the description and the balance after', async () => {
    const payment = await newPayment(service, framed, { tokens: 1_234_567, description: 'a castle' });
    await service.issue(payment.guest.userId, 2_000_001);
    const { body } = await payment.open();
    for (const text of ['“Test Game”', '1,234,567</strong>', '“a castle”', '<dd>2,000,001 ', '<dd>765,434 ']) {
      assert.ok(body.includes(text), text);
    }
    assert.match(body, /<html lang="en" dir="ltr">/);
    assert.match(body, /<header>[\s\S]*<footer>/);
    assert.doesNotMatch((await payment.open({ inline: 'true' })).body, /<header>|This page belongs to/);
  });

  await t.test("markup in a game's name and description is shown as text", async () => {
    const attack = `</p><script>alert(1)</script><img src=x onerror='a'>"&amp;`;
    const app = await service.createApp({ name: attack.slice(0, 70), autoApprove: true });
    const payment = await newPayment(service, app, { description: attack });
    await service.issue(payment.guest.userId, 100);
    const page = await payment.open({ inline: '"><b>' });
    const result = await payment.decide({ decision: 'approve', inline: '"><b>' });
    for (const { body } of [page, result]) assert.doesNotMatch(body, /<script>|<img src=x|<b>/);
    assert.match(page.body, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
  });

  await t.test('browsers may cache the files of a page', async () => {
    const payment = await fundedPayment(service, plain);
    const page = await payment.decide({ decision: 'approve' });
    const files = [...page.body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((match) => match[1]!);
    const answers = await Promise.all([...new Set(files)].map((url) => ask(service, { url })));
    assert.ok(answers.length >= 4);
    for (const { status, headers } of answers) {
      assert.equal(status, 200);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers['x-content-type-options'], 'nosniff');
    }
  });

  await t.test('no token appears in the log', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const app = await createSite({ ...service.service, log: logger });
    const payment = await fundedPayment(service, framed);
    const page_token = await payment.formToken();
    const onLogged = { ...service, app };
    await ask(onLogged, { url: payment.path() });
    await ask(onLogged, { url: payment.path().replace('firebase_token', 'x') });
    await ask(onLogged, {
      method: 'POST',
      url: `/requests/${payment.id}/decision`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', referer: service.origin + payment.path() },
      payload: new URLSearchParams({ page_token, decision: 'approve' }).toString(),
    });
    await app.close();
    const log = lines.join('');
    assert.ok(log.includes(payment.id));
    for (const secret of [payment.guest.pageToken, page_token, 'Test Game', 'a sword']) {
      assert.ok(!log.includes(secret), secret.slice(0, 8));
    }
  });

  await t.test('an unknown address answers a browser with a page and a program with a problem', async () => {
    const page = await ask(service, { url: '/account/nothing', headers: { accept: 'text/html,*/*;q=0.8' } });
    assert.equal(page.status, 404);
    assert.match(page.body, /<h1>Page not found<\/h1>/);
    const answers: [accept: string, url: string, status: number, title: string][] = [
      ['text/html', '/', 200, 'Your quarters, in every game'],
      ['text/html', '/nothing', 404, 'Page not found'],
      ['text/html', '/%zz', 404, 'Page not found'],
      ['*/*', '/account/nothing', 404, ''],
      ['*/*', '/%zz', 400, ''],
      ['text/html', '/v1', 404, ''],
      ['text/html', '/v1/nothing', 404, ''],
      ['text/html', '/v1/%zz', 400, ''],
    ];
    for (const [accept, url, status, title] of answers) {
      const { body, headers, ...answer } = await ask(service, { url, headers: { accept } });
      assert.equal(answer.status, status, url);
      assert.match(headers['content-type'] ?? '', title ? /^text\/html/ : /^application\/problem\+json/, url);
      assert.equal(/<h1>([^<]*)</.exec(body)?.[1] ?? '', title, url);
    }
  });

  await t.test('a decision with unknown outcome says so, even when the database is unavailable by then', async () => {
    const payment = await newPayment(service, plain);
    const page_token = await payment.formToken();
    const { db } = service.service;
    for (const isAway of [true, false]) {
      let broken = false;
      const away = Object.assign(new Error('secret detail'), { code: 'ECONNREFUSED' });
      const query: typeof db.query = (...args) => (broken ? Promise.reject(away) : db.query(...args));
      const decide = () => {
        broken = isAway;
        return Promise.reject(outcomeUnknown());
      };
      const app = await createApiSite(service.service);
      await registerPages(app, { ...service.service, accept: decide, db: { ...db, query } });
      const answer = await sendForm({ ...service, app }, payment.id, { page_token, decision: 'approve' });
      await app.close();
      assert.deepEqual([answer.status, answer.headers['retry-after']], [503, undefined]);
      assert.match(answer.body, /<h1>We don’t know yet if this went through<\/h1>/);
    }
  });

  await t.test('a fault of the service is a page without internal details', async () => {
    const payment = await newPayment(service, plain);
    const refused = Object.assign(new Error('secret detail'), { code: 'ECONNREFUSED' });
    for (const [error, status, title] of [
      [new Error('secret detail'), 500, /Something went wrong on our side/],
      [refused, 503, /<h1>We can’t load your balance right now<\/h1>/],
    ] as const) {
      const app = await createApiSite(service.service);
      const { db } = service.service;
      let broken = false;
      const query: typeof db.query = (...args) => (broken ? Promise.reject(error) : db.query(...args));
      await registerPages(app, { ...service.service, db: { ...db, query } });
      broken = true;
      const answer = await ask({ ...service, app }, { url: payment.path() });
      await app.close();
      assert.deepEqual([answer.status, answer.headers['retry-after']], [status, status === 503 ? '5' : undefined]);
      assert.match(answer.body, title);
      assert.doesNotMatch(answer.body, /secret detail/);
    }
  });
});
