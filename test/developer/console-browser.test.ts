import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import type { AppId } from '../../src/base/ids.ts';
import { lookUpAccountOfApp } from '../../src/ledger/accounts.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks } from '../kit/browser/fit.ts';
import { inTurns } from '../kit/run/turns.ts';
import { createDeveloper, type Developer, registerApp } from '../kit/service/developer.ts';
import { askFor, move } from '../kit/service/history.ts';
import type { Person } from '../kit/service/people.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { randomNumbers } from '../kit/unit/fault-proxy.ts';
import { insertLivedInHistory } from '../rows/lived-in.ts';

/** An app that players have used for three days. */
async function openUsedApp(s: TestService, developer: Developer) {
  const { id, serverKey } = await registerApp(developer);
  const appId = id as AppId;
  const { address } = (await lookUpAccountOfApp(s.service.db, appId))!;
  const game = { id: appId, address, serverKey };
  const guest = await s.createGuest(game);
  const history = { appId, users: [guest.userId], hours: 72, requestsAnHour: 3, random: randomNumbers(1) };
  await insertLivedInHistory(s.service.db, history);
  return { game, player: { userId: guest.userId } as Person, path: `${s.origin}/developer/apps/${id}` };
}

async function signInto(context: BrowserContext, s: TestService, { cookie }: Developer): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: s.origin }]);
}

/** What a chart says where it stands, and what its table has in the row of that index. */
async function reading(page: Page, title: string) {
  const figure = page.locator('figure', { hasText: title }).first();
  const plot = figure.getByRole('slider');
  const index = Number(await plot.getAttribute('aria-valuenow'));
  const row = figure.locator('tbody tr').nth(index);
  const cells = await row.locator('th, td').evaluateAll((found) => found.map((cell) => cell.textContent ?? ''));
  return {
    index,
    said: await plot.getAttribute('aria-valuetext'),
    shown: await figure.locator('.said').textContent(),
    cells,
  };
}

test('the overview and the payments of an app in a browser', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 2);
  const s = await sharedService(t);
  const browser = await startBrowser(t);
  const developer = await createDeveloper(s);
  const { game, player, path } = await openUsedApp(s, developer);
  const context = await browser.newContext();
  await signInto(context, s, developer);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));

  await t.test('charts draw the tables, and arrow keys say the values of each hour', async () => {
    for (const period of ['24h', '30d']) {
      await page.goto(`${path}?period=${period}`);
      assert.equal(await page.locator('figure canvas').count(), await page.locator('figure table').count());
      await assertFitInLooks(page, `the overview of ${period}`);
    }
    await page.goto(path);
    await page.locator('figure', { hasText: 'Volume' }).getByRole('slider').focus();
    const last = await reading(page, 'Volume');
    assert.equal(last.index, 23);
    for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowRight']) await page.keyboard.press(key);
    const { index, said, shown, cells } = await reading(page, 'Volume');
    const [time, received, paidOut, refunded] = cells;
    assert.equal(index, 22);
    assert.equal(said, `${time}: Received ${received}, Paid out ${paidOut}, Refunded ${refunded}`);
    assert.equal(shown, said);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    assert.equal((await reading(page, 'Volume')).index, 0);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.keyboard.press('End');
    assert.deepEqual(await reading(page, 'Volume'), last, 'the other look draws the same');
  });

  await t.test('a payment is found and follows its own state', async () => {
    const asked = await askFor(s, game, player, 7, 'A silver spoon');
    await page.goto(path);
    await page.getByRole('link', { name: 'Payments', exact: true }).click();
    await assertFitInLooks(page, 'the payments');
    await page.getByLabel('Search').fill('silver SPOON');
    await page.keyboard.press('Enter');
    await page.locator('td[data-label="Time"] a').click();
    await page.getByText('The player has not answered yet.').waitFor();
    await assertFitInLooks(page, 'a payment');
    await move(s, asked.id, 'decline');
    await page.getByText('The player declined. Nothing moved.').waitFor();
    assert.equal(await page.locator('[data-progress]').count(), 0);
  });

  await t.test('without scripts the tables are open, and an app without payments shows its first steps', async () => {
    const plain = await browser.newContext({ javaScriptEnabled: false });
    await signInto(plain, s, developer);
    const still = await plain.newPage();
    await still.goto(path);
    assert.equal(await still.locator('figure table:visible').count(), await still.locator('figure').count());
    const { id } = await registerApp(developer);
    await page.goto(`${s.origin}/developer/apps/${id}`);
    await page.getByRole('heading', { name: 'Create a guest' }).waitFor();
    assert.ok((await page.locator('.way').textContent())?.includes(`\\"appId\\": \\"${id}\\"`));
    assert.equal(await page.locator('figure').count(), 0);
    await assertFitInLooks(page, 'the first steps');
  });
  assert.deepEqual(complaints, []);
});
