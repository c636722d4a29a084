import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { SCOPES } from '../../src/identity/callers.ts';
import { grantConsent } from '../../src/identity/consents.ts';
import { BROWSERS, isTriedFully, NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks } from '../kit/browser/fit.ts';
import { profileOf } from '../kit/browser/game-site.ts';
import { OWN_SCHEME, opens, pressBehindThePrompt } from '../kit/browser/own-scheme.ts';
import { addPasskey, newDevice, usePasskey } from '../kit/browser/passkey-device.ts';
import { inTurns } from '../kit/run/turns.ts';
import { authorizeUrl, redemption, sharedWorld } from '../kit/service/oauth-world.ts';
import { createPerson, type Person } from '../kit/service/people.ts';
import { PASSWORD, personWithPassword } from '../kit/service/with-password.ts';

const link = (page: Page) => page.getByRole('link', { name: /^Back to “/ });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** As much time as a page gives an app to open. */
const wait = (page: Page) => page.clock.runFor(5_000);

test("sign-in, consent and sign-out lead to a game's own scheme, and back once more", {
  skip: NO_BROWSER,
}, async (whole) => {
  const t = inTurns(whole, 2);
  const world = await sharedWorld(t);
  const client = await world.createClient({ redirectUris: [OWN_SCHEME] });
  const asks = authorizeUrl(world.origin, client, { redirect_uri: OWN_SCHEME });
  const codeOf = (address: string) => new URLSearchParams(address.slice(`${OWN_SCHEME}?`.length)).get('code') ?? '';
  const assertRedeemable = async (address: string) => {
    const redeemed = await world.token({ ...redemption(client, codeOf(address)), redirect_uri: OWN_SCHEME });
    assert.equal(redeemed.status, 200, JSON.stringify(redeemed.body));
  };
  const pageOf = async (context: BrowserContext) => {
    const page = await context.newPage();
    await page.clock.install();
    return page;
  };
  const consent = async (page: Page) => {
    await page.goto(asks);
    await page.clock.runFor(600);
    return opens(page, () => button(page, 'Allow').click());
  };

  const hasAgreed = ({ userId }: Person) =>
    grantConsent(world.service.db, { userId, appId: client.id, scopes: SCOPES });

  for (const installed of BROWSERS) {
    const browser = await startBrowser(t, installed);
    const inBrowser = (does: string) => `${does}, in ${installed.name}`;

    await t.test(inBrowser('a player who agreed gets a code again by the way back'), async () => {
      const context = await profileOf(browser, world, await createPerson(world));
      const page = await pageOf(context);
      const first = await consent(page);
      await wait(page);
      await page.getByText('You’ve answered. Continue in the game.').waitFor();
      assert.equal(await button(page, 'Allow').isVisible(), false);
      const second = await opens(page, () => pressBehindThePrompt(link(page)));
      assert.notEqual(codeOf(second), codeOf(first));
      await assertRedeemable(second);
      await context.close();
    });

    await t.test(inBrowser('a player who has agreed before gets there by a passkey'), async (t) => {
      const person = await personWithPassword(world, { methods: ['pwd', 'otp'] });
      const device = await newDevice(t, world, browser, person);
      await addPasskey(world, device, 'Phone');
      await hasAgreed(person);
      const { page } = device;
      await page.context().clearCookies();
      await page.clock.install();
      await page.goto(asks);
      await opens(page, () => usePasskey(page));
      await wait(page);
      await link(page).waitFor();
      assert.equal(await button(page, 'Sign in').isVisible(), false);
      await assertRedeemable(await opens(page, () => pressBehindThePrompt(link(page))));
    });

    if (!isTriedFully(installed)) continue;
    await t.test(inBrowser('a player who has agreed before gets there by a password'), async () => {
      const person = await personWithPassword(world);
      await hasAgreed(person);
      const context = await profileOf(browser, world, null);
      const page = await pageOf(context);
      await page.goto(asks);
      await page.getByLabel('E-mail address').fill(person.email);
      await page.getByLabel('Password').fill(PASSWORD);
      await opens(page, () => button(page, 'Sign in').click());
      await wait(page);
      await link(page).waitFor();
      await assertFitInLooks(page);
      await assertRedeemable(await opens(page, () => pressBehindThePrompt(link(page))));
      await context.close();
    });

    await t.test(inBrowser('a player who signs out gets there again by the way back'), async () => {
      const ways = [
        {
          path: `/logout?${new URLSearchParams({ client_id: client.id, redirect_uri: OWN_SCHEME })}`,
          ends: '?success=true',
        },
        {
          path: `/oauth/logout?${new URLSearchParams({ client_id: client.id, post_logout_redirect_uri: OWN_SCHEME, state: 'a b' })}`,
          ends: '?state=a',
        },
      ];
      for (const { path, ends } of ways) {
        const context = await profileOf(browser, world, await createPerson(world));
        const page = await pageOf(context);
        await page.goto(world.origin + path);
        const first = await opens(page, () => button(page, 'Sign out').click());
        assert.ok(first.startsWith(OWN_SCHEME + ends), first);
        await wait(page);
        const again = await opens(page, () => pressBehindThePrompt(page.locator('.after .primary:visible')));
        assert.equal(decodeURIComponent(again), decodeURIComponent(first.replaceAll('+', ' ')));
        await context.close();
      }
    });
  }
});
