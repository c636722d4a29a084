import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOCALES } from '../../src/base/locales.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFit, PHONE } from '../kit/browser/fit.ts';
import { newPayment, statusOf } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';

/** The buttons whose text has more than one line. */
const TALL_BUTTONS = `[...document.querySelectorAll('main :is(button, a.primary)')].filter((button) => {
  const range = new Range();
  range.selectNodeContents(button);
  return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 8))).size > 1 && button.checkVisibility();
}).map((button) => button.textContent)`;

test('the sheet holds in each language on a phone, and another one is chosen without scripts', {
  skip: NO_BROWSER,
}, async (t) => {
  const service = await sharedService(t);
  const browser = await startBrowser(t);
  const app = await service.createApp({ name: 'The Quest of the Extraordinarily Long Names', autoApprove: true });
  const payment = await newPayment(service, app, { tokens: 1_234_567, description: 'قلعة من ذهب' });
  await service.issue(payment.guest.userId, 2_000_000);

  const page = await (await browser.newContext({ viewport: PHONE, reducedMotion: 'reduce' })).newPage();
  for (const locale of LOCALES) {
    await page.goto(service.origin + payment.path({ locale }));
    await assertFit(page, locale);
    assert.deepEqual(await page.evaluate(TALL_BUTTONS), [], locale);
  }
  await page.context().close();

  const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false, locale: 'en-GB' });
  const plain = await context.newPage();
  await plain.goto(service.origin + payment.path());
  await plain.locator('summary').click();
  await plain.getByRole('button', { name: 'العربية' }).click();
  await plain.locator('html[dir="rtl"]').waitFor();
  assert.equal(await statusOf(service, payment.id), 'pending');
  await plain.getByRole('button', { name: 'موافقة' }).click();
  await plain.getByRole('heading', { name: 'تم دفع' }).waitFor();
  assert.notEqual(await statusOf(service, payment.id), 'pending');
  await context.close();
});
