import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import type { AppId } from '../../src/base/ids.ts';
import { SCOPES } from '../../src/identity/callers.ts';
import { grantConsent } from '../../src/identity/consents.ts';
import { NO_BROWSER } from '../kit/browser/browser.ts';
import { type Heard, heardOnce, openFramed, profileOf, windowFrom } from '../kit/browser/game-site.ts';
import { setStage } from './stage.ts';

const pressOpen = (frame: Frame) => frame.getByRole('link', { name: 'Sign in with Quarters' }).click();
const press = (place: Page, name: string) => place.getByRole('button', { name, exact: true }).click();

test('a result reaches only the game it is meant for', { skip: NO_BROWSER }, async (t) => {
  const stage = await setStage(t);
  const { service, browser, game, other } = stage;
  const honest = await stage.createApp({ redirectUris: [`${game}/a`] });
  const hostile = await stage.createApp({ redirectUris: [`${other}/steal`], frameAncestors: [other] });
  const person = await stage.createPerson();
  await grantConsent(service.service.db, { userId: person.userId, appId: honest.id as AppId, scopes: SCOPES });

  await t.test('a frame ignores the result of another game', async () => {
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    const frame = await openFramed(page, other, hostile.authorize('&frame_id=f'));
    const own = await windowFrom(page, () => pressOpen(frame));
    await own.goto(honest.authorize('&opened_by=frame'));
    await own.getByRole('heading', { name: 'You’re signed in' }).waitFor();
    // From the same window, after it: what the frame hears first of the two is what it hands on.
    const last = { app: hostile.id, result: { last: true }, title: 'x', text: 'y' };
    await own.evaluate(`opener.postMessage(${JSON.stringify(last)}, location.origin)`);
    const [{ data }] = (await heardOnce(page)) as [Heard];
    assert.deepEqual(JSON.parse(data), { last: true, frameId: 'f' });
    await context.close();
  });

  await t.test('our window ends on our own page, whatever response_mode the frame sent', async () => {
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    const frame = await openFramed(page, other, hostile.authorize('&frame_id=f&response_mode=query'));
    const own = await windowFrom(page, () => pressOpen(frame));
    await press(own, 'Don’t allow');
    const [{ data }] = (await heardOnce(page)) as [Heard];
    assert.match(JSON.parse(data).error, /did not allow/);
    await context.close();
  });
});
