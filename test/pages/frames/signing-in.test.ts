import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { closesBy, NO_BROWSER, startBrowser } from '../../kit/browser/browser.ts';
import {
  complaintsOf,
  type Heard,
  heardOnce,
  openFramed,
  profileOf,
  startGameSite,
  windowFrom,
} from '../../kit/browser/game-site.ts';
import { personPayment } from '../../kit/browser/person-payment.ts';
import { inTurns } from '../../kit/run/turns.ts';
import { transfersOf } from '../../kit/service/payment.ts';
import { sharedService } from '../../kit/service/shared-service.ts';
import { PASSWORD, personWithPassword } from '../../kit/service/with-password.ts';

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

test('payments of players who must sign in first', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 2);
  const service = await sharedService(t);
  const browser = await startBrowser(t);
  const game = await startGameSite(t);
  const app = await service.createApp({ frameAncestors: [game], redirectUris: [`${game}/back`] });
  const person = await personWithPassword(service);
  await service.issue(person.userId, 100);
  const signIn = async (page: Page) => {
    await page.getByLabel('E-mail address').fill(person.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Sign in');
  };

  await t.test('a player signs in and approves in our window, and the frame and its game get the result', async () => {
    const { id, url } = await personPayment(service, app, person);
    const context = await profileOf(browser, service, null);
    const page = await context.newPage();
    const frame = await openFramed(page, game, `${url}&frame_id=f`);
    const own = await windowFrom(page, () => frame.getByRole('link', { name: 'Review payment' }).click());
    const complaints = complaintsOf(own);
    await signIn(own);
    await closesBy(own, () => press(own, 'Approve'));
    const [{ data }] = (await heardOnce(page)) as [Heard];
    const [txId] = await transfersOf(service, id);
    assert.deepEqual(JSON.parse(data), { txId, requestId: id, frameId: 'f' });
    assert.deepEqual(complaints, []);
    // In the window of the next frame the player is signed in.
    const next = await personPayment(service, app, person);
    const again = await openFramed(page, game, next.url);
    const second = await windowFrom(page, () => again.getByRole('link', { name: 'Review payment' }).click());
    await closesBy(second, () => press(second, 'Decline'));
    assert.equal((await heardOnce(page))[0]!.data, JSON.stringify({ cancel: true }));
    await context.close();
  });

  await t.test('signing in at top level leads to the payment, or to the game if it is decided', async () => {
    const { id, url } = await personPayment(service, app, person);
    for (const known of [null, person]) {
      const context = await profileOf(browser, service, known);
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      await page.goto(url);
      if (!known) {
        await signIn(page);
        await press(page, 'Decline');
        await page.waitForURL(`${game}/back?cancel=true&requestId=${id}`);
        await context.clearCookies();
        await page.goto(url);
        await signIn(page);
      }
      await page.waitForURL(`${game}/back?cancel=true&requestId=${id}`);
      assert.deepEqual([await transfersOf(service, id), complaints], [[], []]);
      await context.close();
    }
  });
});
