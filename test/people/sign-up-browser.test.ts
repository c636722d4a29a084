import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BROWSER, startBrowser } from '../support/browser.ts';
import { startTestService } from '../support/service.ts';
import { assertFit, DESKTOP, openPage, PHONE, typeAddressAndCode, typeNameAndPassword } from './browser-steps.ts';
import { newEmail } from './conversion.ts';

test('signing up in a browser', { skip: NO_BROWSER }, async (t) => {
  const service = await startTestService(t);
  const browser = await startBrowser(t);

  await t.test('without JavaScript, on a phone', async () => {
    const { context, page } = await openPage(browser, { viewport: PHONE, javaScriptEnabled: false });
    await page.goto(`${service.origin}/sign-up?return_to=/account`);
    await typeAddressAndCode(service, page, newEmail());
    await typeNameAndPassword(page);
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.waitForURL(`${service.origin}/account`);
    await context.close();
  });

  await t.test('every page is fit, and small', async () => {
    const email = newEmail();
    for (const [viewport, colorScheme] of [
      [PHONE, 'dark'],
      [DESKTOP, 'light'],
    ] as const) {
      const { context, page, complaints } = await openPage(browser, { viewport, colorScheme });
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
      await assertFit(page);
      const again = colorScheme === 'light';
      await typeAddressAndCode(service, page, email, assertFit, again ? 2 : 1);
      if (again) {
        await page.getByRole('heading', { name: 'You have an account already' }).waitFor();
        await assertFit(page);
      } else {
        await typeNameAndPassword(page, assertFit);
        await page.getByRole('button', { name: 'Finish' }).click();
        await page.waitForURL(`${service.origin}/account`);
      }
      assert.deepEqual(complaints, []);
      await context.close();
    }
  });
});
