import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listReports } from '../../src/features/reports/reports.ts';
import { KEPT_REPORTS } from '../../src/requests/reports.ts';
import type { LogEntry } from '../../src/service/service.ts';
import { assertAccessible } from '../kit/browser/axe.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { openFramed, startGameSite } from '../kit/browser/game-site.ts';
import { personPayment } from '../kit/browser/person-payment.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { resolveReport } from '../kit/service/operator-acts.ts';
import { ask, fundedPayment, newPayment, type Payment, statusOf } from '../kit/service/payment.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { until } from '../kit/unit/until.ts';
import { forgetAttempts } from '../rows/passing.ts';
import { changeReports, insertReportRows, removeReports } from '../rows/requests.ts';
import { ago } from '../rows/times.ts';

type Form = Record<string, string>;

function send(service: TestService, id: string, form: Form, headers: Form = {}) {
  return ask(service, {
    method: 'POST',
    url: `/requests/${id}/report`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(form).toString(),
  });
}

test('reporting a problem with a payment', async (t) => {
  const logged: [LogEntry, string][] = [];
  const log = { info() {}, error() {}, warn: (entry: LogEntry, message: string) => void logged.push([entry, message]) };
  const service = await startTestService(t, { log });
  const app = await service.createApp({ name: 'Space Race' });
  const { db } = service.service;
  const reportsOf = (id: string) =>
    db.query<{ reason: string; text: string; app_id: string; user_id: string }>(
      'SELECT reason, text, app_id, user_id FROM reports WHERE request_id = $1',
      [id],
    );
  const report = async (payment: Payment, form: Form = {}, headers: Form = {}) =>
    send(
      service,
      payment.id,
      { page_token: await payment.formToken(), step: 'send', reason: 'other', text: '', ...form },
      headers,
    );

  await t.test('a report goes from the payment to the form, to the thanks and back', async () => {
    const payment = await fundedPayment(service, app);
    const opened = (await payment.open({ inline: 'true', frame_id: 'f' })).body;
    const [, action] = /<form class="aside" method="post" action="([^"]+)">/.exec(opened) ?? [];
    assert.equal(action, `/requests/${payment.id}/report`);
    const carried = { page_token: await payment.formToken(), inline: 'true', frame_id: 'f' };

    const form = await send(service, payment.id, carried);
    assert.equal(form.status, 200);
    assert.doesNotMatch(form.body, /aria-invalid|class="error"/);
    assert.ok(!form.body.includes(payment.guest.pageToken));
    // By the form itself, by the way back and by the choice of a language.
    for (const [name, value] of Object.entries(carried)) {
      assert.equal(form.body.split(`name="${name}" value="${value}"`).length - 1, 3, name);
    }

    const text = 'They said 5.\r\n\u0000It is 10.';
    const thanks = await send(service, payment.id, { ...carried, step: 'send', reason: 'wrong-payment', text });
    assert.equal(thanks.status, 200);
    assert.match(thanks.body, /<h1>Thank you<\/h1>/);
    assert.deepEqual(await reportsOf(payment.id), [
      { reason: 'wrong-payment', text: 'They said 5.\n It is 10.', app_id: app.id, user_id: payment.guest.userId },
    ]);
    assert.deepEqual(
      logged.filter(([{ paymentId }]) => paymentId === payment.id).map(([entry]) => entry),
      [{ appId: app.id, paymentId: payment.id, reason: 'wrong-payment' }],
    );

    const back = await send(service, payment.id, { ...carried, step: 'back' });
    assert.match(back.body, /name="decision" value="approve"/);
    assert.equal(await statusOf(service, payment.id), 'pending');
    const approved = await payment.decide({ decision: 'approve', ...carried });
    assert.match(approved.body, /<h1>10 quarters paid<\/h1>/);
    const result = await send(service, payment.id, { ...carried, step: 'back' });
    assert.match(result.body, /<h1>10 quarters paid<\/h1>/);
  });

  await t.test('a signed-in user can report a problem', async () => {
    const { id, url, person } = await personPayment(service, app);
    const { body } = await ask(service, { url: new URL(url).pathname, headers: { cookie: person.cookie } });
    const page_token = /name="page_token" value="([^"]+)"/.exec(body)![1]!;
    const form = { page_token, step: 'send', reason: 'pretends', text: 'Not them' };
    assert.equal((await send(service, id, form)).status, 401);
    assert.equal((await send(service, id, form, { cookie: person.cookie })).status, 200);
    assert.equal((await reportsOf(id)).length, 1);
  });

  await t.test('a missing reason or a long text is refused beside its field', async () => {
    const payment = await newPayment(service, app);
    for (const reason of ['', 'nonsense', 'toString', '__proto__']) {
      const answer = await report(payment, { reason, text: 'kept <b>' });
      assert.equal(answer.status, 400, reason);
      assert.match(answer.body, /id="reason-error">Choose a reason/);
      assert.match(answer.body, />kept &lt;b&gt;<\/textarea>/);
    }
    const long = await report(payment, { text: '😀'.repeat(501) });
    assert.equal(long.status, 400);
    assert.match(long.body, /id="text-error">Use at most 500/);
    assert.match(long.body, /value="other" required checked/);
    assert.deepEqual(await reportsOf(payment.id), []);
    assert.equal((await report(payment, { text: '😀'.repeat(500) })).status, 200);
  });

  await t.test('a report with a foreign token or from another site is refused', async () => {
    const [payment, other] = [await newPayment(service, app), await newPayment(service, app)];
    const page_token = await other.formToken();
    for (const token of ['', 'x', page_token, other.guest.pageToken, payment.guest.pageToken]) {
      assert.equal((await report(payment, { page_token: token })).status, 404, token.slice(0, 3));
    }
    for (const headers of [
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
    ]) {
      assert.equal((await report(payment, {}, headers as Form)).status, 403);
    }
    assert.equal((await report(payment, { redirect_uri: 'https://evil.example/' })).status, 400);
    assert.deepEqual(await reportsOf(payment.id), []);
    for (const id of ['x', payment.id]) {
      assert.equal((await ask(service, { url: `/requests/${id}/report` })).status, 404);
    }
  });

  await t.test("a player's repeated report of one payment is stored once", async () => {
    const payment = await newPayment(service, app);
    const answers = await Promise.all([1, 2, 3].map((i) => report(payment, { text: `${i}` })));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal((await reportsOf(payment.id)).length, 1);
  });

  await t.test('a player over the limit of reports is refused and keeps the typed text', async () => {
    const guest = await service.createGuest(app);
    const statuses: number[] = [];
    let last = '';
    for (let i = 0; i < 6; i++) {
      const answer = await report(await newPayment(service, app, { guest }), { text: 'again' });
      statuses.push(answer.status);
      last = answer.body;
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
    assert.match(last, /role="alert">Please wait 15 minutes/);
    assert.match(last, />again<\/textarea>/);
  });

  await t.test('an address over the limit of reports is refused', async () => {
    await forgetAttempts(db);
    await changeReports(db, {}, { resolvedAt: ago() });
    const payments = await Promise.all(Array.from({ length: 31 }, () => newPayment(service, app)));
    const statuses = await Promise.all(payments.map(async (payment) => (await report(payment)).status));
    assert.deepEqual(
      statuses.filter((status) => status !== 200),
      [429],
    );
    await forgetAttempts(db);
  });

  await t.test('an app with a thousand open reports stores no more', async () => {
    const [busy, payment] = [await service.createApp(), await newPayment(service, app)];
    await insertReportRows(db, Array(1_000).fill({ appId: busy.id, userId: payment.guest.userId }));
    const full = await newPayment(service, busy);
    assert.equal((await report(full)).status, 200);
    assert.deepEqual(await reportsOf(full.id), []);
    assert.equal((await report(payment)).status, 200);
    assert.equal((await reportsOf(payment.id)).length, 1);
    await removeReports(db, { appId: busy.id });
  });

  await t.test('the operator lists open reports and resolves them', async () => {
    const metric = async () =>
      Number(/^quarters_open_reports (\d+)$/m.exec(await (await fetch(`${service.origin}/metrics`)).text())?.[1]);
    const before = await metric();
    const payment = await newPayment(service, app);
    await report(payment, { reason: 'pretends', text: 'Look' });
    assert.equal(await metric(), before + 1);
    const found = (await listReports(service.service)).find(({ requestId }) => requestId === payment.id)!;
    assert.deepEqual([found.appName, found.reason, found.text], ['Space Race', 'pretends', 'Look']);
    await resolveReport(service.service, found.id);
    assert.equal(await metric(), before);
    await assert.rejects(resolveReport(service.service, found.id), { code: 'not-found' });
    const kept = async () => (await db.query('SELECT FROM reports WHERE id = $1', [found.id])).length === 1;
    await KEPT_REPORTS.forget(db, 10);
    assert.equal(await kept(), true);
    await changeReports(db, { id: found.id }, { resolvedAt: ago('366 days') });
    // A job may delete it at the same time. Neither waits for the other.
    await until('it is forgotten', async () => {
      await KEPT_REPORTS.forget(db, 10);
      return !(await kept());
    });
  });

  await t.test(
    'a player reports a problem in a browser, at top level and in a frame',
    { skip: NO_BROWSER || notInTurn(3, 'reports') },
    async () => {
      const browser = await startBrowser(t);
      const game = await startGameSite(t);
      const framed = await service.createApp({ frameAncestors: [game], redirectUris: [`${game}/back`] });
      for (const [width, colorScheme, javaScriptEnabled] of [
        [390, 'dark', true],
        [1280, 'light', false],
      ] as const) {
        const payment = await fundedPayment(service, app);
        const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme, javaScriptEnabled });
        const page = await context.newPage();
        await page.goto(service.origin + payment.path());
        await page.getByRole('button', { name: 'Report a problem' }).click();
        assert.ok(!page.url().includes(payment.guest.pageToken));
        if (javaScriptEnabled) await assertAccessible(page, 'report');
        await page.getByLabel('Something else').check();
        await page.getByLabel('Details').fill('It is odd');
        await page.getByRole('button', { name: 'Send' }).click();
        await page.getByRole('heading', { name: 'Thank you' }).waitFor();
        if (javaScriptEnabled) await assertAccessible(page, 'thanks');
        await page.getByRole('button', { name: 'Back to the payment' }).click();
        await page.getByRole('button', { name: 'Decline' }).click();
        await page.getByRole('heading', { name: 'Declined' }).waitFor();
        assert.equal((await reportsOf(payment.id)).length, 1);
        await context.close();
      }

      // In a game's frame, up to the result that the game gets.
      const payment = await fundedPayment(service, framed);
      const page = await browser.newPage();
      const frame = await openFramed(page, game, service.origin + payment.path({ frame_id: 'f' }));
      await frame.getByRole('button', { name: 'Report a problem' }).click();
      await frame.getByLabel('It pretends to be').check();
      await frame.getByRole('button', { name: 'Send' }).click();
      await frame.getByRole('button', { name: 'Back to the payment' }).click();
      await frame.getByRole('button', { name: 'Approve' }).click();
      await frame.getByRole('heading', { name: / paid$/ }).waitFor();
      assert.equal((await reportsOf(payment.id)).length, 1);
      await until('the game has heard of it', () => page.evaluate<boolean>('window.heard.length > 0'));
      await page.close();
    },
  );
});
