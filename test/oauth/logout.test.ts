import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { comes, NO_BROWSER } from '../kit/browser/browser.ts';
import { complaintsOf, heardBy, heardOnce, openFramed, profileOf, windowFrom } from '../kit/browser/game-site.ts';
import { inTurns } from '../kit/run/turns.ts';
import type { Person } from '../kit/service/people.ts';
import { setStage } from './stage.ts';

const press = (page: Page | Frame, name: string) => page.getByRole('button', { name, exact: true }).click();

test('signing out', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 2);
  const stage = await setStage(t);
  const { service, browser, game, other } = stage;
  const app = await stage.createApp({ redirectUris: [`${game}/bye`] });
  const url = (more: string) => `${service.origin}/logout?client_id=${app.id}&inline=true${more}`;
  const isSignedIn = async (context: BrowserContext) => {
    const answer = await context.request.get(`${service.origin}/account`, { maxRedirects: 0 });
    return answer.status() === 200;
  };
  const enter = async (person: Person | null) => {
    const context = await profileOf(browser, service, person);
    return { context, page: await context.newPage() };
  };

  await t.test('logout by redirect asks first, redirects back, and keeps every game’s access', async () => {
    const person = await stage.createPerson();
    const { context, page } = await enter(person);
    const complaints = complaintsOf(page);
    await page.goto(app.authorize(`&redirect_uri=${encodeURIComponent(`${game}/bye`)}`));
    await press(page, 'Allow');
    await page.waitForURL(`${game}/bye?**`);
    const code = new URL(page.url()).searchParams.get('code') ?? '';

    const more = `&redirect_uri=${encodeURIComponent(`${game}/bye`)}`;
    await page.goto(url(more));
    assert.equal(await isSignedIn(context), true);
    await press(page, 'Stay signed in');
    await page.waitForURL(`${game}/bye?cancel=true`);
    assert.equal(await isSignedIn(context), true);
    await page.goto(url(more));
    await press(page, 'Sign out');
    await page.waitForURL(`${game}/bye?success=true`);
    assert.equal(await isSignedIn(context), false);
    assert.equal(await app.redeem(code), person.userId);
    await page.goto(url(more));
    assert.equal(page.url(), `${game}/bye?success=true`);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  await t.test('logout from a frame opens our window, and the game gets the result', async () => {
    const { context, page } = await enter(await stage.createPerson());
    const frame = await openFramed(page, game, url('&frame_id=f'));
    const own = await windowFrom(page, () => frame.getByRole('link', { name: 'Continue to sign out' }).click());
    await press(own, 'Sign out');
    const data = JSON.stringify({ success: true, frameId: 'f' });
    assert.deepEqual(await heardOnce(page), [{ data, origin: service.origin }]);
    assert.equal(await isSignedIn(context), false);
    await context.close();
  });

  await t.test('another site’s page can neither sign a player out nor redirect them', async () => {
    const person = await stage.createPerson();
    const visitor = stage.visitor(person);
    for (const wrong of ['https://evil.example/', `${game}/bye/`, 'javascript:alert(1)']) {
      const { body } = await visitor.arrive(url(`&redirect_uri=${encodeURIComponent(wrong)}`));
      assert.match(body, /<h1>The game gave a wrong address<\/h1>/, wrong);
    }
    const { body } = await visitor.arrive(url('').replace(app.id, 'x'));
    assert.match(body, /<h1>We don’t know this game<\/h1>/);

    const { context, page } = await enter(person);
    await page.goto(other);
    const refused = page.waitForResponse((response) => response.url().endsWith('/logout'));
    await page.setContent(`<form method="post" action="${service.origin}/logout">
      <input name="client_id" value="${app.id}"><button name="decision" value="sign-out">Go</button></form>`);
    await press(page, 'Go');
    // The cookie does not come with it (SameSite): for us nobody is signed in there.
    await comes('the answer to the other site’s form', refused);
    assert.equal(await isSignedIn(context), true);
    assert.deepEqual(await heardBy(await openedPopup(page, other, url(''))), []);
    await context.close();
  });

  await t.test('a logout form without its token does nothing', async () => {
    const { cookie } = await stage.createPerson();
    for (const headers of [{}, { origin: service.origin, 'sec-fetch-site': 'same-origin' }]) {
      const { statusCode } = await service.app.inject({
        method: 'POST',
        url: '/logout',
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        payload: `client_id=${app.id}&decision=sign-out&csrf=x`,
      });
      assert.equal(statusCode, 403);
    }
    const account = await service.app.inject({ url: '/account', headers: { cookie } });
    assert.equal(account.statusCode, 200);
  });

  await t.test('RP-initiated logout shows our pages with our security headers, signed in or not', async () => {
    const person = await stage.createPerson();
    const { context, page } = await enter(person);
    const complaints = complaintsOf(page);
    const query = new URLSearchParams({ client_id: app.id, post_logout_redirect_uri: `${game}/bye`, state: 'a&b' });
    const endSession = `${service.origin}/oauth/logout?${query}`;
    await page.goto(app.authorize(`&redirect_uri=${encodeURIComponent(`${game}/bye`)}`));
    await press(page, 'Allow');
    await page.waitForURL(`${game}/bye?**`);
    const code = new URL(page.url()).searchParams.get('code') ?? '';

    await page.goto(endSession);
    await press(page, 'Sign out');
    await page.waitForURL(`${game}/bye?state=a%26b`);
    assert.equal(await isSignedIn(context), false);
    assert.equal(await app.redeem(code), person.userId);
    await page.goto(endSession);
    await page.waitForURL(`${game}/bye?state=a%26b`);

    await page.goto(`${service.origin}/oauth/logout`);
    await page.getByRole('heading', { name: 'All done' }).waitFor();
    await page.goto(endSession.replace('bye', 'elsewhere'));
    assert.equal(new URL(page.url()).origin, service.origin);
    await page.getByRole('heading').waitFor();
    assert.deepEqual(complaints, []);
    await context.close();
  });
});

/** The page that has opened a popup, once the popup is done. */
async function openedPopup(page: Page, site: string, url: string): Promise<Page> {
  await page.goto(`${site}/?${new URLSearchParams({ popup: url })}`);
  const popup = await windowFrom(page, () => press(page, 'Open'));
  await press(popup, 'Sign out');
  await popup.getByRole('heading', { name: 'You’re signed out' }).waitFor();
  return page;
}
