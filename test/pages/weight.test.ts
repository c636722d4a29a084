import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Frame, Page, Request } from 'playwright-core';
import { updateApp } from '../../src/features/apps/update-app.ts';
import { MAX_PICTURE_BYTES, MAX_PICTURE_SIDE } from '../../src/identity/app-pictures.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { openFramed, profileOf, startGameSite } from '../kit/browser/game-site.ts';
import { personPayment } from '../kit/browser/person-payment.ts';
import { fundedPayment } from '../kit/service/payment.ts';
import type { Person } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { END, header, pixels, pngOf } from '../kit/unit/png.ts';
import { until } from '../kit/unit/until.ts';

const MAX_BYTES = 30_000;

/** A page that is opened in a new profile, with an empty cache. */
type Case = {
  readonly name: string;
  readonly url: string;
  readonly person: Person | null;
  readonly framed: boolean;
  /** The text that the player sees at once. */
  readonly sees: string;
};

test('payment pages are light and do not wait for scripts', { skip: NO_BROWSER }, async (t) => {
  const service = await sharedService(t);
  const browser = await startBrowser(t);
  const game = await startGameSite(t);
  const app = await service.createApp({
    name: 'The Quest of the Extraordinarily Long Names, Part Two: Back',
    frameAncestors: [game],
    autoApprove: true,
  });
  await updateApp(service.service, OPERATOR, app.id, { picture: largestPicture() });

  const guests = await fundedPayment(service, app);
  const persons = await personPayment(service, app);
  const decided = await fundedPayment(service, app);
  await decided.decide({ decision: 'approve' });
  const whole = (url: string) => url.replace('inline=true', '');
  const guestsUrl = service.origin + guests.path({ inline: 'true' });
  const decidedUrl = service.origin + decided.path({ proof: 'true' });
  const cases: Case[] = [
    { name: "a guest's payment in a frame", url: guestsUrl, person: null, framed: true, sees: 'Approve' },
    {
      name: "a user's payment at top level",
      url: whole(persons.url),
      person: persons.person,
      framed: false,
      sees: 'Approve',
    },
    { name: "a user's payment in a frame", url: persons.url, person: null, framed: true, sees: 'Review payment' },
    { name: 'a signed result', url: decidedUrl, person: null, framed: false, sees: 'You can go back to “' },
  ];

  const show = async (page: Page, { url, framed }: Case): Promise<Page | Frame> => {
    if (framed) return openFramed(page, game, url);
    await page.goto(url);
    return page;
  };

  for (const each of cases) {
    await t.test(`${each.name} loads less than ${MAX_BYTES} bytes`, async () => {
      const context = await profileOf(browser, service, each.person);
      const page = await context.newPage();
      const requests: Request[] = [];
      page.on('requestfinished', (request) => {
        if (request.url().startsWith(service.origin)) requests.push(request);
      });
      const place = await show(page, each);
      await place.getByText(each.sees).waitFor();
      const sizes = await Promise.all(requests.map((request) => request.sizes()));
      const bytes = sizes.reduce(
        (sum, { responseBodySize, responseHeadersSize }) => sum + responseBodySize + responseHeadersSize,
        0,
      );
      const types = new Set(requests.map((request) => request.resourceType()));
      for (const type of ['document', 'stylesheet', 'script']) assert.ok(types.has(type), type);
      const pictures = sizes.filter(({ responseBodySize }) => responseBodySize === MAX_PICTURE_BYTES);
      assert.equal(pictures.length, each === cases[3] ? 0 : 1);
      assert.ok(bytes > 5000 && bytes < MAX_BYTES, `${bytes} bytes`);
      t.diagnostic(`${each.name}: ${bytes} bytes`);
      await context.close();
    });
  }

  for (const each of cases) {
    await t.test(`${each.name} is painted before its scripts arrive`, async () => {
      const context = await profileOf(browser, service, each.person);
      const page = await context.newPage();
      let held = 0;
      // These requests are never answered.
      await context.route(`${service.origin}/**/*.js`, () => {
        held += 1;
      });
      if (each.framed) await page.goto(`${game}/?${new URLSearchParams({ frame: each.url })}`, { waitUntil: 'commit' });
      else await page.goto(each.url, { waitUntil: 'commit' });
      const place = each.framed ? page.frameLocator('iframe') : page;
      await place.getByText(each.sees).waitFor();
      const inside = each.framed ? page.frames()[1]! : page;
      await until('it is painted', () =>
        inside.evaluate<boolean>(`performance.getEntriesByName('first-contentful-paint').length > 0`),
      );
      assert.ok(held > 0);
      assert.equal(await inside.evaluate('document.readyState !== "complete"'), true);
      // The page also works without its scripts.
      if (each.sees === 'Approve') {
        await place.getByRole('button', { name: 'Approve' }).click();
        await place.getByRole('heading', { name: / paid$/ }).waitFor();
      }
      await context.close();
    });
  }
});

/** The largest picture that a game may have. Bytes after the end of the image are loaded too. */
function largestPicture(): Buffer {
  const drawn = [
    header(MAX_PICTURE_SIDE, MAX_PICTURE_SIDE),
    pixels(MAX_PICTURE_SIDE, MAX_PICTURE_SIDE, [200, 40, 90]),
  ] as const;
  const filling = MAX_PICTURE_BYTES - pngOf(...drawn, ['IDAT', Buffer.alloc(0)], END).length;
  return pngOf(...drawn, ['IDAT', randomBytes(filling)], END);
}
