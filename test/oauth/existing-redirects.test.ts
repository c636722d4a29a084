import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../kit/browser/browser.ts';
import { profileOf } from '../kit/browser/game-site.ts';
import { setStage } from './stage.ts';

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

test('existing clients in a webview', { skip: NO_BROWSER }, async (t) => {
  const stage = await setStage(t);
  const { service, browser } = stage;

  await t.test('a webview callback receives the result', async () => {
    const app = await stage.createApp();
    const person = await stage.createPerson();
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    await page.addInitScript('window.calls = []; window.onServiceCallback = (result) => calls.push(result);');
    await page.goto(app.authorize());
    await press(page, 'Allow');
    await page.getByRole('heading', { name: 'You’re signed in' }).waitFor();
    const [{ code, ...rest }, ...more] = await page.evaluate<[{ code: string }]>('window.calls');
    assert.deepEqual([rest, more], [{ success: true }, []]);
    assert.equal(await app.redeem(code), person.userId);
    await context.close();
  });
});
