import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContextOptions, Page, Request } from 'playwright-core';
import { assertAccessible } from '../kit/browser/axe.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { inTurns } from '../kit/run/turns.ts';
import { startHeldChain } from '../kit/service/held-chain.ts';
import { approve, askFor, pay } from '../kit/service/history.ts';
import { fundedPayment } from '../kit/service/payment.ts';
import { createPerson } from '../kit/service/people.ts';
import { startTestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';

const MOST_BYTES = 30_000;
const PHONE = { viewport: { width: 390, height: 844 } };
/** A page takes no click before that. */
const READY_AFTER_MS = 600;
/** The address that the script reads. The script's own address contains the word too. */
const PROGRESS = /\/progress(\?|$)/;
/** Keeps the script from polling after 5 seconds: streams arrive in these tests, however late. */
const TRUSTS_STREAMS = `const { setTimeout } = window;
  window.setTimeout = (work, ms, ...more) => setTimeout(work, ms === 5_000 ? 2 ** 31 - 1 : ms, ...more);`;
const SLOW = 'The network is slow right now. Your approval is saved, and you can close this page.';

test('live progress of a payment in a browser', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 3);
  const chain = await startHeldChain(t);
  const service = await startTestService(t, { chain });
  const browser = await startBrowser(t);
  const game = await service.createApp({ name: 'Chess Royale' });
  await service.issue(game.id, 1_000);

  const complaints: string[] = [];

  /** A page in a new profile. */
  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (/policy|refused|blocked/i.test(message.text())) complaints.push(message.text());
    });
    atEnd(t, () => context.close());
    return page;
  }

  /** A guest approves in `page` while no block is mined. `at`: the page's time, which stands still from then on. */
  async function approved(page: Page, { at }: { at?: number } = {}): Promise<void> {
    chain.release();
    const payment = await fundedPayment(service, game);
    await chain.hold();
    await page.goto(service.origin + payment.path());
    if (at !== undefined) {
      await page.clock.pauseAt(at);
      await page.clock.runFor(READY_AFTER_MS);
    }
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('On its way').waitFor();
  }

  const heightOf = (page: Page) => page.evaluate('document.documentElement.scrollHeight');
  const accepts = (page: Page) => {
    const all: string[] = [];
    page.on('request', (request) => {
      if (PROGRESS.test(request.url())) all.push(request.headers().accept ?? '');
    });
    return all;
  };

  await t.test('a result page shows the confirmation without moving anything, and is light', async () => {
    const page = await open(PHONE);
    const requests: Request[] = [];
    page.on('requestfinished', (request) => requests.push(request));
    await page.addInitScript(TRUSTS_STREAMS);
    const asked = accepts(page);
    await approved(page);
    await assertAccessible(page);
    const height = await heightOf(page);
    chain.release();
    await page.getByText('Confirmed', { exact: true }).waitFor();
    assert.equal(await page.getByRole('status').textContent(), 'Confirmed');
    assert.equal(await heightOf(page), height);
    assert.deepEqual(asked, ['text/event-stream']);
    await assertAccessible(page);
    const sizes = await Promise.all(requests.map((request) => request.sizes()));
    const bytes = sizes.reduce((sum, one) => sum + one.responseHeadersSize + one.responseBodySize, 0);
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
  });

  await t.test('a browser without server-sent events polls', async () => {
    const page = await open();
    await page.addInitScript('delete window.EventSource');
    await page.clock.install();
    const asked = accepts(page);
    await approved(page);
    chain.release();
    await page.getByText('Confirmed', { exact: true }).waitFor();
    assert.deepEqual(new Set(asked), new Set(['application/json']));
    const asks = asked.length;
    await page.clock.fastForward(60_000);
    assert.equal(asked.length, asks);
  });

  await t.test('a browser whose stream is refused or buffered by a proxy polls', async () => {
    const refused = await open();
    await refused.route(PROGRESS, (route) =>
      route.request().headers().accept === 'text/event-stream' ? route.fulfill({ status: 429 }) : route.continue(),
    );
    await approved(refused);
    chain.release();
    await refused.getByText('Confirmed', { exact: true }).waitFor();

    const kept = await open();
    await kept.clock.install();
    const held = new Promise<void>((resolve) => {
      void kept.route(PROGRESS, (route) => {
        if (route.request().headers().accept === 'text/event-stream') resolve();
        else void route.continue();
      });
    });
    await approved(kept);
    chain.release();
    await held;
    await kept.clock.fastForward(5_000);
    await kept.getByText('Confirmed', { exact: true }).waitFor();
  });

  await t.test('a slow network is mentioned after 20 seconds, in the same place', async () => {
    const page = await open(PHONE);
    await page.clock.install();
    await approved(page, { at: Date.now() + 3_600_000 });
    const height = await heightOf(page);
    await page.clock.runFor(19_999);
    assert.equal(await page.getByRole('status').textContent(), 'On its way');
    await page.clock.runFor(1);
    await page.getByText(SLOW).waitFor();
    await page.clock.resume();
    assert.equal(await heightOf(page), height);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    await assertAccessible(page);
    chain.release();
    await page.getByText('Confirmed', { exact: true }).waitFor();
    assert.equal(await heightOf(page), height);
  });

  await t.test('a payment that fails is shown as failed', async () => {
    const page = await open(PHONE);
    await page.route(PROGRESS, (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: 'id: final\ndata: {"requests":[{"id":"…","status":"failed"}],"final":true}\n\n',
      }),
    );
    chain.release();
    const payment = await fundedPayment(service, game);
    await page.goto(service.origin + payment.path());
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Part of it may have been paid; the rest was returned to you.').waitFor();
    await page.getByRole('heading', { name: 'This payment didn’t go through' }).waitFor();
    await assertAccessible(page);
  });

  for (const path of ['/account', '/account/activity']) {
    await t.test(`${path} updates itself over one connection`, async () => {
      chain.release();
      await service.settled();
      const ada = await createPerson(service);
      await service.issue(ada.userId, 100);
      const page = await open(PHONE);
      const [name, value] = ada.cookie.split('=');
      await page.context().addCookies([{ name: name!, value: value!, url: service.origin }]);
      await page.addInitScript(TRUSTS_STREAMS);
      const asked = accepts(page);
      await chain.hold();
      await approve(service, await askFor(service, game, ada, 30, 'a sword'));
      await approve(service, await askFor(service, game, ada, 20, 'a shield'));
      await pay(service, game, ada, 7);
      await page.goto(service.origin + path);
      const rows = page.locator('.activity [id^="state-"], .activity .hint > span:not([id])');
      const words = () => rows.allTextContents();
      assert.deepEqual((await words()).slice(0, 3), [
        'On its way to you',
        'Approved, on its way',
        'Approved, on its way',
      ]);
      const height = await heightOf(page);
      await assertAccessible(page);
      chain.release();
      await until('all is done', async () => (await words()).slice(0, 3).join() === 'Received,Paid,Paid');
      assert.equal(await heightOf(page), height);
      if (path === '/account') {
        assert.equal(await page.locator('#spendable').textContent(), '57 quarters');
        assert.equal(await page.locator('#set-aside').textContent(), '0 quarters');
      }
      assert.deepEqual(asked, ['text/event-stream']);
      await assertAccessible(page);
    });
  }

  assert.deepEqual(complaints, []);
});
