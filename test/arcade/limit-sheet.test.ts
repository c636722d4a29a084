import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitScreen, assertFlatButtons } from '../kit/browser/fit.ts';
import { openPage, ourFrame, pay, startGame } from '../kit/browser/game-page.ts';
import { enableAutoApproval } from '../kit/service/operator-acts.ts';
import { fundedPayment } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { until } from '../kit/unit/until.ts';

/** A small phone, and one on its side or with its keyboard open. */
const SMALL = [
  { width: 360, height: 640 },
  { width: 360, height: 400 },
] as const;

/** Where the parts of the sheet are, each after it was scrolled to. `hit`: a tap in its middle reaches it. */
const PARTS = `(() => {
  const part = (selector) => {
    const element = document.querySelector(selector);
    element.scrollIntoView({ block: 'nearest' });
    const { top, bottom, left, right } = element.getBoundingClientRect();
    const at = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return {
      top: top + scrollY,
      bottom: bottom + scrollY,
      size: parseFloat(getComputedStyle(element).fontSize),
      hit: top >= -1 && bottom <= innerHeight + 1 && (element === at || element.contains(at)),
    };
  };
  return {
    amount: part('.amount'),
    said: part('.mandate > p, .mandate > input + span'),
    approve: part('[value=approve]'),
    decline: part('[value=decline]'),
  };
})()`;

type Part = { readonly top: number; readonly bottom: number; readonly size: number; readonly hit: boolean };
type Parts = Readonly<Record<'amount' | 'said' | 'approve' | 'decline', Part>>;

async function assertSheet(place: Page | Frame, what: string): Promise<void> {
  // Until then it takes no tap at all.
  await place.locator('[data-ready=true]').waitFor({ state: 'attached' });
  const { amount, said, approve, decline } = await place.evaluate<Parts>(PARTS);
  assert.equal(said.size, amount.size, `${what}: the sentence is smaller than the amount`);
  assert.ok(said.bottom <= approve.top && approve.bottom <= decline.top, `${what}: the sentence is not above`);
  assert.deepEqual(
    [approve.hit, decline.hit],
    [true, true],
    `${what}, ${JSON.stringify({ approve, decline })}: a button is out of reach`,
  );
  await assertFitScreen(place, what);
  await assertFlatButtons(place, what);
}

test('what approving allows is as large as the amount and above the buttons, which stay in reach on a small phone', {
  skip: NO_BROWSER,
}, async (t) => {
  const service = await sharedService(t);
  const browser = await startBrowser(t);
  const game = await startGame(t, service.origin);
  for (const [consent, locales] of [
    ['approval', ['de', 'ar']],
    ['box', ['de']],
  ] as const) {
    const app = await service.createApp({ name: 'Flipside: Anniversary Edition', frameAncestors: [game] });
    await enableAutoApproval(service.service, app.id, consent);
    const payment = await fundedPayment(service, app);
    for (const locale of locales) {
      for (const viewport of SMALL) {
        const what = `${consent}, ${locale}, ${viewport.height} px high`;
        const { context, page } = await openPage(browser, { viewport, locale });
        await page.goto(`${service.origin}${payment.path({ inline: 'true' })}`);
        await assertSheet(page, what);
        await page.goto(`${game}/classic`);
        await pay(page, { requestId: payment.id, pageToken: payment.guest.pageToken });
        const frame = await ourFrame(page);
        const element = await frame.frameElement();
        const place = async () => (await element.boundingBox()) ?? { y: 0, height: 0 };
        await until('the dialog is shown', async () => (await place()).height > 200);
        // Else what is cut off could not be scrolled to. While the dialog rises, it is below the screen.
        const isWhole = async () => {
          const { y, height } = await place();
          return y >= 0 && y + height <= viewport.height;
        };
        await until(`${what}: no part of the frame is cut off`, isWhole, async () => JSON.stringify(await place()));
        await assertSheet(frame, `${what}, in a dialog`);
        await context.close();
      }
    }
  }
});
