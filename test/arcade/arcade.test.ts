import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import { winnings } from '../../examples/arcade/public/rules.js';
import type { UserId } from '../../src/base/ids.ts';
import { deleteRecordsOfClient, hashId } from '../../src/oauth/records.ts';
import { assertAccessible } from '../kit/browser/axe.ts';
import { playRound } from '../kit/browser/bot.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { openPage, typeAddressAndCode, typeNameAndPassword } from '../kit/browser/browser-steps.ts';
import { DESKTOP, PHONE } from '../kit/browser/fit.ts';
import { ourFrame } from '../kit/browser/game-page.ts';
import { openArcade } from '../kit/browser/open-arcade.ts';
import { newEmail } from '../kit/service/conversion.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { until } from '../kit/unit/until.ts';
import { expireRecords } from '../rows/oauth.ts';

const quarters = async (page: Page) => Number(await page.locator('#quarters').textContent());
const hasQuarters = (page: Page, amount: number) =>
  until(`the purse shows ${amount}`, async () => (await quarters(page)) === amount);
const says = (page: Page, text: string | RegExp) => page.getByRole('status').getByText(text).waitFor();
const buy = (page: Page) => page.getByRole('button', { name: 'Buy a shield' }).click();
/** Of the round just ended: even a bot that wants one may meet many coins before it meets a spike. */
const points = async (page: Page) => Number(/\d+/.exec((await page.locator('#headline').textContent()) ?? '')?.[0]);
const press = (place: Page | Frame, name: string) => place.getByRole('button', { name }).click();

test('the arcade, on a phone, on another site, without third-party cookies', { skip: NO_BROWSER }, async (t) => {
  const service = await sharedService(t);
  const arcade = await openArcade(t, service);
  const browser = await startBrowser(t);
  const { page, complaints } = await openPage(browser, { viewport: PHONE, hasTouch: true, isMobile: true });
  await page.clock.install();
  await page.goto(arcade.origin);
  const round = (points: number) => playRound(page, points, () => arcade.passTime(60));
  const userId = async () =>
    (await service.service.db.query<{ id: string }>('SELECT id FROM users WHERE guest_of = $1', [arcade.app.id]))[0]
      ?.id;
  let id: string | undefined;

  await t.test('the first round creates a guest with quarters, and looking at the page does not', async () => {
    await assertAccessible(page);
    assert.equal(await userId(), undefined);
    await round(12);
    id = await userId();
    assert.notEqual(id, undefined);
    const scored = await points(page);
    assert.ok(scored >= 12, `${scored} points`);
    const prize = winnings(scored);
    await page.getByText(`You won ${prize} quarters.`).waitFor();
    await hasQuarters(page, 50 + prize);
    await assertAccessible(page);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  });

  await t.test('a declined payment gives no shield and takes nothing', async () => {
    const before = await quarters(page);
    await buy(page);
    await press(await ourFrame(page), 'Decline');
    await says(page, 'Nothing was taken');
    await page.getByRole('button', { name: 'Buy a shield' }).waitFor();
    assert.equal(await quarters(page), before);
  });

  await t.test('a closed payment page gives no shield once the server has checked', async () => {
    await buy(page);
    await ourFrame(page);
    await press(page, 'Close');
    await says(page, 'Nothing was paid');
  });

  await t.test('a payment approved in the frame gives a shield that takes one hit', async () => {
    const before = await quarters(page);
    await buy(page);
    await press(await ourFrame(page), 'Approve');
    await says(page, 'Your shield is ready');
    await page.getByRole('button', { name: 'Shield ready' }).waitFor();
    await hasQuarters(page, before - 25);
    await round(1);
    await page.getByRole('button', { name: 'Buy a shield' }).waitFor();
  });

  await t.test('a guest becomes a user and keeps everything', async () => {
    await service.settled();
    await page.reload();
    await until('the purse is there', async () => (await quarters(page)) > 0);
    const before = await quarters(page);
    await press(page, 'Keep your quarters');
    await page.waitForURL(`${service.origin}/guest?**`);
    await typeAddressAndCode(service, page, newEmail());
    await typeNameAndPassword(page);
    await press(page, 'Finish');
    await page.waitForURL(`${arcade.origin}/`);
    await page.getByText('Playing as Ada').waitFor();
    await hasQuarters(page, before);
    const [user] = await service.service.db.query<{ kind: string }>('SELECT kind FROM users WHERE id = $1', [id]);
    assert.equal(user?.kind, 'full');
  });

  await t.test('a user approves in our window and sets a spending limit', async () => {
    await service.issue(id!, 100);
    await page.reload();
    await until('the purse is there', async () => (await quarters(page)) > 100);
    const before = await quarters(page);
    await buy(page);
    const frame = await ourFrame(page);
    assert.equal(await frame.getByRole('button', { name: 'Approve' }).count(), 0);
    const opened = page.waitForEvent('popup');
    await frame.getByRole('link', { name: 'Review payment' }).click();
    const popup = await opened;
    assert.equal(await popup.getByRole('checkbox', { name: 'Ask me every time' }).isChecked(), false);
    await press(popup, 'Approve');
    await says(page, 'Your shield is ready');
    await hasQuarters(page, before - 25);
  });

  await t.test('within the spending limit, a shield is bought with one tap and no page', async () => {
    await round(1);
    await service.settled();
    await page.reload();
    await until('the purse is there', async () => (await quarters(page)) > 0);
    const before = await quarters(page);
    await buy(page);
    await says(page, 'Your shield is ready');
    assert.equal(page.frames().length, 1);
    await hasQuarters(page, before - 25);
  });

  const { db } = service.service;

  await t.test('an access token that has expired is refreshed', async () => {
    const before = await quarters(page);
    await expireRecords(db, { model: 'AccessToken', userId: id! }, '1 minute');
    await page.reload();
    await page.getByText('Playing as Ada').waitFor();
    await hasQuarters(page, before);
    // What a restart would refresh with is not spent.
    const { refreshToken = '' } = arcade.storedPlayers().find(({ userId }) => userId === id)!;
    const found = await db.query('SELECT consumed_at FROM oauth_records WHERE hash = $1', [hashId(refreshToken)]);
    assert.deepEqual(found, [{ consumed_at: null }]);
  });

  await t.test('a signed-out player signs in again with the account', async () => {
    const before = await quarters(page);
    await deleteRecordsOfClient(db, id as UserId, arcade.app.id);
    await page.reload();
    await page.getByRole('link', { name: 'I have an account' }).click();
    await page.getByText('Playing as Ada').waitFor();
    assert.equal(page.url(), `${arcade.origin}/`);
    await hasQuarters(page, before);
  });

  assert.deepEqual(complaints, []);

  await t.test('on a desktop, a guest becomes a user in a window of its own', async () => {
    const desk = await openPage(browser, { viewport: DESKTOP });
    await desk.page.clock.install();
    await desk.page.goto(arcade.origin);
    await assertAccessible(desk.page);
    await playRound(desk.page, 1, () => arcade.passTime(60));
    const all = 50 + winnings(await points(desk.page));
    await hasQuarters(desk.page, all);
    const opened = desk.page.waitForEvent('popup');
    await press(desk.page, 'Keep your quarters');
    const popup = await opened;
    await typeAddressAndCode(service, popup, newEmail());
    await typeNameAndPassword(popup);
    await press(popup, 'Finish');
    await desk.page.getByText('Playing as Ada').waitFor();
    await hasQuarters(desk.page, all);
    assert.equal(popup.isClosed(), true);
    assert.deepEqual(desk.complaints, []);
  });
});
