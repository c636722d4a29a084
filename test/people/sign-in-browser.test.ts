import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Request } from 'playwright-core';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks } from '../kit/browser/fit.ts';
import { inTurns } from '../kit/run/turns.ts';
import { codeIn, mailAtOnce } from '../kit/service/mailbox.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { PASSWORD, personWithPassword } from '../kit/service/with-password.ts';

/** As they are sent. */
const MOST_BYTES = 15_000;

test('signing in with a browser', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 2);
  const service = await sharedService(t);
  const { origin } = service;
  const browser = await startBrowser(t);

  await t.test('without JavaScript: reset a password, sign in, confirm, sign out', async () => {
    const person = await personWithPassword(service);
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await page.goto(`${origin}/account/passkeys`);
    await page.getByLabel('E-mail address').fill(person.email);
    await page.getByLabel('Password').fill('what was it');
    await press('Sign in');
    await page.getByText('Wrong e-mail or password').waitFor();
    assert.equal(await page.getByLabel('E-mail address').inputValue(), person.email, 'typed once');
    assert.equal(await page.getByLabel('Password').inputValue(), '');

    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByLabel('E-mail address').fill(person.email);
    await press('Send me a code');
    await page.getByLabel('Code').fill(codeIn(await mailAtOnce(service, person.email)));
    await press('Continue');
    await page.getByLabel('New password').fill('what it is now');
    await press('Set password');
    await page.getByRole('heading', { name: 'You’re all set' }).waitFor();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.waitForURL(`${origin}/account/passkeys`);

    await page.goto(`${origin}/sign-in?again=true&return_to=/sign-out`);
    await page.getByLabel('Password').fill('what it is now');
    await press('Continue');
    await page.waitForURL(`${origin}/sign-out`);
    await press('Sign out');
    await page.getByRole('heading', { name: 'You’re signed out' }).waitFor();
    await context.close();
  });

  await t.test('the sign-in pages are accessible', async () => {
    const person = await personWithPassword(service);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${origin}/sign-in`);
    await assertFitInLooks(page);
    await page.getByLabel('E-mail address').fill(person.email);
    await page.getByLabel('Password').fill('wrong password');
    await page.getByLabel('Password').press('Enter');
    await page.getByText('Wrong e-mail or password').waitFor();
    await assertFitInLooks(page);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByLabel('Password').press('Enter');
    await page.waitForURL(`${origin}/account`);
    for (const path of ['/account/passkeys', '/sign-in?again=true', '/sign-out', '/forgot']) {
      await page.goto(origin + path);
      await assertFitInLooks(page);
    }
    await page.getByLabel('E-mail address').fill(person.email);
    await page.getByRole('button', { name: 'Send me a code' }).click();
    await page.getByLabel('Code').fill('no code');
    await page.getByLabel('Code').press('Enter');
    await page.locator('#code-error').waitFor();
    await assertFitInLooks(page);
    await page.getByLabel('Code').fill(codeIn(await mailAtOnce(service, person.email)));
    await page.getByLabel('Code').press('Enter');
    await page.getByLabel('New password').fill('short');
    await page.getByLabel('New password').press('Enter');
    await page.locator('#password-error').waitFor();
    await assertFitInLooks(page);
    await context.close();
  });

  await t.test('the sign-in page stays under its size limit', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const requests: Request[] = [];
    page.on('request', (request) => requests.push(request));
    await page.goto(`${origin}/sign-in`, { waitUntil: 'networkidle' });
    const sizes = await Promise.all(requests.map((request) => request.sizes()));
    const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
    assert.ok(bytes > 5_000 && bytes < MOST_BYTES, `${bytes} bytes`);
    await context.close();
  });
});
