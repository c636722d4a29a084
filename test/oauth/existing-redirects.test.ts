import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { profileOf } from '../pages/frames/game-site.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { setStage } from './stage.ts';

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

test('existing clients without a frame or popup', { skip: NO_BROWSER }, async (t) => {
  const stage = await setStage(t);
  const { service, browser, game } = stage;

  await t.test('by redirect: success=true and the code for existing clients, to the letter', async () => {
    const scheme = 'com.acme.game://';
    const app = await stage.createApp({ redirectUris: [`${game}/back?level=3`, scheme] });
    const person = await stage.createPerson();
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    await page.goto(app.authorize(`&redirect_uri=${encodeURIComponent(`${game}/back?level=3`)}`));
    await press(page, 'Allow');
    await page.waitForURL(`${game}/back**`);
    const [, code = ''] =
      /^\?level=3&success=true&code=([\w-]+)&iss=http%3A%2F%2Flocalhost%3A\d+$/.exec(new URL(page.url()).search) ?? [];
    assert.equal(await app.redeem(code), person.userId);

    const answered = page.waitForResponse((response) => response.url().includes('/oauth/authorize'));
    await page.goto(app.authorize(`&redirect_uri=${scheme}`)).catch(() => {});
    const { location = '' } = (await answered).headers();
    assert.match(location, /^com\.acme\.game:\/\/\?success=true&code=[\w-]+&iss=[^&=?]+$/);

    // A client that sends a state gets what the standard says.
    await page.goto(app.authorize(`&state=a%26b&redirect_uri=${encodeURIComponent(`${game}/back?level=3`)}`));
    const { searchParams } = new URL(page.url());
    assert.deepEqual([...searchParams.keys()].sort(), ['code', 'iss', 'level', 'state']);
    assert.equal(searchParams.get('state'), 'a&b');
    await context.close();
  });

  await t.test('a webview that has put its callback there', async () => {
    const app = await stage.createApp();
    const person = await stage.createPerson();
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    await page.addInitScript('window.calls = []; window.onServiceCallback = (result) => calls.push(result);');
    await page.goto(app.authorize());
    await press(page, 'Allow');
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
    const [{ code, ...rest }, ...more] = await page.evaluate<[{ code: string }]>('window.calls');
    assert.deepEqual([rest, more], [{ success: true }, []]);
    assert.equal(await app.redeem(code), person.userId);
    await context.close();
  });
});
