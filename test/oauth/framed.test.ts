import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import { closesBy, NO_BROWSER } from '../kit/browser/browser.ts';
import {
  complaintsOf,
  type Heard,
  heardBy,
  heardOnce,
  openFramed,
  profileOf,
  windowFrom,
} from '../kit/browser/game-site.ts';
import { inTurns } from '../kit/run/turns.ts';
import { until } from '../kit/unit/until.ts';
import { setStage } from './stage.ts';

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const pressOpen = (frame: Frame) => frame.getByRole('link', { name: 'Sign in with Quarters' }).click();

test('signing in from a frame of a game', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 3);
  const stage = await setStage(t);
  const { service, browser, game, other } = stage;

  await t.test('from a frame, our window signs in and the game gets the code once', async () => {
    const app = await stage.createApp({ redirectUris: [`${game}/a`] });
    const person = await stage.createPerson();
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    const frame = await openFramed(page, game, app.authorize('&frame_id=f-1'));
    assert.equal(await frame.locator('.name').textContent(), '“Test Game”');
    const own = await windowFrom(page, () => pressOpen(frame));
    await closesBy(own, () => press(own, 'Allow'));
    await frame.getByRole('heading', { name: 'You’re signed in' }).waitFor();
    const [{ data, origin }, ...more] = (await heardOnce(page)) as [Heard, ...Heard[]];
    const { code, ...rest } = JSON.parse(data);
    assert.deepEqual([rest, origin, more], [{ success: true, frameId: 'f-1' }, service.origin, []]);
    assert.equal(await app.redeem(code), person.userId);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  await t.test(
    'in a game that is cross-origin isolated, nobody signs in in a window that cannot tell the frame',
    async () => {
      const app = await stage.createApp({ redirectUris: [`${game}/a`] });
      const context = await profileOf(browser, service, await stage.createPerson());
      const page = await context.newPage();
      const frame = await openFramed(page, game, app.authorize(), { isolated: 'require-corp' });
      const [own] = await Promise.all([context.waitForEvent('page'), pressOpen(frame)]);
      await until('the window has closed', () => own.isClosed());
      await frame.getByRole('link', { name: 'Continue in this tab' }).click();
      await press(page, 'Allow');
      await page.waitForURL(`${game}/a?**`);
      assert.ok(new URL(page.url()).searchParams.get('code'));
      await context.close();
    },
  );

  await t.test('from a frame, the game is told of a refusal and of a request error', async () => {
    const app = await stage.createApp();
    const context = await profileOf(browser, service, await stage.createPerson());
    const page = await context.newPage();
    const frame = await openFramed(page, game, app.authorize('&frame_id=f'));
    await press(await windowFrom(page, () => pressOpen(frame)), 'Don’t allow');
    const error = 'The player did not allow it.';
    const data = JSON.stringify({ error, message: error, frameId: 'f' });
    assert.deepEqual(await heardOnce(page), [{ data, origin: service.origin }]);

    const wrong = await openFramed(page, game, app.authorize('&frame_id=g').replace('=code', '=token'));
    await pressOpen(wrong);
    const [heard] = (await heardOnce(page)) as [Heard];
    const { frameId, message } = JSON.parse(heard.data);
    assert.equal(frameId, 'g');
    assert.ok(message);
    await context.close();
  });

  await t.test('a framed game that redirects to us gets its frame back', async () => {
    const app = await stage.createApp({ redirectUris: [`${game}/back`] });
    const context = await profileOf(browser, service, await stage.createPerson());
    const page = await context.newPage();
    const way = `&state=s&redirect_uri=${encodeURIComponent(`${game}/back`)}`;
    const frame = await openFramed(page, game, app.authorize(way));
    await press(await windowFrom(page, () => pressOpen(frame)), 'Allow');
    await frame.waitForURL(`${game}/back?**`);
    const { searchParams } = new URL(frame.url());
    assert.deepEqual([searchParams.get('state'), searchParams.get('iss')], ['s', service.origin]);
    assert.ok(searchParams.get('code'));
    assert.deepEqual(await heardBy(page), []);
    await context.close();
  });

  await t.test('a signed-out player signs in in the window, and its frame still gets the code', async () => {
    const app = await stage.createApp();
    const context = await profileOf(browser, service, null);
    const page = await context.newPage();
    const frame = await openFramed(page, game, app.authorize());
    const own = await windowFrom(page, () => pressOpen(frame));
    assert.equal(new URL(own.url()).pathname, '/sign-in');
    const person = await stage.createPerson();
    const [name = '', value = ''] = person.cookie.split('=');
    await context.addCookies([{ name, value, url: service.origin, httpOnly: true, sameSite: 'Lax' }]);
    await own.goto(service.origin + new URL(own.url()).searchParams.get('return_to'));
    await closesBy(own, () => press(own, 'Allow'));
    const [{ data }] = (await heardOnce(page)) as [Heard];
    assert.equal(await app.redeem(JSON.parse(data).code), person.userId);
    await context.close();
  });

  await t.test('without a window, signing in continues in the whole tab', async () => {
    const app = await stage.createApp({ redirectUris: [`${game}/back`] });
    const context = await profileOf(browser, service, await stage.createPerson());
    const page = await context.newPage();
    const sandbox = 'allow-scripts allow-same-origin allow-forms allow-top-navigation-by-user-activation';
    const frame = await openFramed(page, game, app.authorize('&frame_id=f'), { sandbox });
    await pressOpen(frame);
    await frame.getByRole('link', { name: 'Continue in this tab' }).click();
    await page.waitForURL(`${service.origin}/**`);
    await press(page, 'Allow');
    await page.waitForURL(`${game}/back?**`);
    assert.match(new URL(page.url()).search, /^\?success=true&code=[\w-]+&iss=[^&=?]+$/);
    await context.close();
  });

  await t.test(
    "another app's site cannot frame the sign-in page, and nobody can frame an unknown game's page",
    async () => {
      const app = await stage.createApp();
      const context = await profileOf(browser, service, await stage.createPerson());
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      for (const [site, url] of [
        [other, app.authorize()],
        [game, app.authorize().replace(app.id, 'x'.repeat(20))],
      ] as const) {
        complaints.length = 0;
        const frame = await openFramed(page, site, url);
        await until('the browser has refused', () => complaints.length > 0);
        assert.equal(frame.url(), 'chrome-error://chromewebdata/');
        assert.deepEqual(await heardBy(page), []);
      }
      await context.close();
    },
  );
});
