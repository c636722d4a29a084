import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BROWSERS, closesBy, NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { openPage, PASSWORD, typeAddressAndCode, typeNameAndPassword } from '../kit/browser/browser-steps.ts';
import { assertFit, assertFitInLooks, PHONE } from '../kit/browser/fit.ts';
import { complaintsOf, heardOnce, openFramed, startGameSite, windowFrom } from '../kit/browser/game-site.ts';
import { OWN_SCHEME, opens, pressBehindThePrompt } from '../kit/browser/own-scheme.ts';
import { newDevice, usePasskey } from '../kit/browser/passkey-device.ts';
import { inTurns } from '../kit/run/turns.ts';
import { call } from '../kit/service/call.ts';
import { createGame, guestPath, newEmail, redeem } from '../kit/service/conversion.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { personWithPassword } from '../kit/service/with-password.ts';

test('guests become full users in a browser', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 3);
  const service = await sharedService(t);
  const browser = await startBrowser(t);
  const site = await startGameSite(t);
  const game = await createGame(service, { name: 'Chess Royale', redirectUris: [`${site}/`], frameAncestors: [site] });

  await t.test('a guest converts on the page and is redirected back to the game', async () => {
    const guest = await service.createGuest(game);
    const { context, page, complaints } = await openPage(browser, {});
    const path = guestPath(game, guest, { state: 'level 3' });
    await page.goto(service.origin + path);
    await assertFitInLooks(page);
    await typeAddressAndCode(service, page, newEmail(), assertFitInLooks);
    await typeNameAndPassword(page, assertFitInLooks);
    // Impatient: the browser shows what answers the second click.
    await page.getByRole('button', { name: 'Finish' }).dblclick();
    await page.waitForURL(`${site}/**`);
    const arrived = new URL(page.url()).searchParams;
    assert.deepEqual([arrived.get('success'), arrived.get('state')], ['true', 'level 3']);
    assert.equal((await redeem(service, game, arrived.get('code')!)).status, 200);
    assert.deepEqual(complaints, []);

    await page.goto(`${service.origin}/account`);
    assert.equal(new URL(page.url()).pathname, '/account', 'signed in');
    await page.goto(service.origin + path);
    await page.getByRole('heading', { name: 'Your guest account is now a full account' }).waitFor();
    await assertFitInLooks(page);
    await context.close();
  });

  await t.test('a guest takes a passkey in place of a password, and signs in with it', async (t) => {
    const [guest, email] = [await service.createGuest(game), newEmail()];
    const { page } = await newDevice(t, service, browser);
    const complaints = complaintsOf(page);
    await page.goto(service.origin + guestPath(game, guest));
    await typeAddressAndCode(service, page, email);
    const instead = page.getByRole('button', { name: 'Use a passkey instead' });
    await instead.click();
    await page.locator('#display_name:focus:invalid').waitFor();
    await page.getByLabel('Name').fill('Ada');
    await assertFitInLooks(page);
    await instead.click();
    await page.waitForURL(`${site}/**`);
    const code = new URL(page.url()).searchParams.get('code')!;
    assert.equal((await redeem(service, game, code)).status, 200);

    await page.goto(`${service.origin}/account/passkeys`);
    await page.locator('li').filter({ hasText: 'on Linux' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await usePasskey(page);
    await page.waitForURL(`${service.origin}/account`);
    await page.getByText('Ada').first().waitFor();
    assert.deepEqual(complaints, []);

    await page.goto(`${service.origin}/forgot`);
    await typeAddressAndCode(service, page, email, undefined, 2);
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Anyone with one of these can sign in').waitFor();
  });

  for (const installed of BROWSERS) {
    await t.test(`a guest whose game is an app gets the same code there twice, in ${installed.name}`, async (t) => {
      const inApp = await createGame(service, { redirectUris: [OWN_SCHEME] });
      const guest = await service.createGuest(inApp);
      const { context, page } = await openPage(await startBrowser(t, installed), { viewport: PHONE });
      await page.clock.install();
      await page.goto(service.origin + guestPath(inApp, guest));
      await typeAddressAndCode(service, page, newEmail());
      await typeNameAndPassword(page);
      const address = await opens(page, () => page.getByRole('button', { name: 'Finish' }).click());
      await page.clock.runFor(5_000);
      const back = page.getByRole('button', { name: /^Back to “/ });
      await back.waitFor();
      assert.equal(await page.getByRole('button', { name: 'Finish' }).isVisible(), false);
      await assertFit(page);
      assert.equal(await opens(page, () => pressBehindThePrompt(back)), address);
      const code = new URLSearchParams(address.slice(`${OWN_SCHEME}?`.length)).get('code')!;
      assert.equal((await redeem(service, inApp, code)).status, 200);
      await context.close();
    });
  }

  await t.test('in a frame, the game gets the code as a message and nobody is signed in', async () => {
    const guest = await service.createGuest(game);
    const { context, page, complaints } = await openPage(browser, { viewport: { width: 420, height: 844 } });
    const address = service.origin + guestPath(game, guest, { frame_id: 'frame-1' });
    const frame = await openFramed(page, site, address);
    await frame.getByRole('heading', { name: 'Keep your account' }).waitFor();
    await assertFit(frame);
    await typeAddressAndCode(service, frame, newEmail(), assertFit);
    await typeNameAndPassword(frame, assertFit);
    assert.equal(await frame.locator('#passkey').count(), 0, 'browsers make no passkeys in a frame');
    await frame.getByRole('button', { name: 'Finish' }).click();
    await frame.getByRole('heading', { name: 'Your account is ready' }).waitFor();
    await assertFit(frame);
    const [message, ...more] = await heardOnce(page);
    const { code, ...rest } = JSON.parse(String(message!.data));
    assert.deepEqual([rest, more, message!.origin], [{ success: true, frameId: 'frame-1' }, [], service.origin]);
    assert.equal((await redeem(service, game, code)).status, 200);
    assert.deepEqual(await context.cookies(), []);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  await t.test(
    'in a frame, the owner of an account signs in and merges in our window, and the game gets the code',
    async () => {
      const guest = await service.createGuest(game);
      await service.issue(guest.userId, 120);
      const ada = await personWithPassword(service);
      const { context, page, complaints } = await openPage(browser, {});
      const frame = await openFramed(page, site, service.origin + guestPath(game, guest, { frame_id: 'frame-1' }));
      await typeAddressAndCode(service, frame, ada.email);
      const button = frame.getByRole('link', { name: 'Sign in and move quarters' });
      await button.waitFor();
      await assertFit(frame);
      const own = await windowFrom(page, () => button.click());
      const ownComplaints = complaintsOf(own);
      assert.equal(await own.getByLabel('E-mail address').inputValue(), ada.email);
      await own.getByLabel('Password').fill(PASSWORD);
      await own.getByRole('button', { name: 'Sign in', exact: true }).click();
      await own.getByRole('heading', { name: 'Move 120 quarters to this account?' }).waitFor();
      await assertFitInLooks(own);
      await closesBy(own, () => own.getByRole('button', { name: 'Move and close guest' }).dblclick());
      await frame.getByRole('heading', { name: 'You now play with your account' }).waitFor();
      await assertFit(frame);
      const [message, ...more] = await heardOnce(page);
      const { code, ...rest } = JSON.parse(String(message!.data));
      assert.deepEqual([rest, more], [{ success: true, frameId: 'frame-1' }, []]);
      const { body } = await redeem(service, game, code);
      const me = (await call(service.app, 'GET /v1/me', { token: body.access_token! })).json();
      assert.equal(me.id, ada.userId);
      assert.deepEqual([...complaints, ...ownComplaints], []);
      await context.close();
    },
  );

  await t.test('a webview without a redirect address gets the code once, by its callback', async () => {
    const webview = await createGame(service, { redirectUris: [] });
    const guest = await service.createGuest(webview);
    const { context, page, complaints } = await openPage(browser, { viewport: PHONE });
    await page.addInitScript('window.calls = []; window.onServiceCallback = (result) => window.calls.push(result);');
    await page.goto(service.origin + guestPath(webview, guest));
    await typeAddressAndCode(service, page, newEmail());
    await typeNameAndPassword(page);
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.getByRole('heading', { name: 'Your account is ready' }).waitFor();
    const [result, ...more] = await page.evaluate<{ code: string; success: boolean }[]>('window.calls');
    assert.deepEqual([result?.success, more], [true, []]);
    assert.equal((await redeem(service, webview, result!.code)).status, 200);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  await t.test(
    'an e-mail address that has an account is reported, another one works, and faults appear beside their fields',
    async () => {
      const email = newEmail();
      const { context, page, complaints } = await openPage(browser, { viewport: PHONE });
      for (const guest of [await service.createGuest(game), await service.createGuest(game)]) {
        await page.goto(service.origin + guestPath(game, guest));
        const n = (await service.service.db.query('SELECT FROM users WHERE email = $1', [email])).length + 1;
        await typeAddressAndCode(service, page, email, undefined, n);
        if (n === 2) break;
        await typeNameAndPassword(page);
        await page.getByLabel('Password').fill('short');
        await page.getByRole('button', { name: 'Finish' }).click();
        await page.getByText('Use at least 12 characters.', { exact: true }).waitFor();
        await assertFit(page);
        await page.getByLabel('Password').fill(PASSWORD);
        await page.getByRole('button', { name: 'Finish' }).click();
        await page.waitForURL(`${site}/**`);
      }
      await page.getByRole('heading', { name: 'This address has an account' }).waitFor();
      await assertFit(page);
      await page.getByLabel('E-mail address').fill('no address@all');
      await page.locator('main form').evaluate((form) => form.setAttribute('novalidate', ''));
      await page.getByRole('button', { name: 'Send me a code' }).click();
      await page.getByText('Enter a valid e-mail').waitFor();
      await assertFit(page);
      await typeAddressAndCode(service, page, newEmail());
      await page.getByRole('heading', { name: 'Name and password' }).waitFor();
      assert.deepEqual(complaints, []);
      await context.close();
    },
  );
});
