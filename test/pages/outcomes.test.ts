import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../src/base/problems.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { registerPages } from '../../src/pages/pages.ts';
import { startTestService } from '../support/service.ts';
import { fundedPayment, newPayment, sendForm, statusOf, transfersOf } from './payment.ts';

const WEB = 'https://game.example/back?level=3';
const SCHEME = 'com.acme.game://';

test('what the game is told when the page is done', async (t) => {
  const service = await startTestService(t);
  const { db } = service.service;
  const one = await service.createApp({ redirectUris: [WEB] });
  const two = await service.createApp({ redirectUris: [WEB, SCHEME] });
  const none = await service.createApp();

  await t.test('approved: txId and requestId, and the same again whenever it is opened', async () => {
    const payment = await fundedPayment(service, one);
    const answer = await payment.decide({ decision: 'approve' });
    const [txHash] = await transfersOf(service, payment.id);
    assert.equal(answer.status, 303);
    assert.equal(answer.location, `${WEB}&txId=${txHash}&requestId=${payment.id}`);
    assert.equal(answer.headers['referrer-policy'], 'same-origin');
    assert.equal(answer.headers['cache-control'], 'no-store');
    // Opened again, also when it is on the chain: the same.
    assert.equal((await payment.open()).location, answer.location);
    await service.settled();
    const again = await payment.open();
    assert.deepEqual([again.status, again.location], [303, answer.location]);
  });

  await t.test('declined: cancel=true only', async () => {
    const payment = await newPayment(service, one);
    const answer = await payment.decide({ decision: 'decline' });
    assert.deepEqual([answer.status, answer.location], [303, `${WEB}&cancel=true`]);
    assert.equal((await payment.open()).location, answer.location);
    assert.equal(await statusOf(service, payment.id), 'declined');
  });

  await t.test('failed: requestId and a readable error', async () => {
    for (const [change, words] of [
      [`expires_at = now() - interval '1 second'`, 'expired'],
      [`status = 'cancelled'`, 'been%20cancelled'],
      [`status = 'failed'`, 'failed'],
    ]) {
      const payment = await newPayment(service, one);
      const page_token = await payment.formToken();
      await db.query(`UPDATE requests SET ${change} WHERE id = $1`, [payment.id]);
      const location = `${WEB}&requestId=${payment.id}&error=The%20request%20has%20${words}.`;
      assert.deepEqual((await payment.open()).location, location);
      for (const decision of ['approve', 'decline']) {
        assert.equal((await payment.decide({ decision, page_token })).location, location);
      }
    }
  });

  await t.test('a scheme of the game, untouched', async () => {
    const payment = await fundedPayment(service, two);
    const page = await payment.open({ redirect_uri: SCHEME, inline: 'true' });
    assert.match(page.headers['content-security-policy']!, /; form-action 'self' com\.acme\.game:;/);
    assert.match(page.body, /name="redirect_uri" value="com\.acme\.game:\/\/"/);
    const answer = await payment.decide({ decision: 'approve', redirect_uri: SCHEME });
    const [txHash] = await transfersOf(service, payment.id);
    assert.equal(answer.location, `com.acme.game://?txId=${txHash}&requestId=${payment.id}`);
  });

  await t.test('several registered and none named, or none registered: the result page', async () => {
    for (const app of [two, none]) {
      const payment = await newPayment(service, app);
      const answer = await payment.decide({ decision: 'decline' });
      assert.equal(answer.status, 200);
      assert.match(answer.body, /data-result="\{&quot;cancel&quot;:true\}"/);
      assert.match(answer.headers['content-security-policy']!, /; script-src 'self';/);
    }
  });

  await t.test('in a frame, where no address was named: the result page', async () => {
    const payment = await newPayment(service, one);
    const framed = { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' };
    assert.match((await payment.open({}, framed)).headers['content-security-policy']!, /form-action 'self';/);
    const page_token = await payment.formToken();
    assert.equal((await payment.decide({ decision: 'decline' }, framed)).status, 200);
    assert.equal((await payment.open({}, framed)).status, 200);
    const named = { decision: 'decline', redirect_uri: WEB, page_token };
    assert.equal((await payment.decide(named, framed)).location, `${WEB}&cancel=true`);
  });

  await t.test('parameters without a value count as absent', async () => {
    const payment = await newPayment(service, one);
    assert.equal((await payment.open({ redirect_uri: '' })).status, 200);
    assert.equal((await payment.decide({ decision: 'decline', redirect_uri: '' })).location, `${WEB}&cancel=true`);
  });

  await t.test('an address that is not registered: a page, no redirect, no decision', async () => {
    const payment = await fundedPayment(service, one);
    const page_token = await payment.formToken();
    const wrong = [
      'https://evil.example/',
      `${WEB}/`,
      WEB.toUpperCase(),
      'https://game.example/back',
      '//evil.example',
      'javascript:alert(1)',
      `${WEB}\r\nset-cookie: a=b`,
      SCHEME,
      ' ',
    ];
    for (const redirect_uri of wrong) {
      for (const answer of [
        await payment.open({ redirect_uri }),
        await payment.decide({ decision: 'approve', redirect_uri, page_token }),
      ]) {
        assert.deepEqual([answer.status, answer.location], [400, undefined], redirect_uri);
        assert.match(answer.body, /The game gave a wrong address/);
        assert.doesNotMatch(answer.body, /evil/);
      }
    }
    assert.equal(await statusOf(service, payment.id), 'pending');
  });

  await t.test('the other decision won: what really is, is shown', async () => {
    const payment = await fundedPayment(service, one);
    const page_token = await payment.formToken();
    const approved = await payment.decide({ decision: 'approve', page_token });
    assert.equal((await payment.decide({ decision: 'decline', page_token })).location, approved.location);
    assert.equal((await payment.decide({ decision: 'approve', page_token })).location, approved.location);
    assert.equal((await transfersOf(service, payment.id)).length, 1);
  });

  await t.test('not enough: the page again, the request still open', async () => {
    const payment = await newPayment(service, one);
    const page = await payment.open();
    assert.equal(page.status, 200);
    assert.match(page.body, /You need 10 more quarters/);
    assert.match(page.body, /value="approve" disabled>/);
    const answer = await payment.decide({ decision: 'approve' });
    assert.equal(answer.status, 402);
    assert.match(answer.body, /Your balance is too small for this\. Nothing was taken\./);
    assert.equal(await statusOf(service, payment.id), 'pending');
    await service.issue(payment.guest.userId, 10);
    assert.equal((await payment.decide({ decision: 'approve' })).status, 303);
  });

  await t.test('busy: the page again, the request still open', async () => {
    const payment = await fundedPayment(service, one);
    const page_token = await payment.formToken();
    const app = await createHttpServer(service.service);
    const decide = () => Promise.reject(new Problem('overloaded', 'Try again.'));
    await registerPages(app, { ...service.service, decide });
    const answer = await sendForm({ ...service, app }, payment.id, { decision: 'approve', page_token });
    await app.close();
    assert.equal(answer.status, 503);
    assert.match(answer.body, /We are busy right now\. Nothing was taken/);
    assert.equal(await statusOf(service, payment.id), 'pending');
    assert.equal((await payment.decide({ decision: 'approve', page_token })).status, 303);
  });

  await t.test('a standing approval is recorded only where the app is enabled and the box was ticked', async () => {
    const enabled = await service.createApp({ autoApprove: true });
    const cases = [
      { app: enabled, form: { standing: 'on' }, records: 1 },
      { app: enabled, form: {}, records: 0 },
      { app: none, form: { standing: 'on' }, records: 0 },
    ];
    for (const { app, form, records } of cases) {
      const payment = await fundedPayment(service, app);
      const page = await payment.open();
      assert.equal(/<input type="checkbox" name="standing" value="on">/.test(page.body), app === enabled);
      if (app === enabled)
        assert.match(page.body, /up to\s+<strong>100 quarters at a time and 1,000 a day<\/strong> without asking/);
      assert.equal((await payment.decide({ decision: 'approve', ...form })).status, 200);
      const rows = await db.query('SELECT max_per_transfer, max_per_day FROM standing_approvals WHERE user_id = $1', [
        payment.guest.userId,
      ]);
      assert.deepEqual(rows, Array(records).fill({ max_per_transfer: 100n, max_per_day: 1000n }));
    }
    const declined = await newPayment(service, enabled);
    await declined.decide({ decision: 'decline', standing: 'on' });
    const rows = await db.query('SELECT FROM standing_approvals WHERE user_id = $1', [declined.guest.userId]);
    assert.equal(rows.length, 0);
  });
});
