import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOCALES } from '../../src/base/locales.ts';
import { MAX_PICTURE_BYTES } from '../../src/identity/app-pictures.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFit, assertFlatButtons, PHONE } from '../kit/browser/fit.ts';
import { oneInTurn } from '../kit/run/turns.ts';
import { newPayment, statusOf } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';

const MAX_BYTES = 30_000;

/** What the page and all that it loads have, without headers. */
const WEIGHT = `['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;

test('the sheet holds in each language on a phone, and another one is chosen without scripts', {
  skip: NO_BROWSER,
}, async (t) => {
  const service = await sharedService(t);
  const browser = await startBrowser(t);
  const app = await service.createApp({ name: 'The Quest of the Extraordinarily Long Names', autoApprove: true });
  const payment = await newPayment(service, app, { tokens: 1_234_567, description: 'قلعة من ذهب' });
  await service.issue(payment.guest.userId, 2_000_000);

  const page = await (await browser.newContext({ viewport: PHONE, reducedMotion: 'reduce' })).newPage();
  for (const locale of oneInTurn(LOCALES, 'languages of the sheet')) {
    await page.goto(service.origin + payment.path({ locale }));
    await assertFit(page, locale);
    await assertFlatButtons(page, locale);
    const bytes = Number(await page.evaluate(WEIGHT)) + MAX_PICTURE_BYTES;
    assert.ok(bytes < MAX_BYTES, `${locale}: ${bytes} bytes, with the largest picture`);
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
