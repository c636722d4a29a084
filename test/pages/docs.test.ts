import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks } from '../kit/browser/fit.ts';
import { oneInTurn } from '../kit/run/turns.ts';
import { sharedService } from '../kit/service/shared-service.ts';

test('the documentation works by keyboard, without scripts, and at every width', { skip: NO_BROWSER }, async (t) => {
  const { origin } = await sharedService(t);
  const browser = await startBrowser(t);
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));

  await t.test('every kind of page fits and passes axe', async () => {
    for (const path of oneInTurn(['', '/guides/api', '/reference', '/reference/requests'], 'kinds of documentation')) {
      await page.goto(`${origin}/docs${path}`);
      await assertFitInLooks(page);
    }
    await page.goto(`${origin}/docs/search?q=refund`);
    await assertFitInLooks(page);
  });

  await t.test('the search is reached with a slash and answered with arrows and Enter', async () => {
    await page.goto(`${origin}/docs/guides/webhooks`);
    await page.keyboard.press('/');
    await page.keyboard.type('refund-too');
    const option = page.getByRole('option', { name: /refund-too-large/ }).first();
    await option.waitFor();
    assert.match((await page.locator('.find [role="status"]').textContent()) ?? '', /^\d+ results$/);
    await page.keyboard.press('ArrowDown');
    assert.equal(await option.getAttribute('aria-selected'), 'true');
    assert.equal(
      await page.getByRole('combobox').getAttribute('aria-activedescendant'),
      await option.getAttribute('id'),
    );
    await assertFitInLooks(page);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}/docs/reference/problems#refund-too-large`);
    await page.keyboard.press('/');
    await page.keyboard.type('refund');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}/docs/search?q=refund`);
  });

  await t.test('the language of examples is chosen once for all pages', async () => {
    await page.goto(`${origin}/docs/reference/requests`);
    const code = page.locator('#cancelRequest .example');
    await page.locator('#createRequest').getByText('JavaScript', { exact: true }).click();
    await code.getByText('server.cancel(').waitFor();
    assert.equal(await code.getByText('curl -X POST').isVisible(), false);
    await page.goto(`${origin}/docs/reference/guests`);
    await page.locator('#createGuest').getByText('server.createGuest()').waitFor();
  });

  await t.test('a button copies the example beside it', async () => {
    await page.getByRole('button', { name: 'Copy JavaScript: Create a guest', exact: true }).click();
    await page.getByText('Copied', { exact: true }).waitFor({ state: 'attached' });
    assert.match(await page.evaluate('navigator.clipboard.readText()'), /await server\.createGuest\(\);$/);
  });

  await t.test('an address of the one-page reference leads to the call', async () => {
    await page.goto(`${origin}/docs#getRewards`);
    await page.waitForURL(`${origin}/docs/reference/users#getRewards`);
  });

  await t.test('on a phone a button opens the menu, and a link of it closes it', async () => {
    await page.goto(`${origin}/docs/reference/users`);
    await page.getByRole('button', { name: 'Menu' }).click();
    const link = page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Get the rewards' });
    await link.click();
    await link.waitFor({ state: 'hidden' });
    assert.equal(page.url(), `${origin}/docs/reference/users#getRewards`);
  });
  assert.deepEqual(complaints, []);

  await t.test('without scripts the search, the examples and the menu work', async () => {
    const plain = await (
      await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    ).newPage();
    await plain.goto(`${origin}/docs`);
    await plain.getByLabel('Search the documentation').fill('insufficient-quarters');
    await plain.keyboard.press('Enter');
    await plain.getByRole('main').getByRole('link', { name: 'insufficient-quarters' }).first().click();
    await plain.waitForURL(`${origin}/docs/reference/problems#insufficient-quarters`);
    await plain.getByRole('button', { name: 'Menu' }).click();
    await plain.getByRole('link', { name: 'Transfers', exact: true }).click();
    const example = plain.locator('#transfer .example');
    await example.getByText('JavaScript', { exact: true }).click();
    assert.equal(await example.getByText('server.pay(').isVisible(), true);
    assert.equal(await example.getByText('curl -X POST').isVisible(), false);
  });
});
