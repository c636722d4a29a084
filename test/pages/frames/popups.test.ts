import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { closesBy, NO_BROWSER, startBrowser } from '../../kit/browser/browser.ts';
import {
  complaintsOf,
  heardBy,
  heardOnce,
  openFramed,
  profileOf,
  startGameSite,
  windowFrom,
} from '../../kit/browser/game-site.ts';
import { personPayment } from '../../kit/browser/person-payment.ts';
import { inTurns } from '../../kit/run/turns.ts';
import { fundedPayment, newPayment, statusOf, transfersOf } from '../../kit/service/payment.ts';
import { sharedService } from '../../kit/service/shared-service.ts';
import { until } from '../../kit/unit/until.ts';

const press = (place: Page, name: string) => place.getByRole('button', { name, exact: true }).click();

test('payments in a window that another page opened', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 3);
  const service = await sharedService(t);
  const browser = await startBrowser(t);
  const game = await startGameSite(t);
  const hostile = await startGameSite(t);
  const app = await service.createApp({ frameAncestors: [game], redirectUris: [`${game}/back`] });

  const openPopup = async (page: Page, site: string, url: string) => {
    await page.goto(`${site}/?${new URLSearchParams({ popup: url })}`);
    return windowFrom(page, () => press(page, 'Open'));
  };

  await t.test(
    'a popup tells the game the result once, or leads to its address if the game does not listen',
    async () => {
      const payment = await fundedPayment(service, app);
      const context = await profileOf(browser, service, null);
      const page = await context.newPage();
      const popup = await openPopup(page, game, service.origin + payment.path({ inline: 'true' }));
      const complaints = complaintsOf(popup);
      await press(popup, 'Approve');
      const heard = await heardOnce(page);
      const [txId] = await transfersOf(service, payment.id);
      const result = { txId, requestId: payment.id };
      assert.deepEqual(heard, [{ data: JSON.stringify(result), origin: service.origin }]);
      await popup.waitForURL(`${game}/back?**`);
      assert.equal(popup.url(), `${game}/back?${new URLSearchParams(result as Record<string, string>)}`);
      assert.equal((await heardBy(page)).length, 2, 'the mark of the test and one message');
      assert.deepEqual(complaints, []);
      await context.close();
    },
  );

  await t.test('a popup of a signed-in player tells the game the result once', async () => {
    const { id, person, url } = await personPayment(service, app);
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    const popup = await openPopup(page, game, `${url}&frame_id=p`);
    await press(popup, 'Approve');
    const heard = await heardOnce(page);
    const [txId] = await transfersOf(service, id);
    const data = JSON.stringify({ txId, requestId: id, frameId: 'p' });
    assert.deepEqual(heard, [{ data, origin: service.origin }]);
    assert.match(popup.url(), /\/decision$/);
    // No game has closed it.
    await closesBy(popup, () => popup.getByRole('button', { name: /^Back to “/ }).click());
    await context.close();
  });

  await t.test('a popup with a named address delivers by redirect alone', async () => {
    const payment = await newPayment(service, app);
    const context = await profileOf(browser, service, null);
    const page = await context.newPage();
    const popup = await openPopup(page, game, service.origin + payment.path({ redirect_uri: `${game}/back` }));
    await press(popup, 'Decline');
    await popup.waitForURL(`${game}/back?cancel=true&requestId=${payment.id}`);
    assert.deepEqual(await heardBy(page), []);
    await context.close();
  });

  await t.test('a hostile page that opens the popup gets no result', async () => {
    const guests = await newPayment(service, app);
    const { id, person, url } = await personPayment(service, app);
    const context = await profileOf(browser, service, person);
    for (const opened of [
      service.origin + guests.path({ inline: 'true' }),
      url,
      `${url}&opened_by=frame`,
      `${url}&opened_by=game&frame_id=x`,
    ]) {
      const page = await context.newPage();
      const popup = await openPopup(page, hostile, opened);
      if (opened.includes('firebase_token') || (await statusOf(service, id)) === 'pending')
        await press(popup, 'Decline');
      if (!/opened_by/.test(opened)) await popup.waitForURL(`${game}/back**`);
      else await popup.getByRole('heading', { name: 'Declined' }).waitFor();
      assert.deepEqual(await heardBy(page), []);
      await page.close();
      await popup.close();
    }
    await context.close();
  });

  await t.test('messages from other windows to our frame change nothing', async () => {
    const { id, person, url } = await personPayment(service, app);
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    const frame = await openFramed(page, game, url);
    const fake = `{ result: { txId: '0xfake', requestId: '${id}' }, title: 'Approved', text: 'fake' }`;
    // The game around the frame posts, and so does a window of our own origin that the game has opened.
    await page.evaluate(`frames[0].postMessage(${fake}, '*')`);
    const ours = await windowFrom(page, () =>
      page.evaluate(`void open('${service.origin}/requests/x?firebase_token=x')`),
    );
    const aside = await windowFrom(page, () => page.evaluate(`void open('${url}')`));
    await aside.evaluate(`opener.frames[0].postMessage(${fake}, '*')`);
    const own = await windowFrom(page, () => frame.getByRole('link', { name: 'Review payment' }).click());
    await aside.evaluate(`opener.frames[0].postMessage(${fake}, '*')`);
    assert.match((await frame.locator('h1').textContent()) ?? '', /10 quarters/);
    assert.deepEqual(await heardBy(page), []);
    assert.equal(await statusOf(service, id), 'pending');
    await closesBy(own, () => press(own, 'Decline'));
    assert.deepEqual(await heardOnce(page), [{ data: JSON.stringify({ cancel: true }), origin: service.origin }]);
    await ours.close();
    await context.close();
  });

  await t.test('a webview around a frame gets its callback and no message', async () => {
    const payment = await newPayment(service, app);
    await payment.decide({ decision: 'decline' });
    const context = await profileOf(browser, service, null);
    const page = await context.newPage();
    await page.addInitScript('window.calls = []; window.onServiceCallback = (result) => calls.push(result);');
    const frame = await openFramed(page, game, service.origin + payment.path({ frame_id: 'w' }));
    await until('it was called', async () => (await frame.evaluate<unknown[]>('window.calls')).length > 0);
    assert.deepEqual(await frame.evaluate('window.calls'), [{ cancel: true }]);
    assert.deepEqual(await heardBy(page), []);
    await context.close();
  });
});
