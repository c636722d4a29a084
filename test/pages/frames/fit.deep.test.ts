import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import { NO_BROWSER, startBrowser } from '../../kit/browser/browser.ts';
import { assertFitInLooks } from '../../kit/browser/fit.ts';
import { openFramed, profileOf, startGameSite, windowFrom } from '../../kit/browser/game-site.ts';
import { personPayment } from '../../kit/browser/person-payment.ts';
import { sharedService } from '../../kit/service/shared-service.ts';

const MAX_BYTES = 30_000;

test('the pages in frames and windows fit their place', { skip: NO_BROWSER }, async (t) => {
  const service = await sharedService(t);
  const browser = await startBrowser(t);
  const game = await startGameSite(t);
  const name = 'The Quest of the Extraordinarily Long Names, Part Two: Back';
  const app = await service.createApp({ name, frameAncestors: [game] });
  const oauth = `client_id=${app.id}&response_type=code`;

  await t.test('nothing overflows on a phone or a desktop, in either colour scheme', async () => {
    const { url, person } = await personPayment(service, app);
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    const look = async (place: Page | Frame, what: string) => {
      await assertFitInLooks(place, what);
      const bytes = await place.evaluate<number>(
        `['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind))
          .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
      );
      assert.ok(bytes > 3000 && bytes < MAX_BYTES, `${what}: ${bytes} bytes`);
    };

    const frame = await openFramed(page, game, url);
    await look(frame, 'payment in a frame');
    const own = await windowFrom(page, () => frame.getByRole('link').first().click());
    await look(own, 'our window');
    await own.close();
    await frame.getByText('The window was closed').waitFor();
    await look(frame, 'window closed');
    const refused = await openFramed(page, game, url, { sandbox: 'allow-scripts allow-same-origin allow-forms' });
    await refused.getByRole('link').first().click();
    await look(refused, 'window refused');
    const again = await openFramed(page, game, url);
    const window = await windowFrom(page, () => again.getByRole('link').first().click());
    await window.getByRole('button', { name: 'Approve' }).click();
    await again.getByRole('heading', { name: / paid$/ }).waitFor();
    await look(again, 'decided in the window');

    await look(await openFramed(page, game, `${service.origin}/oauth/authorize?${oauth}`), 'sign-in in a frame');
    await look(await openFramed(page, game, `${service.origin}/logout?${oauth}&inline=true`), 'sign-out in a frame');
    await look(
      await openFramed(page, game, `${service.origin}/requests/01900000-0000-7000-8000-000000000000?${oauth}`),
      'nothing found in a frame',
    );

    await page.goto(`${service.origin}/oauth/authorize?${oauth}`);
    await look(page, 'consent');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('heading', { name: 'You’re signed in' }).waitFor();
    await look(page, 'signed in');
    await page.goto(`${service.origin}/oauth/authorize?${oauth}&scope=openid&prompt=none&max_age=0&response_type=x`);
    await look(page, 'error');
    await page.goto(`${service.origin}/oauth/logout?client_id=${app.id}`);
    await look(page, 'sign-out of OpenID Connect');
    await page.goto(`${service.origin}/logout?client_id=${app.id}`);
    await look(page, 'sign-out');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You’re signed out' }).waitFor();
    await look(page, 'signed out');
    await context.close();
  });
});
