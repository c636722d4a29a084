import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { openPage, PASSWORD, typeAddressAndCode, typeNameAndPassword } from '../kit/browser/browser-steps.ts';
import { assertFitInLooks, PHONE } from '../kit/browser/fit.ts';
import { inTurns } from '../kit/run/turns.ts';
import { newEmail } from '../kit/service/conversion.ts';
import { sharedService } from '../kit/service/shared-service.ts';

test('signing up in a browser', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 2);
  const service = await sharedService(t);
  const browser = await startBrowser(t);

  await t.test('signing up works without JavaScript on a phone', async () => {
    const { context, page } = await openPage(browser, { viewport: PHONE, javaScriptEnabled: false });
    await page.goto(`${service.origin}/sign-up?return_to=/account`);
    await typeAddressAndCode(service, page, newEmail());
    await typeNameAndPassword(page);
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.waitForURL(`${service.origin}/account`);
    await context.close();
  });

  await t.test('the sign-up pages are accessible and small', async () => {
    const email = newEmail();
    const { context, page, complaints } = await openPage(browser, {});
    let bytes = 0;
    page.on(
      'response',
      (response) =>
        void response.body().then(
          ({ length }) => (bytes += length),
          () => {},
        ),
    );
    await page.goto(`${service.origin}/sign-up`, { waitUntil: 'networkidle' });
    assert.ok(bytes > 1000 && bytes < 30_000, `${bytes} bytes`);
    await assertFitInLooks(page);
    await typeAddressAndCode(service, page, email, assertFitInLooks);
    await typeNameAndPassword(page, assertFitInLooks);
    const password = page.getByLabel('Password');
    for (const [typed, said] of [
      ['short', 'Too short'],
      [`${email.split('@')[0]}1`, 'Too close to your name or e-mail address'],
      ['Password1234', 'Weak'],
      [PASSWORD, 'Strong'],
    ] as const) {
      await password.fill(typed);
      await page.locator('[aria-live]').filter({ hasText: said }).waitFor();
      await assertFitInLooks(page, said);
    }
    await page.getByRole('button', { name: 'Show' }).click();
    assert.equal(await password.getAttribute('type'), 'text');
    await assertFitInLooks(page, 'shown');
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.waitForURL(`${service.origin}/account`);

    // Somebody who has forgotten that they have an account.
    await context.clearCookies();
    await page.goto(`${service.origin}/sign-up`);
    await typeAddressAndCode(service, page, email, undefined, 2);
    await page.getByRole('heading', { name: 'You already have an account' }).waitFor();
    await assertFitInLooks(page);
    assert.deepEqual(complaints, []);
    await context.close();
  });
});
