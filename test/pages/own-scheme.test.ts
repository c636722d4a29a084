import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { BROWSERS, isTriedFully, NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks } from '../kit/browser/fit.ts';
import { OWN_SCHEME, opens, pressBehindThePrompt } from '../kit/browser/own-scheme.ts';
import { fundedPayment, transfersOf } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';

/** A page in a new profile, whose clock the test moves. `complaints` collects script errors and policy violations. */
async function openPage(browser: Browser) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/policy|refused/i.test(message.text())) complaints.push(message.text());
  });
  await page.clock.install();
  return { context, page, complaints };
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const back = (page: Page) => page.getByRole('button', { name: /^Back to “/ });

test("a game's own scheme opens its app beside our page", { skip: NO_BROWSER }, async (t) => {
  const service = await sharedService(t);
  const mobile = await service.createApp({ redirectUris: [OWN_SCHEME] });

  for (const installed of BROWSERS) {
    const browser = await startBrowser(t, installed);
    const inBrowser = (does: string) => `${does}, in ${installed.name}`;

    const decisions = (['Approve', 'Decline'] as const).slice(0, isTriedFully(installed) ? 2 : 1);
    for (const decision of decisions) {
      await t.test(inBrowser(`a form that was sent makes way for the way back: ${decision}`), async () => {
        const payment = await fundedPayment(service, mobile);
        const { context, page, complaints } = await openPage(browser);
        await page.goto(service.origin + payment.path());
        await page.clock.runFor(600);
        assert.equal(await back(page).isVisible(), false);

        const address = await opens(page, () => button(page, decision).click());
        const [txHash] = await transfersOf(service, payment.id);
        const result = txHash === undefined ? 'cancel=true' : `txId=${txHash}`;
        assert.equal(address, `${OWN_SCHEME}?${result}&requestId=${payment.id}`);
        assert.equal(txHash !== undefined, decision === 'Approve');

        // No event says that the app was opened, or that the player did not want to.
        await page.clock.runFor(5_000);
        await page.getByText('You’ve answered. Continue in the game.').waitFor();
        for (const asked of ['Approve', 'Decline']) assert.equal(await button(page, asked).isVisible(), false, asked);
        await assertFitInLooks(page);

        const again = await opens(page, () => pressBehindThePrompt(back(page)));
        assert.equal(again, address);
        assert.equal((await transfersOf(service, payment.id)).length, txHash === undefined ? 0 : 1);
        assert.deepEqual(complaints, []);
        await context.close();
      });
    }

    if (!isTriedFully(installed)) continue;
    await t.test(inBrowser('a player who returns from the app is not asked again'), async () => {
      const payment = await fundedPayment(service, mobile);
      const { context, page } = await openPage(browser);
      await page.goto(service.origin + payment.path());
      await page.clock.runFor(600);
      await opens(page, () => button(page, 'Approve').click());
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
      await back(page).waitFor();
      assert.equal(await button(page, 'Approve').isVisible(), false);
      await context.close();
    });
  }
});
