import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fastify from 'fastify';
import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { comes, NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { inTurns } from '../kit/run/turns.ts';
import { fundedPayment, newPayment, statusOf, transfersOf } from '../kit/service/payment.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';
import { changeAccounts } from '../rows/ledger.ts';
import { letRequestExpire } from '../rows/requests.ts';

/** A game's site, which frames the page named by `?frame=`. It is on 127.0.0.1, so it is another site than ours. */
async function startGame(t: TestContext): Promise<string> {
  const game = fastify();
  game.get<{ Querystring: { frame?: string } }>('/', (request, reply) => {
    const frame = request.query.frame?.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    return reply
      .type('text/html')
      .send(frame ? `<iframe src="${frame}" width="390" height="800"></iframe>` : 'welcome back');
  });
  const origin = await game.listen({ port: 0, host: '127.0.0.1' });
  atEnd(t, () => game.close());
  return origin;
}

/** A site that redirects to `game` with the same query. It is on localhost, so it is another site than the game's. */
async function startHop(t: TestContext, game: string): Promise<string> {
  const hop = fastify();
  hop.get('/', (request, reply) => reply.redirect(`${game}${request.url}`, 302));
  const address = await hop.listen({ port: 0, host: 'localhost' });
  atEnd(t, () => hop.close());
  return `http://localhost:${new URL(address).port}`;
}

/** A page in a new profile. `complaints` collects script errors and policy violations. */
async function openPage(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/policy|refused|blocked/i.test(message.text())) complaints.push(message.text());
  });
  return { context, page, complaints };
}

const approve = (place: Page | Frame) => place.getByRole('button', { name: 'Approve' }).click();

/** Runs in the page before its own scripts, like a webview's script. */
const webviewCallback = `window.calls = []; window.onServiceCallback = (result) => window.calls.push(result);`;
const calls = (place: Page | Frame): Promise<unknown[]> => place.evaluate('window.calls');

async function theFrame(page: Page): Promise<Frame> {
  await until('the frame has loaded', () => page.frames().length === 2 && page.frames()[1]!.url() !== '');
  const frame = page.frames()[1]!;
  await frame.waitForLoadState();
  return frame;
}

test('the approval page in a browser', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 3);
  const service: TestService = await sharedService(t);
  const browser = await startBrowser(t);
  const game = await startGame(t);
  const app = await service.createApp({ redirectUris: [`${game}/`], frameAncestors: [game] });
  const stranger = await service.createApp({ frameAncestors: ['https://elsewhere.example'] });
  const webview = await service.createApp();
  const framing = (path: string) => `${game}/?frame=${encodeURIComponent(service.origin + path)}`;

  await t.test('a pressed button is busy until the answer comes, and sends its form once', async () => {
    const payment = await fundedPayment(service, await service.createApp());
    const { context, page } = await openPage(browser);
    await page.goto(service.origin + payment.path());
    await page.locator('html[data-ready="true"]').waitFor();
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') sent++;
    });
    const busy = await page.evaluate(`(() => {
      const button = document.querySelector('button.primary');
      button.click();
      button.click();
      return button.ariaBusy;
    })()`);
    assert.equal(busy, 'true');
    await page.locator('.sign.approved').waitFor();
    assert.equal(sent, 1);
    await context.close();
  });

  await t.test('without a network the page says that nothing was sent, and its button works afterwards', async () => {
    const payment = await fundedPayment(service, await service.createApp());
    const { context, page } = await openPage(browser);
    await page.goto(service.origin + payment.path());
    const refused = async () => {
      await page.getByRole('alert').getByText('Nothing was sent').waitFor();
      assert.equal(await page.getByRole('alert').count(), 1);
      assert.equal(await page.locator('[data-busy], [aria-busy]').count(), 0);
      assert.equal(await statusOf(service, payment.id), 'pending');
    };
    await context.setOffline(true);
    await approve(page);
    await refused();
    await context.setOffline(false);
    // The browser thinks that it is online, and nobody answers.
    await context.route('**', (route) => route.abort());
    const tried = page.waitForEvent('requestfailed');
    await approve(page);
    await comes('the browser tries to reach us', tried);
    await refused();
    await context.unroute('**');
    await approve(page);
    await page.locator('.sign.approved').waitFor();
    assert.equal((await transfersOf(service, payment.id)).length, 1);
    await context.close();
  });

  await t.test('a player sees for a moment that it is paid, and then returns to the game', async () => {
    const payment = await fundedPayment(service, await service.createApp({ redirectUris: [`${game}/`] }));
    const { context, page, complaints } = await openPage(browser);
    await page.clock.install();
    await page.goto(service.origin + payment.path());
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await page.clock.runFor(600);
    await approve(page);
    await page.getByRole('heading', { name: '10 quarters paid' }).waitFor();
    await page.clock.runFor(900);
    await page.waitForURL(`${game}/?txId=0x*`);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  await t.test('beside the only registered address, a webview’s callback is called first', async () => {
    for (const [more, called] of [
      [{}, true],
      [{ redirect_uri: `${game}/` }, false],
    ] as const) {
      const payment = await fundedPayment(service, app);
      const { context, page, complaints } = await openPage(browser);
      const all: unknown[] = [];
      await context.exposeFunction('told', (result: unknown) => all.push(result));
      await page.addInitScript('window.onServiceCallback = told');
      await page.goto(service.origin + payment.path({ inline: 'true', ...more }));
      await approve(page);
      await page.waitForURL(`${game}/**`);
      const [txId] = await transfersOf(service, payment.id);
      const result = { txId, requestId: payment.id };
      assert.equal(page.url(), `${game}/?${new URLSearchParams(result as Record<string, string>)}`);
      assert.deepEqual(all, called ? [result] : []);
      assert.deepEqual(complaints, []);
      await context.close();
    }
  });

  await t.test('approving without JavaScript leads back to the game', async () => {
    const payment = await fundedPayment(service, app);
    const { context, page, complaints } = await openPage(browser, { javaScriptEnabled: false });
    await page.goto(service.origin + payment.path());
    await approve(page);
    await page.waitForURL(`${game}/**`);
    const [txHash] = await transfersOf(service, payment.id);
    assert.equal(page.url(), `${game}/?txId=${txHash}&requestId=${payment.id}`);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  await t.test('a double click, the back button and a second tab make one decision with one outcome', async () => {
    const payment = await fundedPayment(service, app);
    const { context, page } = await openPage(browser);
    const tab = await context.newPage();
    for (const each of [page, tab]) await each.goto(service.origin + payment.path());
    await page.getByRole('button', { name: 'Approve' }).dblclick();
    await page.waitForURL(`${game}/**`);
    const [txHash] = await transfersOf(service, payment.id);
    const outcome = `${game}/?txId=${txHash}&requestId=${payment.id}`;
    assert.equal(page.url(), outcome);

    await tab.getByRole('button', { name: 'Decline' }).click();
    await tab.waitForURL(`${game}/**`);
    assert.equal(tab.url(), outcome);

    await page.goBack();
    if (page.url() !== outcome) await page.reload();
    assert.equal(page.url(), outcome);
    assert.equal((await transfersOf(service, payment.id)).length, 1);
    await context.close();
  });

  await t.test('reloading a refused form sends it again', async () => {
    const payment = await fundedPayment(service, webview, 10);
    const { context, page } = await openPage(browser);
    await page.goto(service.origin + payment.path());
    // The balance is spent elsewhere in the meantime.
    await changeAccounts(service.service.db, { userId: payment.guest.userId }, { held: 10 });
    await approve(page);
    await page.getByRole('alert').waitFor();
    await page.reload();
    assert.match((await page.getByRole('alert').textContent()) ?? '', /Nothing was taken/);
    await changeAccounts(service.service.db, { userId: payment.guest.userId }, { held: 0 });
    await page.reload();
    await page.getByRole('heading', { name: / paid$/ }).waitFor();
    assert.equal((await transfersOf(service, payment.id)).length, 1);
    await context.close();
  });

  await t.test("a player arrives where the game's address redirects to another site", async () => {
    const hop = await startHop(t, game);
    const leadsOn = await service.createApp({ redirectUris: [`${hop}/`] });
    const payment = await fundedPayment(service, leadsOn);
    const { context, page, complaints } = await openPage(browser);
    await page.goto(service.origin + payment.path());
    await approve(page);
    await page.waitForURL(`${game}/**`);
    const [txHash] = await transfersOf(service, payment.id);
    assert.equal(page.url(), `${game}/?txId=${txHash}&requestId=${payment.id}`);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  await t.test('a registered game can frame the page and take a decision in it', async () => {
    const payment = await fundedPayment(service, app);
    const { context, page, complaints } = await openPage(browser);
    await page.goto(framing(payment.path({ inline: 'true' })));
    const frame = await theFrame(page);
    await approve(frame);
    await frame.getByRole('heading', { name: / paid$/ }).waitFor();
    const [txHash] = await transfersOf(service, payment.id);
    assert.equal(await frame.locator('code').getAttribute('title'), txHash);
    assert.equal(page.url().startsWith(game), true);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  await t.test('another site cannot frame the page', async () => {
    for (const each of [stranger, webview]) {
      const payment = await fundedPayment(service, each);
      const { context, page, complaints } = await openPage(browser);
      await page.goto(framing(payment.path({ inline: 'true' })));
      await until('the browser has refused', () => complaints.some((text) => text.includes('frame-ancestors')));
      assert.equal((await theFrame(page)).url(), 'chrome-error://chromewebdata/');
      assert.equal(await statusOf(service, payment.id), 'pending');
      await context.close();
    }
  });

  await t.test('a form sent by another site decides nothing', async () => {
    const payment = await fundedPayment(service, webview);
    const page_token = await payment.formToken();
    const { context, page } = await openPage(browser);
    await page.goto(game);
    const answered = page.waitForResponse((response) => response.url().endsWith('/decision'));
    await page.setContent(`<form method="post" action="${service.origin}/requests/${payment.id}/decision">
      <input name="page_token" value="${page_token}"><button name="decision" value="approve">Approve</button></form>`);
    await approve(page);
    assert.equal((await comes('the answer to the decision', answered)).status(), 403);
    assert.equal(await statusOf(service, payment.id), 'pending');
    await context.close();
  });

  await t.test("a webview's callback gets exactly the result, once per page view", async () => {
    const [approved, declined, failed] = [
      await fundedPayment(service, webview),
      await newPayment(service, webview),
      await newPayment(service, webview),
    ];
    await declined.decide({ decision: 'decline' });
    await letRequestExpire(service.service.db, failed.id);
    const { context, page, complaints } = await openPage(browser);
    await page.addInitScript(webviewCallback);

    await page.goto(service.origin + approved.path({ inline: 'true' }));
    assert.deepEqual(await calls(page), []);
    await approve(page);
    await page.getByRole('heading', { name: / paid$/ }).waitFor();
    const [txId] = await transfersOf(service, approved.id);
    const results = [
      { payment: approved, result: { txId, requestId: approved.id } },
      { payment: declined, result: { cancel: true } },
      { payment: failed, result: { requestId: failed.id, error: 'The request has expired.', reason: 'expired' } },
    ];
    assert.deepEqual(await calls(page), [results[0]!.result]);
    for (const { payment, result } of results) {
      await page.goto(service.origin + payment.path({ inline: 'true' }));
      assert.deepEqual(await calls(page), [result]);
    }
    assert.deepEqual(complaints, []);
    await context.close();
  });

  await t.test('a callback that a webview sets late is called once', async () => {
    const payment = await newPayment(service, webview);
    await payment.decide({ decision: 'decline' });
    const { context, page } = await openPage(browser);
    await page.goto(service.origin + payment.path());
    await page.evaluate(webviewCallback);
    await until('the callback was called', async () => (await calls(page)).length > 0);
    assert.deepEqual(await calls(page), [{ cancel: true }]);
    await context.close();
  });

  await t.test('the callback of a parent on our own origin is called', async () => {
    const ours = await service.createApp({ frameAncestors: [service.origin] });
    const payment = await newPayment(service, ours);
    await payment.decide({ decision: 'decline' });
    const { context, page, complaints } = await openPage(browser);
    await page.route(`${service.origin}/host`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<script>${webviewCallback}</script><iframe src="${payment.path().replaceAll('&', '&amp;')}"></iframe>`,
      }),
    );
    await page.goto(`${service.origin}/host`);
    await until('the callback was called', async () => (await calls(page)).length > 0);
    assert.deepEqual(await calls(page), [{ cancel: true }]);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  await t.test('no digit of a long balance is cut off', async () => {
    const payment = await newPayment(service, await service.createApp(), { tokens: 98_765_432 });
    await service.issue(payment.guest.userId, 123_456_789);
    const { context, page } = await openPage(browser, { viewport: { width: 390, height: 844 } });
    await page.goto(service.origin + payment.path());
    const figures = await page.locator('.balance dd').evaluateAll((all) =>
      all.map((figure) => ({
        text: figure.firstChild?.textContent?.trim(),
        isCut: figure.scrollWidth > figure.clientWidth,
      })),
    );
    assert.deepEqual(figures, [
      { text: '123,456,789', isCut: false },
      { text: '24,691,357', isCut: false },
    ]);
    await context.close();
  });

  await t.test("a game's text stays in its place on a small phone", async () => {
    const name = `<img src=x onerror="alert(1)">\u202eevil`;
    const description = `</bdi></p><script>alert(1)</script><style>*{display:none}</style> ${'W'.repeat(150)}`;
    const hostile = await service.createApp({ name, autoApprove: true });
    const payment = await newPayment(service, hostile, { description, tokens: 9_007_199_254 });
    await service.issue(payment.guest.userId, 9_007_199_254);
    const { context, page, complaints } = await openPage(browser, { viewport: { width: 320, height: 640 } });
    await page.goto(service.origin + payment.path());
    assert.equal(await page.locator('.name').textContent(), '“<img src=x onerror=’alert(1)’>evil”');
    assert.equal(await page.locator('blockquote').textContent(), `“${description}”`);
    assert.equal(await page.locator('main img, script:not([src]), main style').count(), 0);
    assert.equal(await page.getByRole('checkbox').isChecked(), false);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    assert.deepEqual(complaints, []);
    await context.close();
  });
});
