import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import { asQuarters } from '../../src/base/quarters.ts';
import { grantConsent } from '../../src/identity/consents.ts';
import { startSession } from '../../src/oauth/sessions.ts';
import { assertMoreContrast } from '../kit/browser/axe.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks, PHONE } from '../kit/browser/fit.ts';
import { inTurns } from '../kit/run/turns.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { approve, askFor, move, pay } from '../kit/service/history.ts';
import { storePasskey } from '../kit/service/passkey.ts';
import { createPerson, type Person } from '../kit/service/people.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { changeRequests } from '../rows/requests.ts';

/** As they are sent: styles and scripts compressed, and only once in a visit. */
const MOST_BYTES = 30_000;
const PAGES = ['', '/activity', '/apps', '/name', '/email', '/password', '/passkeys', '/sessions', '/check', '/close'];

/** Where the lines of the page's last address begin, and how it is read. */
const LAST_ADDRESS = `(() => {
  const address = [...document.querySelectorAll('code.copy')].at(-1);
  const { direction, unicodeBidi, textAlign } = getComputedStyle(address);
  const text = document.createRange();
  text.selectNodeContents(address);
  return [[...text.getClientRects()].map(({ left }) => Math.round(left)), direction, unicodeBidi, textAlign];
})()`;

async function open(
  t: TestContext,
  browser: Browser,
  service: TestService,
  person: Person,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext(options);
  atEnd(t, () => context.close());
  const [name, value] = person.cookie.split('=');
  await context.addCookies([{ name: name!, value: value!, url: service.origin }]);
  return context.newPage();
}

test('the account pages in a browser', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 3);
  const service = await sharedService(t);
  const browser = await startBrowser(t);
  const { db } = service.service;
  const game = await service.createApp({ name: 'Chess Royale' });
  await service.issue(game.id, 1_000);
  const ada = await createPerson(service, { displayName: 'Ada Lovelace' });
  await service.issue(ada.userId, 1_234_567);
  await approve(service, await askFor(service, game, ada, 120, 'a sword'));
  await pay(service, game, ada, 50);
  await service.settled();
  for (let i = 1; i <= 30; i++)
    await move(service, (await askFor(service, game, ada, i, 'x'.repeat(280))).id, 'decline');
  const waiting = await askFor(service, game, ada, 5);
  await grantConsent(db, { userId: ada.userId, appId: game.id, scopes: ['profile', 'wallet', 'requests'] });
  await grantMandate(db, {
    userId: ada.userId,
    appId: game.id,
    maxPerTransfer: asQuarters(3),
    maxPerDay: asQuarters(9),
    days: 3,
  });

  for (const name of ['Phone', 'x'.repeat(60)]) await storePasskey(service, ada.userId, name);
  for (const browser of ['Firefox on Windows', 'Samsung Internet on Android', null]) {
    await startSession(db, ada.userId, ['hwk'], browser);
  }

  await t.test('the account pages pass axe, cut nothing off and are light', async () => {
    const page = await open(t, browser, service, ada);
    let loaded: Request[] = [];
    page.on('requestfinished', (request) => loaded.push(request));
    for (const path of [...PAGES, `/apps/limit?app=${game.id}`]) {
      loaded = [];
      await page.goto(`${service.origin}/account${path}`);
      await assertFitInLooks(page, path);
      const sizes = await Promise.all(loaded.map((request) => request.sizes()));
      const bytes = sizes.map(({ responseBodySize }) => responseBodySize);
      const sum = bytes.reduce((total, one) => total + one, 0);
      assert.ok(bytes.length >= 2 && sum <= MOST_BYTES, `${path} weighs ${bytes.join(' + ')} bytes`);
    }
    await page.goto(`${service.origin}/account/name`);
    await page.getByLabel('Name').fill('\u202e');
    await page.locator('main').getByRole('button').click();
    assert.equal(await page.getByLabel('Name').getAttribute('aria-invalid'), 'true');
    await assertFitInLooks(page);
  });

  await t.test('every kind of page has more contrast for whoever asks for it', async () => {
    const page = await open(t, browser, service, ada);
    const payment = `/requests/${waiting.id}`;
    for (const path of ['/account', '/account/apps', '/sign-in?again=true', payment, '/developer', '/docs', '/']) {
      await page.goto(service.origin + path);
      await assertMoreContrast(page, path);
    }
  });

  await t.test('moments and days are shown in the reader’s time zone', async () => {
    const page = await open(t, browser, service, ada, { timezoneId: 'Asia/Tokyo' });
    const at = new Date('2026-03-01T16:30:00Z');
    await changeRequests(db, { userId: ada.userId }, { createdAt: at });
    const first = page.locator('.activity time').first();
    for (const [now, shown] of [
      ['2026-03-01T17:00:00Z', 'today, 01:30'],
      ['2026-03-02T15:30:00Z', 'yesterday, 01:30'],
      ['2026-03-05T00:00:00Z', '2 Mar 2026, 01:30'],
    ] as const) {
      await page.clock.setFixedTime(now);
      await page.goto(`${service.origin}/account/activity?show=failed`);
      await page.getByText(shown, { exact: true }).first().waitFor();
      assert.equal(await first.getAttribute('title'), '1 Mar 2026, 16:30 UTC');
    }
    await page.goto(`${service.origin}/account/apps`);
    assert.match((await page.locator('time').first().textContent()) ?? '', /^\d+ \w+ 20\d\d$/);
    const plain = await open(t, browser, service, ada, { javaScriptEnabled: false, timezoneId: 'Asia/Tokyo' });
    await plain.goto(`${service.origin}/account/activity?show=failed`);
    assert.equal(await plain.locator('.activity time').first().textContent(), '1 Mar 2026, 16:30 UTC');
  });

  await t.test('in Arabic, an address is read from left to right, and both its lines begin on the left', async () => {
    const page = await open(t, browser, service, ada, { viewport: PHONE });
    await page.goto(`${service.origin}/account?locale=ar`);
    const [lines, ...style] = (await page.evaluate(LAST_ADDRESS)) as [number[], ...string[]];
    assert.deepEqual(style, ['ltr', 'isolate', 'left']);
    assert.equal(new Set(lines).size, 1, String(lines));
  });

  await t.test('the account pages work by keyboard and without scripts', async () => {
    const bob = await createPerson(service);
    const page = await open(t, browser, service, bob, { javaScriptEnabled: false });
    await page.goto(`${service.origin}/account`);
    await page.getByRole('link', { name: 'Display name' }).press('Enter');
    await page.getByLabel('Name').fill('Bob the Builder');
    await page.getByLabel('Name').press('Enter');
    await page.getByText('Your display name was changed.').waitFor();
    await page.getByText('Bob the Builder').waitFor();

    await page.getByRole('link', { name: 'Close your account' }).press('Enter');
    await page.getByLabel('To confirm').fill(bob.email);
    await page.getByLabel('To confirm').press('Enter');
    await page.getByRole('heading', { name: 'Your account is closed' }).waitFor();
    assert.deepEqual(await page.context().cookies(), []);
  });
});
