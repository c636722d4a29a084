import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { closesBy, NO_BROWSER, startBrowser } from '../../kit/browser/browser.ts';
import { assertFit, PHONE } from '../../kit/browser/fit.ts';
import {
  complaintsOf,
  heardOnce,
  openFramed,
  profileOf,
  startGameSite,
  windowFrom,
} from '../../kit/browser/game-site.ts';
import { addPasskey, newDevice, usePasskey } from '../../kit/browser/passkey-device.ts';
import { personPayment } from '../../kit/browser/person-payment.ts';
import { inTurns } from '../../kit/run/turns.ts';
import { transfersOf } from '../../kit/service/payment.ts';
import type { Person } from '../../kit/service/people.ts';
import { startTestService } from '../../kit/service/service.ts';
import { PASSWORD, personWithPassword } from '../../kit/service/with-password.ts';
import { ageSessions } from '../../rows/oauth.ts';

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const needed = (page: Page) => page.getByText('Payments above 5 quarters need your password or passkey again.');
const given = (page: Page) => page.getByText('You’ve confirmed it’s you.');

test('confirming large payments in a browser', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 2);
  const service = await startTestService(t, { env: { CONFIRM_ABOVE: '5' } });
  const { db } = service.service;
  const browser = await startBrowser(t);
  const game = await startGameSite(t);
  const app = await service.createApp({ frameAncestors: [game], redirectUris: [`${game}/back`], autoApprove: true });
  const payer = async () => {
    const person = await personWithPassword(service, { methods: ['pwd', 'otp'] });
    await service.issue(person.userId, 100);
    return person;
  };
  const signedInLongAgo = ({ userId }: Person) => ageSessions(db, { userId }, '1 day');

  await t.test('a passkey confirms at top level, and the game gets the result at its address', async (t) => {
    const person = await payer();
    const device = await newDevice(t, service, browser, person);
    const { page } = device;
    await page.setViewportSize(PHONE);
    const complaints = complaintsOf(page);
    await addPasskey(service, device, 'Phone');
    await signedInLongAgo(person);
    const { id, url } = await personPayment(service, app, person);
    await page.goto(`${url}&redirect_uri=${encodeURIComponent(`${game}/back`)}`);
    await needed(page).waitFor();
    await assertFit(page);
    await press(page, 'Approve');
    await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
    assert.deepEqual(await transfersOf(service, id), []);
    await usePasskey(page);
    await given(page).waitFor();
    await assertFit(page);
    assert.deepEqual(await transfersOf(service, id), []);
    await press(page, 'Approve');
    await page.waitForURL(`${game}/back?**`);
    const [txId] = await transfersOf(service, id);
    assert.equal(page.url(), `${game}/back?txId=${txId}&requestId=${id}`);
    assert.deepEqual(complaints, []);
  });

  await t.test('a password confirms in our window, and the frame and its game get the result once', async () => {
    const person = await payer();
    await signedInLongAgo(person);
    const { id, url } = await personPayment(service, app, person);
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    const frame = await openFramed(page, game, `${url}&frame_id=f`);
    const own = await windowFrom(page, () => frame.getByRole('link', { name: 'Review payment' }).click());
    const complaints = complaintsOf(own);
    await needed(own).waitFor();
    await press(own, 'Approve');
    await own.getByLabel('Password').fill('what was it');
    await press(own, 'Continue');
    await own.getByText('Wrong e-mail or password').waitFor();
    await own.getByLabel('Password').fill(PASSWORD);
    await press(own, 'Continue');
    await given(own).waitFor();
    await closesBy(own, () => press(own, 'Approve'));
    const [txId] = await transfersOf(service, id);
    const data = JSON.stringify({ txId, requestId: id, frameId: 'f' });
    assert.deepEqual(await heardOnce(page), [{ data, origin: service.origin }]);
    assert.deepEqual(complaints, []);
    await context.close();
  });
});
