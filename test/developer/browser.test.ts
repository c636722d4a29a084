import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { AppId } from '../../src/base/ids.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks } from '../kit/browser/fit.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { fillDeliveries } from '../kit/service/deliveries.ts';
import { createDeveloper } from '../kit/service/developer.ts';
import { sharedService } from '../kit/service/shared-service.ts';

const MAX_BYTES = 30_000;

test('the developer pages in a browser', { skip: NO_BROWSER || notInTurn(2, 'developer pages') }, async (t) => {
  const service = await sharedService(t);
  const browser = await startBrowser(t);

  await t.test('a developer registers an app, replaces a key and sets up webhooks', async () => {
    const developer = await createDeveloper(service);
    const context = await browser.newContext();
    const [name = '', value = ''] = developer.cookie.split('=');
    await context.addCookies([{ name, value, url: service.origin }]);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    const look = (what: string) => lookAt(page, what);

    await page.goto(`${service.origin}/developer`);
    await look('developer-none');
    await page.getByRole('link', { name: 'Register an app' }).click();
    await look('developer-new');

    await page.getByLabel('Name').fill('Space Race');
    await page.getByLabel('Redirect addresses').fill('http://game.example/back');
    await page.getByRole('button', { name: 'Register' }).click();
    const redirects = page.getByLabel('Redirect addresses');
    assert.equal(await redirects.getAttribute('aria-invalid'), 'true');
    assert.equal(await redirects.inputValue(), 'http://game.example/back');
    await look('developer-refused');

    await redirects.fill('https://game.example/back');
    await page.getByLabel('Sites that may frame our pages').fill('https://game.example');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { name: 'Space Race is registered' }).waitFor();
    await look('developer-secrets');

    await page.getByRole('button', { name: 'I’ve saved it' }).click();
    await look('developer-overview');
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('button', { name: /^Replace the server key ending in/ }).click();
    await page.getByRole('heading', { name: 'Your new server API key' }).waitFor();
    await look('developer-key');
    await page.getByRole('button', { name: 'I’ve saved it' }).click();
    await page.getByRole('link', { name: 'Keys' }).click();

    // Revoking takes two steps, by keyboard too.
    const summary = page.getByText('Revoke…').first();
    await summary.focus();
    await page.keyboard.press('Enter');
    await look('developer-app');
    await page
      .getByRole('button', { name: /^Revoke the server key ending in/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Create a server key' }).waitFor();
    await page.getByLabel('Daily payout limit').fill('a lot');
    await page.getByRole('button', { name: 'Create a server key' }).click();
    await page.getByText('Enter a whole number').waitFor();
    await look('developer-limit');

    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByLabel('URL').fill('https://127.0.0.1/hook');
    await page.getByText('All types').click();
    for (const type of ['completed', 'declined', 'failed']) await page.getByLabel(`request.${type}`).check();
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByText('The URL must be on the public internet').waitFor();
    assert.ok(await page.getByLabel('request.completed').isChecked());
    await look('developer-webhooks-refused');
    await page.getByLabel('URL').fill('https://game.invalid/hook');
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByRole('heading', { name: 'Your webhook secret' }).waitFor();
    await look('developer-webhook-secret');
    await page.getByRole('button', { name: 'I’ve saved it' }).click();
    await page.getByText('No deliveries yet.').waitFor();
    await fillDeliveries(service, new URL(page.url()).pathname.split('/')[3] as AppId);
    await page.reload();
    await look('developer-endpoint');
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('We send nothing there').waitFor();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Pending events are sent now').waitFor();
    await page.getByLabel('State').selectOption('Failed');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('link', { name: 'request.failed' }).click();
    await page.getByText('{"error":"<b>no such order</b>"}').waitFor();
    await look('developer-event');
    await page.getByRole('link', { name: 'All events' }).click();
    await page.getByLabel('Event type').selectOption('request.declined');
    await page.getByRole('button', { name: 'Search' }).click();
    assert.equal(await page.locator('tbody tr').count(), 1);
    await look('developer-events');
    await page.getByRole('link', { name: 'Endpoints' }).click();
    await look('developer-webhooks');
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByText('Sent.').waitFor();
    await page.getByText('"test": true').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await look('developer-settings');

    await page.getByRole('button', { name: 'Request auto approval' }).click();
    await page.getByText('requested it').waitFor();
    await page.goto(`${service.origin}/developer`);
    await look('developer-list');
    // A refused form is an error to the browser's console, as any answer of 400.
    assert.deepEqual(
      complaints.filter((text) => !/status of 400/.test(text)),
      [],
    );
    await context.close();
  });

  async function lookAt(page: Page, what: string): Promise<void> {
    await assertFitInLooks(page, what);
    const files = await Promise.all(
      [...(await page.content()).matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(
        async ([, url]) =>
          (await service.app.inject({ url: url!, headers: { 'accept-encoding': 'br' } })).rawPayload.length,
      ),
    );
    const bytes = (await page.content()).length + files.reduce((sum, size) => sum + size, 0);
    assert.ok(bytes < MAX_BYTES, `${what} loads ${bytes} bytes`);
  }
});
