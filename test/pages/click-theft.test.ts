import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { READY_SCRIPT } from '../../src/web/assets.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { openFramed, profileOf, startGameSite } from '../kit/browser/game-site.ts';
import { personPayment } from '../kit/browser/person-payment.ts';
import { inTurns } from '../kit/run/turns.ts';
import { authorizeUrl, sharedWorld } from '../kit/service/oauth-world.ts';
import { fundedPayment, newPayment, statusOf } from '../kit/service/payment.ts';
import { createPerson } from '../kit/service/people.ts';

/** Clicks a button as soon as the page's scripts have run, and records whether the click got through. */
const CLICK_AT_ONCE = `addEventListener('DOMContentLoaded', () => {
  const button = document.querySelector('button.primary');
  if (button) window.letThrough = button.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
});`;

const readiness = (page: Page) => page.evaluate<string>('document.documentElement.dataset.ready');

test('a page ignores clicks that were meant for another page', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 2);
  const world = await sharedWorld(t);
  const browser = await startBrowser(t);
  const game = await startGameSite(t);
  const app = await world.createApp({ frameAncestors: [game] });

  /** A page whose clock stands still until the test advances it. */
  const stopped = async (person: Parameters<typeof profileOf>[2], url: string) => {
    const context = await profileOf(browser, world, person);
    const page = await context.newPage();
    await page.clock.install();
    await page.addInitScript(CLICK_AT_ONCE);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    await page.goto(url);
    await page.clock.pauseAt(Date.now() + 3_600_000);
    return { context, page, sent };
  };

  await t.test('the script is below 1,200 bytes', () => {
    assert.ok(READY_SCRIPT.body.length < 1200, `${READY_SCRIPT.body.length} bytes`);
  });

  await t.test('a payment takes no click by pointer or keyboard until it is ready', async () => {
    const { id, person, url } = await personPayment(world, app);
    const { context, page, sent } = await stopped(person, url);
    assert.equal(await page.evaluate('window.letThrough'), false);

    const approve = page.getByRole('button', { name: 'Approve' });
    // The wait starts again, as for a page that is shown now.
    const shown = () => page.evaluate(`dispatchEvent(new Event('pageshow'))`);
    const { x, y, width, height } = (await approve.boundingBox())!;
    const pointer = () => page.mouse.click(x + width / 2, y + height / 2);
    const keyboard = async () => {
      await approve.focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Space');
    };
    for (const tries of [pointer, keyboard]) {
      await shown();
      await page.clock.runFor(599);
      assert.equal(await readiness(page), 'false');
      assert.equal(await page.locator('.early').innerText(), '');
      await tries();
      assert.equal(await page.locator('.early').innerText(), 'One moment, then tap again.');
      // A click came, so the wait starts again.
      await page.clock.runFor(599);
      await tries();
      await page.clock.runFor(599);
      assert.equal(await readiness(page), 'false');
      await page.clock.runFor(1);
      assert.equal(await readiness(page), 'true');
    }
    // The events of a window that gets the focus or becomes visible.
    for (const happens of [
      `dispatchEvent(new Event('focus'))`,
      `document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`,
    ]) {
      await page.evaluate(happens);
      assert.equal(await readiness(page), 'false');
      await pointer();
      await page.clock.runFor(600);
    }
    assert.deepEqual([sent, await statusOf(world, id)], [[], 'pending']);
    await pointer();
    await page.getByRole('heading', { name: / paid$/ }).waitFor();
    assert.equal(sent.length, 1);
    await context.close();
  });

  await t.test("the first click on a guest's payment in a frame works, though it brings the focus", async () => {
    const payment = await fundedPayment(world, app);
    const context = await profileOf(browser, world, null);
    const page = await context.newPage();
    await page.addInitScript(CLICK_AT_ONCE);
    const frame = await openFramed(page, game, world.origin + payment.path({ inline: 'true' }));
    assert.equal(await frame.evaluate('window.letThrough'), false);
    await frame.locator('html[data-ready="true"]').waitFor();
    await frame.evaluate(`dispatchEvent(new Event('focus'))`);
    assert.equal(await frame.evaluate('document.documentElement.dataset.ready'), 'true');
    assert.equal(await statusOf(world, payment.id), 'pending');
    await frame.getByRole('button', { name: 'Approve' }).click();
    await frame.getByRole('heading', { name: / paid$/ }).waitFor();
    await context.close();
  });

  await t.test('a consent page takes no click until it is ready', async () => {
    const client = await world.createClient({ redirectUris: [`${game}/back`] });
    const person = await createPerson(world);
    const { context, page, sent } = await stopped(
      person,
      authorizeUrl(world.origin, client, { redirect_uri: `${game}/back` }),
    );
    assert.deepEqual([await page.evaluate('window.letThrough'), sent], [false, []]);
    await page.clock.runFor(600);
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.waitForURL(`${game}/back?**`);
    await context.close();
  });

  await t.test('waiting moves nothing and hides nothing from assistive technology', async () => {
    const payment = await newPayment(world, app);
    const { context, page } = await stopped(null, world.origin + payment.path());
    const look = () =>
      page.evaluate(`[...document.querySelectorAll('button')].map((button) => {
        const { x, y, width, height } = button.getBoundingClientRect();
        return [x, y, width, height, button.disabled, button.ariaDisabled, button.tabIndex];
      })`);
    await page.evaluate(`dispatchEvent(new Event('pageshow'))`);
    const waiting = await look();
    await page.clock.runFor(600);
    assert.deepEqual(await look(), waiting);
    assert.equal(await readiness(page), 'true');
    await context.close();
  });

  await t.test('buttons work at once without scripts', async () => {
    const payment = await newPayment(world, app);
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(world.origin + payment.path());
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.getByRole('heading', { name: 'Declined' }).waitFor();
    await context.close();
  });
});
