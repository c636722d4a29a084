import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../src/base/problems.ts';
import { updateApp } from '../../src/features/apps/update-app.ts';
import { storeAutoApprovalOn } from '../../src/identity/app-auto-approval.ts';
import { registerPages } from '../../src/pages/pages.ts';
import { createApiSite } from '../../src/process/site.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { refusalsOf } from '../../src/wings/economy/store/refusals.ts';
import { ask, fundedPayment, newPayment, sendForm, statusOf, transfersOf } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { until } from '../kit/unit/until.ts';
import { changeRequests, letRequestExpire } from '../rows/requests.ts';

const WEB = 'https://game.example/back?level=3';
const SCHEME = 'com.acme.game://';

test('the result that the approval page delivers to the game', async (t) => {
  const service = await sharedService(t);
  const { db } = service.service;
  const one = await service.createApp({ redirectUris: [WEB] });
  const two = await service.createApp({ redirectUris: [WEB, SCHEME] });
  const none = await service.createApp();

  await t.test('an approved request delivers txId and requestId, and the same when opened again', async () => {
    const payment = await fundedPayment(service, one);
    const answer = await payment.decide({ decision: 'approve' });
    const [txHash] = await transfersOf(service, payment.id);
    assert.equal(answer.status, 303);
    assert.equal(answer.location, `${WEB}&txId=${txHash}&requestId=${payment.id}`);
    assert.equal(answer.headers['referrer-policy'], 'same-origin');
    assert.equal(answer.headers['cache-control'], 'no-store');
    // Opening it again gives the same result, before and after it is on the chain.
    assert.equal((await payment.open()).location, answer.location);
    await service.settled();
    const again = await payment.open();
    assert.deepEqual([again.status, again.location], [303, answer.location]);
  });

  await t.test('a declined request delivers cancel=true and requestId', async () => {
    const payment = await newPayment(service, one);
    const answer = await payment.decide({ decision: 'decline' });
    assert.deepEqual([answer.status, answer.location], [303, `${WEB}&cancel=true&requestId=${payment.id}`]);
    assert.equal((await payment.open()).location, answer.location);
    assert.equal(await statusOf(service, payment.id), 'declined');
  });

  await t.test('a failed request delivers requestId and a readable error', async () => {
    for (const [status, words, reason, title, next] of [
      ['expired', 'expired', 'expired', 'This payment has expired', 'didn’t answer in time'],
      ['cancelled', 'been%20cancelled', 'cancelled', 'The game cancelled this request', 'Nothing was taken'],
      ['failed', 'failed', 'stopped', 'This payment didn’t go through', 'the rest was returned to you'],
    ] as const) {
      const shown = await newPayment(service, none);
      const payment = await newPayment(service, one);
      const page_token = await payment.formToken();
      for (const { id } of [payment, shown]) {
        await (status === 'expired' ? letRequestExpire(db, id) : changeRequests(db, { id }, { status }));
      }
      const { body } = await shown.open();
      for (const text of [
        `<h1>${title}</h1>`,
        next,
        'start again from the game',
        `&quot;requestId&quot;:&quot;${shown.id}`,
      ]) {
        assert.ok(body.replace(/\s+/g, ' ').includes(text), text);
      }
      const location = `${WEB}&requestId=${payment.id}&error=The%20request%20has%20${words}.&reason=${reason}`;
      assert.deepEqual((await payment.open()).location, location);
      for (const decision of ['approve', 'decline']) {
        assert.equal((await payment.decide({ decision, page_token })).location, location);
      }
    }
  });

  await t.test("a redirect to the game's own scheme keeps the scheme's spelling", async () => {
    const payment = await fundedPayment(service, two);
    const page = await payment.open({ redirect_uri: SCHEME, inline: 'true' });
    assert.match(page.headers['content-security-policy']!, /; form-action 'self' com\.acme\.game:;/);
    assert.match(page.body, /name="redirect_uri" value="com\.acme\.game:\/\/"/);
    const answer = await payment.decide({ decision: 'approve', redirect_uri: SCHEME });
    const [txHash] = await transfersOf(service, payment.id);
    assert.equal(answer.location, `com.acme.game://?txId=${txHash}&requestId=${payment.id}`);
  });

  await t.test('the result page is shown if no single redirect address is known', async () => {
    for (const app of [two, none]) {
      const payment = await newPayment(service, app);
      const answer = await payment.decide({ decision: 'decline' });
      assert.equal(answer.status, 200);
      assert.match(answer.body, /data-result="\{&quot;cancel&quot;:true\}"/);
      assert.match(answer.headers['content-security-policy']!, /; script-src 'self';/);
    }
  });

  await t.test('a frame without a named address shows the result page', async () => {
    const payment = await newPayment(service, one);
    const framed = { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' };
    assert.match((await payment.open({}, framed)).headers['content-security-policy']!, /form-action 'self';/);
    const page_token = await payment.formToken();
    assert.equal((await payment.decide({ decision: 'decline' }, framed)).status, 200);
    assert.equal((await payment.open({}, framed)).status, 200);
    const named = { decision: 'decline', redirect_uri: WEB, page_token };
    assert.equal((await payment.decide(named, framed)).location, `${WEB}&cancel=true&requestId=${payment.id}`);
  });

  await t.test('parameters without a value count as absent', async () => {
    const payment = await newPayment(service, one);
    assert.equal((await payment.open({ redirect_uri: '' })).status, 200);
    assert.equal(
      (await payment.decide({ decision: 'decline', redirect_uri: '' })).location,
      `${WEB}&cancel=true&requestId=${payment.id}`,
    );
  });

  await t.test('an unregistered redirect address gets an error page, no redirect and no decision', async () => {
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

  await t.test('an unregistered redirect address beside frame_id is ignored, and the page delivers', async () => {
    const error = 'The player does not have enough quarters.';
    for (const redirect_uri of ['https://evil.example/', 'evil.acme.game://', 'javascript:alert(1)', `${WEB}/`]) {
      const [approved, declined] = [await fundedPayment(service, one), await newPayment(service, one)];
      const page_token = await approved.formToken();
      const way = { redirect_uri, frame_id: 'f-1' };
      const answers = [
        await approved.open(way),
        await approved.decide({ decision: 'approve', page_token, ...way }),
        await approved.open(way),
        await declined.decide({ decision: 'later', ...way }),
        await declined.decide({ decision: 'decline', ...way }),
      ];
      const txId = (await transfersOf(service, approved.id))[0]!;
      const results = [
        { txId, requestId: approved.id },
        { txId, requestId: approved.id },
        { requestId: declined.id, error, reason: 'insufficient-quarters' },
        { cancel: true },
      ];
      for (const [i, { status, location, headers, body }] of answers.entries()) {
        assert.deepEqual([status, location], [200, undefined]);
        assert.match(headers['content-security-policy']!, /; form-action 'self';/);
        assert.doesNotMatch(body, /evil|alert|data-redirect/);
        const result = results[i - 1] && JSON.stringify(results[i - 1]).replaceAll('"', '&quot;');
        assert.ok(result === undefined || body.includes(`data-result="${result}"`), body);
      }
      assert.match(answers[0]!.body, /name="frame_id" value="f-1"/);
      assert.doesNotMatch(answers[0]!.body, /name="redirect_uri"/);
    }
  });

  await t.test('scheme and host match in any case and lead to the address as registered', async () => {
    const old = await service.createApp({ redirectUris: ['https://GAME.example:443/Back', 'com.Acme.game://Paid'] });
    for (const [redirect_uri, registered] of [
      ['https://game.example/Back', 'https://game.example/Back'],
      ['https://GAME.example:443/Back', 'https://game.example/Back'],
      ['COM.ACME.GAME://Paid', 'com.acme.game://Paid'],
    ] as const) {
      const payment = await newPayment(service, old);
      const form = { decision: 'decline', redirect_uri };
      assert.equal((await payment.decide(form)).location, `${registered}?cancel=true&requestId=${payment.id}`);
    }
    const payment = await newPayment(service, old);
    for (const redirect_uri of ['https://game.example/back', 'com.acme.game://paid', 'http://game.example:443/Back']) {
      assert.equal((await payment.open({ redirect_uri })).status, 400, redirect_uri);
    }
  });

  await t.test('a decision that lost to another one shows the actual outcome', async () => {
    const payment = await fundedPayment(service, one);
    const page_token = await payment.formToken();
    const approved = await payment.decide({ decision: 'approve', page_token });
    assert.equal((await payment.decide({ decision: 'decline', page_token })).location, approved.location);
    assert.equal((await payment.decide({ decision: 'approve', page_token })).location, approved.location);
    assert.equal((await transfersOf(service, payment.id)).length, 1);
  });

  await t.test("too few quarters lead to the game's top-up page, at top level and with its host in sight", async () => {
    const app = await service.createApp();
    const payment = await newPayment(service, app);
    assert.doesNotMatch((await payment.open()).body, /Get quarters/);
    await updateApp(service.service, OPERATOR, app.id, { topUpUrl: 'https://shop.example/buy?a=1&b=2' });
    const { body } = await payment.open({ inline: 'true' });
    const link =
      /<a class="primary" href="https:\/\/shop\.example\/buy\?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">/;
    assert.match(body, link);
    assert.match(body, /Opens <bdi>shop\.example<\/bdi>/);
    assert.match(body, /<button class="secondary" name="decision" value="later"><span class="to-game">Back to <bdi>“/);
    const covered = await fundedPayment(service, app);
    assert.doesNotMatch((await covered.open()).body, /shop\.example/);
  });

  await t.test('a payment without enough quarters shows the page again and stays pending', async () => {
    const payment = await newPayment(service, one);
    const page = await payment.open();
    assert.equal(page.status, 200);
    assert.match(page.body, /You need <strong>10 more quarters<\/strong> to approve this/);
    assert.doesNotMatch(page.body, /value="approve"/);
    const answer = await payment.decide({ decision: 'approve' });
    assert.equal(answer.status, 402);
    assert.match(answer.body, /You don’t have enough quarters\. Nothing was taken\./);
    assert.equal(await statusOf(service, payment.id), 'pending');
    // The game gets the reason, and the request stays pending.
    const back = await payment.decide({ decision: 'later' });
    const error = 'The%20player%20does%20not%20have%20enough%20quarters.';
    assert.equal(back.location, `${WEB}&requestId=${payment.id}&error=${error}&reason=insufficient-quarters`);
    const elsewhere = await (await newPayment(service, none)).decide({ decision: 'later' });
    assert.match(
      elsewhere.body,
      /<h1>Not enough quarters<\/h1>[\s\S]*You need 10 more quarters\.[\s\S]*stays open for 15 more minutes\./,
    );
    assert.equal(await statusOf(service, payment.id), 'pending');
    const page_token = await payment.formToken();
    await service.issue(payment.guest.userId, 10);
    // The player has enough by now, so the page is shown without an error.
    assert.match((await payment.decide({ decision: 'later', page_token })).body, /value="approve"/);
    // Approving and going back were refused, and looking was not.
    const refusals = () => refusalsOf(service.service.db, payment.guest.userId, 5);
    await until('the refusals are written', async () => (await refusals())[0]?.times === 2);
    assert.deepEqual(
      (await refusals()).map(({ kind, code }) => [kind, code]),
      [['approval', 'insufficient-quarters']],
    );
    const approved = await payment.decide({ decision: 'approve', page_token });
    assert.equal(approved.status, 303);
    assert.equal((await payment.decide({ decision: 'later', page_token })).location, approved.location);
  });

  await t.test('a payment decided earlier says so, and that nothing more was taken', async () => {
    const [approved, declined] = [await fundedPayment(service, none), await newPayment(service, none)];
    const first = await approved.decide({ decision: 'approve' });
    assert.match(first.body, /<h1>10 quarters paid<\/h1>\s*<p>To <bdi>“Test Game”<\/bdi>/);
    assert.match(
      (await approved.open()).body,
      /You already paid this to <bdi>“Test Game”<\/bdi>\. Nothing more was taken\./,
    );
    await declined.decide({ decision: 'decline' });
    assert.match((await declined.open()).body, /You already declined this payment\. Nothing was taken\./);
  });

  await t.test('the named game gets the same error for an unknown and a foreign request', async () => {
    const app = await service.createApp({ frameAncestors: ['https://game.example'] });
    const foreign = await newPayment(service, app);
    const [unknown, other] = await Promise.all(
      [foreign.id.replaceAll(/[0-9]/g, '1'), foreign.id].map((id) =>
        ask(service, { url: `/requests/${id}?firebase_token=x&client_id=${app.id}&frame_id=f` }),
      ),
    );
    assert.equal(unknown!.status, 404);
    assert.match(
      unknown!.body,
      /data-result="\{&quot;error&quot;:&quot;We can’t find this payment\.[\s\S]*data-frame-id="f"/,
    );
    assert.deepEqual(
      [other!.status, other!.body, other!.headers['content-security-policy']],
      [404, unknown!.body, unknown!.headers['content-security-policy']],
    );
    const strangers = await ask(service, {
      url: `/requests/${foreign.id}?firebase_token=x&client_id=${'x'.repeat(20)}`,
    });
    assert.doesNotMatch(strangers.body, /data-result/);
  });

  await t.test('a decision whose answer was lost gets a page that promises nothing', async () => {
    const payment = await fundedPayment(service, one);
    const page_token = await payment.formToken();
    const app = await createApiSite(service.service);
    const decide = () => Promise.reject(new Problem('outcome-unknown', 'The reply was lost.'));
    await registerPages(app, { ...service.service, accept: decide });
    const form = { decision: 'approve', page_token };
    const answer = await sendForm({ ...service, app }, payment.id, form);
    // Only a game that uses quarters.js knows that a failure never means "not paid".
    const told = await sendForm({ ...service, app }, payment.id, { ...form, hello: 'true' });
    await app.close();
    assert.doesNotMatch(answer.body, /data-result/);
    assert.match(
      told.body,
      /data-result="[^"]*&quot;reason&quot;:&quot;outcome-unknown&quot;,&quot;undecided&quot;:true/,
    );
    assert.deepEqual([answer.status, answer.location], [503, undefined]);
    assert.match(answer.body, /<h1>We don’t know yet if this went through<\/h1>[\s\S]*see its status/);
    assert.doesNotMatch(answer.body, /[Nn]othing was taken/);
  });

  await t.test('an overloaded service shows the page again, and the request stays pending', async () => {
    const payment = await fundedPayment(service, one);
    const page_token = await payment.formToken();
    const app = await createApiSite(service.service);
    const decide = () => Promise.reject(new Problem('overloaded', 'Try again.'));
    await registerPages(app, { ...service.service, accept: decide });
    const answer = await sendForm({ ...service, app }, payment.id, { decision: 'approve', page_token });
    await app.close();
    assert.equal(answer.status, 503);
    assert.match(answer.body, /We’re busy right now\. Nothing was taken/);
    assert.equal(await statusOf(service, payment.id), 'pending');
    assert.equal((await payment.decide({ decision: 'approve', page_token })).status, 303);
  });

  await t.test('approving lets an enabled app take quarters, unless the player wants to be asked', async () => {
    const enabled = await service.createApp({ autoApprove: true });
    const mandates = (userId: string) =>
      db.query<{ max_per_transfer: bigint; max_per_day: bigint; lives: boolean }>(
        'SELECT max_per_transfer, max_per_day, revoked_at IS NULL AS lives FROM mandates WHERE user_id = $1',
        [userId],
      );
    const offered = { max_per_transfer: 100n, max_per_day: 1000n };
    const said = { mandate: 'on' };
    for (const { app, form, expected } of [
      { app: enabled, form: said, expected: [{ ...offered, lives: true }] },
      { app: enabled, form: { ...said, ask: 'always' }, expected: [{ ...offered, lives: false }] },
      // As by a page from before the app was enabled.
      { app: enabled, form: {}, expected: [] },
      { app: none, form: said, expected: [] },
      { app: none, form: { ask: 'always' }, expected: [] },
    ]) {
      const payment = await fundedPayment(service, app);
      const { body } = await payment.open();
      assert.equal(body.includes('<input type="hidden" name="mandate" value="on">'), app === enabled);
      assert.equal(body.includes('<input type="checkbox" name="ask" value="always">'), app === enabled);
      const sentence = /can take up to\s+<strong>100 quarters at a time and 1,000 a day<\/strong> without asking/;
      assert.equal(sentence.test(body), app === enabled);
      assert.equal((await payment.decide({ decision: 'approve', ...form })).status, 200);
      assert.deepEqual(await mandates(payment.guest.userId), expected);
    }

    const { guest } = await fundedPayment(service, enabled);
    const next = () => newPayment(service, enabled, { guest });
    const lives = async () => (await mandates(guest.userId)).map((row) => row.lives);
    await (await next()).decide({ decision: 'decline', ...said });
    assert.deepEqual(await lives(), [], 'declining allows nothing');
    await (await next()).decide({ decision: 'approve', ...said });
    assert.deepEqual(await lives(), [true]);
    await (await next()).decide({ decision: 'decline', ...said, ask: 'always' });
    assert.deepEqual(await lives(), [false]);
    const again = await next();
    assert.match((await again.open()).body, /<input type="checkbox" name="ask" value="always" checked>/, 'it is kept');
    await again.decide({ decision: 'approve', ...said });
    assert.deepEqual(await lives(), [true]);
  });

  await t.test('where the operator wants it, only a box lets an app take quarters', async () => {
    const app = await service.createApp();
    const terms = { mandatePerTransfer: null, mandatePerDay: null, autoApproveConsent: 'box' } as const;
    await storeAutoApprovalOn(db, app.id, terms);
    for (const form of [{}, { mandate: 'on' }]) {
      const payment = await fundedPayment(service, app);
      const { body } = await payment.open();
      assert.match(body, /<input type="checkbox" name="mandate" value="on">/);
      assert.doesNotMatch(body, /name="ask"|type="hidden" name="mandate"/);
      assert.equal((await payment.decide({ decision: 'approve', ...form })).status, 200);
      const rows = await db.query('SELECT FROM mandates WHERE user_id = $1', [payment.guest.userId]);
      assert.equal(rows.length, Object.keys(form).length);
    }
  });
});
