import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { comes, NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { heardOnce, openFramed, profileOf, startGameSite } from '../kit/browser/game-site.ts';
import { personPayment } from '../kit/browser/person-payment.ts';
import { inTurns } from '../kit/run/turns.ts';
import { fundedPayment, transfersOf } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';

type Place = Page | Frame;

/** A payment in its player's browser. */
type Stage = {
  readonly id: string;
  readonly context: BrowserContext;
  /** Opens the payment in a new tab. Returns the page or frame that shows it, and the tab. */
  open(): Promise<{ place: Place; tab: Page }>;
};

const press = (place: Place, name: string) => place.getByRole('button', { name, exact: true }).click();
const approved = (place: Place) => place.getByRole('heading', { name: / paid$/ }).waitFor();

test('a payment is decided once, however often it is pressed', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 4);
  const service = await sharedService(t);
  const browser = await startBrowser(t);
  const game = await startGameSite(t);
  const app = await service.createApp({ frameAncestors: [game] });

  const stages: Record<string, () => Promise<Stage>> = {
    'a guest in a frame': async () => {
      const payment = await fundedPayment(service, app);
      const context = await profileOf(browser, service, null);
      const open = async () => {
        const tab = await context.newPage();
        return { tab, place: await openFramed(tab, game, service.origin + payment.path({ inline: 'true' })) };
      };
      return { id: payment.id, context, open };
    },
    'a user at top level': async () => {
      const { id, person, url } = await personPayment(service, app);
      const context = await profileOf(browser, service, person);
      const open = async () => {
        const tab = await context.newPage();
        await tab.goto(url);
        return { tab, place: tab };
      };
      return { id, context, open };
    },
  };

  for (const [who, stage] of Object.entries(stages)) {
    const once = async (id: string) => {
      const transfers = await transfersOf(service, id);
      assert.equal(transfers.length, 1);
      return transfers[0];
    };
    /** Checks that the page shows one result and, in a frame, that the game got one. */
    const same = async (place: Place, tab: Page, id: string) => {
      await approved(place);
      const txId = await once(id);
      assert.equal(await place.locator('code').getAttribute('title'), txId);
      if (place === tab) return;
      const heard = await heardOnce(tab);
      assert.deepEqual(
        heard.map(({ data }) => JSON.parse(data)),
        [{ txId, requestId: id }],
      );
    };

    await t.test(`${who}: a double click decides once`, async () => {
      const { id, context, open } = await stage();
      const { place, tab } = await open();
      await place.getByRole('button', { name: 'Approve' }).dblclick();
      await same(place, tab, id);
      await context.close();
    });

    await t.test(`${who}: the back button shows the decision`, async () => {
      const { id, context, open } = await stage();
      const { place, tab } = await open();
      await press(place, 'Approve');
      await approved(place);
      await Promise.all([
        comes(
          'the page of the payment',
          tab.waitForResponse((response) => response.url().includes(id)),
        ),
        tab.evaluate('history.back()'),
      ]);
      await place.getByText('Nothing more was taken.').waitFor();
      await once(id);
      await context.close();
    });

    await t.test(`${who}: two tabs decide once, in turn and at once`, async () => {
      const { id, context, open } = await stage();
      const [one, two] = [await open(), await open()];
      await press(one.place, 'Approve');
      await approved(one.place);
      await press(two.place, 'Decline');
      await same(two.place, two.tab, id);
      await two.place.getByText('Nothing more was taken.').waitFor();
      await context.close();

      const again = await stage();
      const both = [await again.open(), await again.open()];
      for (const { place } of both) await place.locator('html[data-ready="true"]').waitFor();
      await Promise.all(both.map(({ place }) => press(place, 'Approve')));
      for (const { place, tab } of both) await same(place, tab, again.id);
      await again.context.close();
    });

    await t.test(`${who}: reloading the sent form or the game decides nothing more`, async () => {
      const { id, context, open } = await stage();
      const { place, tab } = await open();
      await press(place, 'Approve');
      await approved(place);
      await Promise.all([
        comes(
          'the form, sent again',
          tab.waitForResponse((response) => response.request().method() === 'POST'),
        ),
        place.evaluate('location.reload()'),
      ]);
      await approved(place);
      await once(id);
      await tab.reload();
      const shown = place === tab ? tab : tab.frames()[1]!;
      await same(shown, tab, id);
      await context.close();
    });
  }
});
