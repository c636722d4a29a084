import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { closesBy, comes, NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { openPage, ourFrame, outcome, pay, startGame } from '../kit/browser/game-page.ts';
import { profileOf, windowFrom } from '../kit/browser/game-site.ts';
import { personPayment } from '../kit/browser/person-payment.ts';
import { inTurns } from '../kit/run/turns.ts';
import { fundedPayment, newPayment, statusOf, transfersOf } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { until } from '../kit/unit/until.ts';
import { letRequestExpire } from '../rows/requests.ts';

const focused = (page: Page) => page.evaluate<string>('document.activeElement.id');

test('the browser script in a game on another site', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 3);
  const service = await sharedService(t);
  const browser = await startBrowser(t);
  const game = await startGame(t, service.origin);
  const app = await service.createApp({
    redirectUris: [`${game}/back`],
    frameAncestors: [game],
    resultOrigins: [game],
  });
  const asked = async (quarters = 100) => {
    const payment = quarters > 0 ? await fundedPayment(service, app, quarters) : await newPayment(service, app);
    return { payment, options: { requestId: payment.id, pageToken: payment.guest.pageToken } };
  };
  const approved = async (id: string) => ({ value: { txId: (await transfersOf(service, id))[0], requestId: id } });

  for (const way of ['classic', 'module', 'bundled']) {
    await t.test(
      `${way}: over the page, approved; the focus goes in and back, the page's own function is called`,
      async () => {
        const { payment, options } = await asked();
        const { context, page, complaints } = await openPage(browser);
        await page.goto(`${game}/${way}`);
        await page.evaluate('window.onServiceCallback = (result) => window.results.push(result)');
        await pay(page, options);
        const frame = await ourFrame(page);
        assert.equal(await page.getByRole('dialog', { name: 'Approve a payment' }).isVisible(), true);
        assert.equal(await page.locator('iframe').getAttribute('title'), 'Approve a payment');
        assert.notEqual(await focused(page), 'go');
        await frame.getByRole('button', { name: 'Approve' }).click();
        const given = await outcome(page);
        const expected = await approved(payment.id);
        assert.deepEqual(given, expected);
        assert.deepEqual(await page.evaluate('window.results'), [expected.value]);
        assert.equal(await page.locator('dialog, iframe').count(), 0);
        assert.equal(await focused(page), 'go');
        assert.deepEqual(complaints, []);
        await context.close();
      },
    );
  }

  await t.test('bundled: what is not our script is said, and may be loaded again', async () => {
    const { context, page } = await openPage(browser);
    await page.goto(`${game}/bundled`);
    await page.evaluate(`import('/browser.js').then(({ loadQuarters }) => (window.load = loadQuarters))`);
    const said = () => page.evaluate('load(location.origin).catch(({ message }) => message)');
    assert.equal(await said(), `${game}/quarters.js is not the script of Quarters`);
    assert.equal(await said(), `${game}/quarters.js is not the script of Quarters`);
    const nowhere = "load('http://localhost:9').catch(({ message }) => message)";
    assert.equal(await page.evaluate(nowhere), 'http://localhost:9/quarters.js could not be loaded');
    assert.equal(await page.evaluate(`load('${service.origin}') === load('${service.origin}/')`), true);
    const { approve } = await page.evaluate<{ approve: string }>(
      `load('${service.origin}').then(({ approve }) => ({ approve: typeof approve }))`,
    );
    assert.equal(approve, 'function');
    await context.close();
  });

  await t.test('a declined payment rejects with declined', async () => {
    const { options } = await asked(0);
    const { context, page } = await openPage(browser);
    await page.goto(`${game}/classic`);
    await page.evaluate('window.onServiceCallback = (result) => window.results.push(result)');
    await pay(page, options);
    await (await ourFrame(page)).getByRole('button', { name: 'Decline' }).click();
    assert.deepEqual(await outcome(page), { name: 'QuartersError', code: 'declined', message: 'The player declined.' });
    assert.deepEqual(await page.evaluate('window.results'), [{ cancel: true }]);
    await context.close();
  });

  await t.test('a failed payment rejects with the reason, in a container of the page', async () => {
    const { payment, options } = await asked(0);
    await letRequestExpire(service.service.db, payment.id);
    const { context, page } = await openPage(browser);
    await page.goto(`${game}/module`);
    await pay(page, { ...options, container: true });
    assert.deepEqual(await outcome(page), {
      name: 'QuartersError',
      code: 'failed',
      message: 'The request has expired.',
      reason: 'expired',
    });
    assert.equal(await page.locator('#place iframe').count(), 0);
    await context.close();
  });

  await t.test('a requested proof is in the value, in the error and in the page’s function', async () => {
    const { context, page } = await openPage(browser);
    for (const decision of ['Approve', 'Decline']) {
      const { payment, options } = await asked();
      await page.goto(`${game}/classic`);
      await page.evaluate('window.onServiceCallback = (result) => window.results.push(result)');
      await pay(page, { ...options, proof: true });
      await (await ourFrame(page)).getByRole('button', { name: decision }).click();
      const { value, code, proof = value?.proof } = (await outcome(page)) as Record<string, Record<string, string>>;
      assert.deepEqual(
        [value?.requestId, code],
        decision === 'Approve' ? [payment.id, undefined] : [undefined, 'declined'],
      );
      const said = JSON.parse(Buffer.from(String(proof).split('.')[1]!, 'base64url').toString());
      assert.deepEqual([said.requestId, said.aud], [payment.id, app.id]);
      assert.equal(await page.evaluate('window.results[0].proof'), proof);
    }
    await context.close();
  });

  for (const how of ['button', 'Escape']) {
    await t.test(`closed by the dialog's ${how}: nothing is decided`, async () => {
      const { payment, options } = await asked(0);
      const { context, page } = await openPage(browser);
      await page.goto(`${game}/classic`);
      await pay(page, options);
      await ourFrame(page);
      const close = page.getByRole('button', { name: 'Close' });
      if (how === 'button') await close.click();
      else await close.press('Escape');
      assert.equal(((await outcome(page)) as { code: string }).code, 'closed');
      assert.equal(await page.locator('dialog').count(), 0);
      assert.equal(await focused(page), 'go');
      assert.equal(await statusOf(service, payment.id), 'pending');
      await context.close();
    });
  }

  await t.test('messages from another origin, window or frame name are ignored', async () => {
    const { payment, options } = await asked();
    const { context, page } = await openPage(browser);
    await page.goto(`${game}/classic`);
    await pay(page, options);
    const frame = await ourFrame(page);
    const name = new URL(frame.url()).searchParams.get('frame_id');
    const forged = JSON.stringify({ txId: '0x1', requestId: payment.id, frameId: name });
    // From the game's own window, and from a page of our origin that is in another frame.
    await page.evaluate(`postMessage(${JSON.stringify(forged)}, '*')`);
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '${frame.url()}' }))`,
    );
    await until('the other frame is there', () => page.frames()[2]?.url() === frame.url());
    await page.frames()[2]!.evaluate(`parent.postMessage(${JSON.stringify(forged)}, '*')`);
    // From the right window: not JSON, no text, another name.
    for (const data of [`'{'`, `'null'`, '{ txId: 1 }', `'{"txId":"0x1","frameId":"${name}0"}'`, `'{"txId":"0x1"}'`])
      await frame.evaluate(`parent.postMessage(${data}, '*')`);
    await frame.getByRole('button', { name: 'Approve' }).click();
    await outcome(page);
    assert.deepEqual(await outcome(page), await approved(payment.id));
    await context.close();
  });

  await t.test('a popup opens within the click, before the request exists, and is approved', async () => {
    const { payment, options } = await asked();
    const { context, page, complaints } = await openPage(browser);
    await page.goto(`${game}/classic`);
    await page.evaluate('void (window.later = new Promise((resolve) => { window.come = resolve; }))');
    const opened = page.waitForEvent('popup');
    await page.evaluate(
      `void (window.options = { ...${JSON.stringify(options)}, mode: 'popup', requestId: window.later })`,
    );
    await page.getByRole('button', { name: 'Pay' }).click();
    const popup = await opened;
    await popup.getByRole('heading', { name: 'Opening…' }).waitFor();
    await page.evaluate(`window.come('${payment.id}')`);
    // The game has its result while the window says that it is paid, and closes it a moment later.
    const paid = popup.waitForEvent('framenavigated');
    await popup.getByRole('button', { name: 'Approve' }).click();
    await comes('the window says that it is paid', paid);
    assert.deepEqual(await outcome(page), await approved(payment.id));
    await until('the window is closed', () => popup.isClosed());
    assert.deepEqual(complaints, []);
    await context.close();
  });

  await t.test('a popup closed by the player rejects with closed', async () => {
    const { options } = await asked(0);
    const { context, page } = await openPage(browser);
    await page.goto(`${game}/module`);
    const opened = page.waitForEvent('popup');
    await pay(page, { ...options, mode: 'popup' });
    const popup = await opened;
    await popup.getByRole('button', { name: 'Decline' }).waitFor();
    await popup.close();
    assert.equal(((await outcome(page)) as { code: string }).code, 'closed');
    await context.close();
  });

  for (const { keeps, coop, coep, container } of [
    { keeps: true, coop: '', coep: '', container: false },
    { keeps: true, coop: 'same-origin-allow-popups', coep: '', container: false },
    { keeps: false, coop: 'same-origin', coep: '', container: false },
    { keeps: false, coop: 'same-origin', coep: 'require-corp', container: false },
    { keeps: false, coop: 'same-origin', coep: 'credentialless', container: true },
  ]) {
    await t.test(`a full user’s popup pays a page with COOP “${coop}” and COEP “${coep}”`, async () => {
      const { id, person } = await personPayment(service, app);
      const context = await profileOf(browser, service, person);
      const page = await context.newPage();
      await page.goto(`${game}/module?${new URLSearchParams({ coop, coep })}`);
      const payInWindow = () => pay(page, { requestId: id, mode: 'popup', container });
      let own: Page;
      if (keeps) {
        own = await windowFrom(page, payInWindow);
      } else {
        await payInWindow();
        const frame = await ourFrame(page);
        own = await windowFrom(page, () => frame.getByRole('link', { name: 'Review payment' }).click());
        await frame.getByText('Continue in the window').waitFor();
        // The game cannot see the window, so leaving our page does not mean that nobody pays.
        if (container) await page.evaluate(`document.querySelector('#place').remove()`);
        else await page.getByRole('button', { name: 'Close' }).click();
        await until('the dialog is gone', async () => !(await page.locator('iframe').isVisible()));
      }
      await closesBy(own, () => own.getByRole('button', { name: 'Approve' }).click());
      assert.deepEqual(await outcome(page), await approved(id));
      assert.deepEqual([context.pages(), await page.locator('iframe').count()], [[page], 0]);
      await context.close();
    });
  }

  await t.test('our window closes with the dialog that it was opened from', async () => {
    const { id, person } = await personPayment(service, app);
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    await page.goto(`${game}/classic`);
    await pay(page, { requestId: id });
    const frame = await ourFrame(page);
    const own = await windowFrom(page, () => frame.getByRole('link', { name: 'Review payment' }).click());
    await closesBy(own, () => page.getByRole('button', { name: 'Close' }).click());
    assert.equal(((await outcome(page)) as { code: string }).code, 'closed');
    assert.equal(await statusOf(service, id), 'pending');
    await context.close();
  });

  await t.test('a guest’s popup that the page loses gives way to a frame, now and later', async () => {
    const { payment, options } = await asked();
    const { context, page } = await openPage(browser);
    await page.goto(`${game}/classic?coop=same-origin`);
    let windows = 0;
    context.on('page', () => windows++);
    await pay(page, { ...options, mode: 'popup' });
    await ourFrame(page);
    await page.getByRole('button', { name: 'Close' }).click();
    assert.equal(((await outcome(page)) as { code: string }).code, 'closed');
    await pay(page, { ...options, mode: 'popup' });
    await (await ourFrame(page)).getByRole('button', { name: 'Approve' }).click();
    assert.deepEqual(await outcome(page), await approved(payment.id));
    await until('no window is left', () => context.pages().length === 1);
    assert.equal(windows, 1);
    await context.close();
  });

  await t.test('a blocked popup, or a failed request, rejects', async () => {
    const { options } = await asked(0);
    const { context, page, complaints } = await openPage(browser);
    await page.goto(`${game}/classic`);
    await page.evaluate('window.open = () => null');
    await pay(page, { ...options, mode: 'popup' });
    const message = 'The browser blocked the window.';
    assert.deepEqual(await outcome(page), { name: 'QuartersError', code: 'blocked', message, fallback: 'redirect' });
    await page.evaluate('void (window.options = { requestId: { then: (_, fail) => fail(new Error("no server")) } })');
    await page.getByRole('button', { name: 'Pay' }).click();
    assert.deepEqual(await outcome(page), { name: 'Error', message: 'no server' });
    assert.equal(await page.locator('dialog').count(), 0);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  await t.test('by redirect, the result is in the address', async () => {
    const { payment, options } = await asked();
    const { context, page } = await openPage(browser);
    await page.goto(`${game}/classic`);
    await pay(page, { ...options, mode: 'redirect', redirectUri: `${game}/back` });
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL(`${game}/back?**`);
    const [txHash] = await transfersOf(service, payment.id);
    assert.equal(page.url(), `${game}/back?txId=${txHash}&requestId=${payment.id}`);
    await context.close();
  });
});
