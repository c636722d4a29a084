import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { AppId } from '../../src/base/ids.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks, assertFitScreen, DESKTOP, PHONE } from '../kit/browser/fit.ts';
import { createDeveloper, registerApp } from '../kit/service/developer.ts';
import { approve, askFor } from '../kit/service/history.ts';
import { createOperator } from '../kit/service/operator.ts';
import { createPerson, type Person } from '../kit/service/people.ts';
import { startTestService } from '../kit/service/service.ts';

async function assertFitEverywhere(page: Page, what: string): Promise<void> {
  await assertFitInLooks(page, what);
  for (const viewport of [PHONE, { width: 1024, height: 768 }, DESKTOP]) {
    await page.setViewportSize(viewport);
    await assertFitScreen(page, `${what} at ${viewport.width} pixels`);
  }
}

test('an operator and a developer find a player and a payment in a browser', { skip: NO_BROWSER }, async (t) => {
  const s = await startTestService(t);
  const browser = await startBrowser(t);
  const developer = await createDeveloper(s);
  const { id, serverKey } = await registerApp(developer);
  const game = { id: id as AppId, address: '0x' as const, serverKey };
  const ada = await createPerson(s, { displayName: 'Augusta Ada Byron, Countess of Lovelace' });
  await s.issue(ada.userId, 98_765_432_101);
  const shield = await askFor(
    s,
    game,
    ada,
    98_765_432_100,
    'A golden shield for the countess and for all of her horses',
  );
  await approve(s, shield);
  await s.settled();
  const open = async ({ cookie }: Pick<Person, 'cookie'>) => {
    const context = await browser.newContext();
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url: s.origin }]);
    return context.newPage();
  };

  await t.test('an operator finds a player by the middle of the name, in the field of every page', async () => {
    const page = await open(await createOperator(s, { displayName: 'Olga' }));
    await page.goto(`${s.origin}/operator/users`);
    await assertFitEverywhere(page, 'the newest players');
    for (const order of ['Last seen', 'Largest']) {
      await page.getByRole('link', { name: order, exact: true }).click();
      await page.locator('.chips [aria-current]', { hasText: order }).waitFor();
      await assertFitEverywhere(page, order);
    }
    await page.getByPlaceholder('Search').fill('countess');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Augusta Ada Byron' }).waitFor();
    assert.doesNotMatch(page.url(), /countess/);

    await page.getByRole('link', { name: 'Payments', exact: true }).click();
    await page.getByLabel('Amount').fill('98,765,432,100');
    await page.getByLabel('Description').fill('HORSES');
    await page.keyboard.press('Enter');
    await page.waitForURL(/amount=/);
    await assertFitEverywhere(page, 'the payments');
    await page.locator('td[data-label="Time"] a').click();
    await page.waitForURL(`**/operator/payments/${shield.id}`);
  });

  await t.test('a developer comes from the payments to the player', async () => {
    const page = await open(developer);
    await page.goto(`${s.origin}/developer/apps/${id}/payments`);
    await assertFitEverywhere(page, 'the payments of the app');
    await page.locator('td[data-label="User"] a').click();
    await page.getByRole('heading', { level: 1, name: 'Player' }).waitFor();
    await assertFitEverywhere(page, 'the player’s page');
  });
});
