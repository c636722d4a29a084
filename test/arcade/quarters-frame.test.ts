import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame, Page, Route } from 'playwright-core';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { openPage, ourFrame, outcome, pay, startGame } from '../kit/browser/game-page.ts';
import { inTurns } from '../kit/run/turns.ts';
import { fundedPayment, newPayment, statusOf, transfersOf } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { until } from '../kit/unit/until.ts';

const openButton = (page: Page) => page.getByRole('button', { name: 'Open in a window' });
/** Of the script's own frame, wherever it is. */
const ofFrame = <T>(page: Page, expression: string) =>
  page.evaluate<T>(`(() => {
    const places = [...document.querySelectorAll('div')].flatMap((place) => [place, place.shadowRoot ?? place]);
    const frame = places.map((place) => place.querySelector('iframe')).find(Boolean);
    return ${expression};
  })()`);
const isSeen = async (page: Page) =>
  (await ofFrame(page, `getComputedStyle(frame).visibility + getComputedStyle(frame).opacity`)) === 'visible1';
const heightOf = (page: Page) => ofFrame<number>(page, 'frame.getBoundingClientRect().height');
const contentOf = (frame: Frame) => frame.evaluate<number>('Math.ceil(document.body.getBoundingClientRect().height)');
const fits = (page: Page, frame: Frame) =>
  until('the frame is as high as its page', async () => (await heightOf(page)) === (await contentOf(frame)));

test('the frame of the browser script', { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 3);
  const service = await sharedService(t);
  const browser = await startBrowser(t);
  const game = await startGame(t, service.origin);
  const app = await service.createApp({ frameAncestors: [game], resultOrigins: [game] });
  // The game's origin gets results and may not frame our pages.
  const unframed = await service.createApp({ frameAncestors: ['https://other.example'], resultOrigins: [game] });
  const asked = async (by = app) => {
    const payment = await fundedPayment(service, by);
    return { payment, options: { requestId: payment.id, pageToken: payment.guest.pageToken } };
  };
  const start = async (options: object, viewport = { width: 390, height: 844 }) => {
    const opened = await openPage(browser, { viewport });
    await opened.page.goto(`${game}/classic`);
    await pay(opened.page, options);
    return opened;
  };

  for (const [where, width] of [
    ['a sheet on a phone', 390],
    ['a dialog on a desktop', 1280],
    ['a container', 390],
  ] as const) {
    await t.test(`${where} is as high as its page, on the next page and when it changes`, async () => {
      const { options } = await asked();
      const container = where === 'a container';
      const { context, page, complaints } = await start({ ...options, container }, { width, height: 1200 });
      const frame = await ourFrame(page);
      await until('it is shown', () => isSeen(page));
      await fits(page, frame);
      const first = await heightOf(page);
      await frame.getByRole('button', { name: 'Report a problem' }).click();
      await frame.getByLabel('Details').waitFor();
      await until('it is shown again', () => isSeen(page));
      await fits(page, frame);
      assert.notEqual(await heightOf(page), first);
      await frame.evaluate(`document.querySelector('main').append(Object.assign(document.createElement('p'), {
        textContent: 'more '.repeat(40) }))`);
      await fits(page, frame);
      if (!container) {
        const box = (await page.getByRole('dialog').boundingBox())!;
        if (width === 390) assert.deepEqual([box.x, box.width, box.y + box.height], [0, 390, 1200]);
        else assert.ok(Math.abs(box.x + box.width / 2 - 640) < 1 && box.y > 20);
        await frame.evaluate(
          `document.body.append(Object.assign(document.createElement('p'), { textContent: 'x '.repeat(9e3) }))`,
        );
        await until('a long page scrolls inside', async () => (await heightOf(page)) < (await contentOf(frame)));
        const { y, height } = (await page.getByRole('dialog').boundingBox())!;
        assert.ok(y >= 0 && y + height <= 1200);
      }
      assert.deepEqual(complaints, []);
      await context.close();
    });
  }

  await t.test('Escape inside the frame closes the dialog', async () => {
    const { payment, options } = await asked();
    const { context, page } = await start(options);
    // The frame got the focus as soon as its page came.
    await until(
      'it has the focus',
      async () => (await isSeen(page)) && (await (await ourFrame(page)).evaluate('document.hasFocus()')),
    );
    await page.keyboard.press('Escape');
    assert.equal(((await outcome(page)) as { code: string }).code, 'closed');
    assert.equal(await page.locator('dialog').count(), 0);
    assert.equal(await statusOf(service, payment.id), 'pending');
    await context.close();
  });

  // Together, because each waits until the script gives up on the page.
  await t.test('a page that does not come', { concurrency: true }, async (t) => {
    t.test('a refused frame is never seen, and its window can be closed, opened again and approved', async () => {
      const { payment, options } = await asked(unframed);
      const { context, page } = await start(options);
      await page.getByText('We can’t show this page here.').waitFor();
      assert.equal(await isSeen(page), false);
      const openWindow = async () => (await Promise.all([page.waitForEvent('popup'), openButton(page).click()]))[0];
      const first = await openWindow();
      await first.getByRole('button', { name: 'Approve' }).waitFor();
      await page.getByRole('button', { name: 'Show the window' }).waitFor();
      await first.close();
      await page.getByText('The window was closed.').waitFor();
      assert.equal(await page.evaluate('window.outcome'), undefined);
      const again = await openWindow();
      await again.getByRole('button', { name: 'Approve' }).click();
      assert.deepEqual(await outcome(page), {
        value: { txId: (await transfersOf(service, payment.id))[0], requestId: payment.id },
      });
      assert.equal(await page.locator('dialog').count(), 0);
      await context.close();
    });

    t.test('a refused frame keeps its button if the window is blocked, and closing says why', async () => {
      const { context, page } = await start((await asked(unframed)).options);
      await page.evaluate('window.open = () => null');
      await openButton(page).click();
      await page.getByText('Your browser blocked the window.').waitFor();
      await openButton(page).press('Escape');
      const { code, reason } = (await outcome(page)) as Record<string, string>;
      assert.deepEqual([code, reason], ['closed', 'unavailable']);
      await context.close();
    });

    for (const opensWindow of [false, true]) {
      t.test(
        `a late page ${opensWindow ? 'does not come in once the player has opened the window' : 'comes in'}`,
        async () => {
          const { options } = await asked();
          const { context, page } = await openPage(browser);
          const held: Route[] = [];
          // Only of the frame, not of the window.
          await page.route('**/frame.js', (route) => void held.push(route));
          await page.goto(`${game}/classic`);
          await pay(page, options);
          await openButton(page).waitFor();
          if (opensWindow) {
            await Promise.all([page.waitForEvent('popup'), openButton(page).click()]);
            assert.equal(await page.locator('iframe').count(), 0);
          } else {
            await held[0]!.continue();
            await until('the page is shown', () => isSeen(page));
            assert.equal(await openButton(page).isVisible(), false);
          }
          await context.close();
        },
      );
    }

    t.test('a page that breaks on the way is hidden at once, and the window is offered', async () => {
      const { options } = await asked();
      const { context, page } = await start(options);
      const frame = await ourFrame(page);
      await page.route('**/decision', (route) => route.abort());
      await frame.getByRole('button', { name: 'Approve' }).click();
      await until('the browser shows its own page', () => page.frames()[1]!.url().startsWith('chrome-error:'));
      await until('nobody sees it', async () => !(await isSeen(page)));
      await openButton(page).waitFor();
      await context.close();
    });
  });

  await t.test('forged messages about the page change nothing, and a height is a number with bounds', async () => {
    const { context, page } = await start((await asked()).options);
    const frame = await ourFrame(page);
    await until('it is shown', () => isSeen(page));
    await fits(page, frame);
    const height = await heightOf(page);
    const frameId = new URL(frame.url()).searchParams.get('frame_id');
    const forged = [{ page: 'escape' }, { page: 'left' }, { page: 'height', height: 300 }].map((fields) =>
      JSON.stringify({ ...fields, frameId }),
    );
    await page.evaluate(`document.body.append(Object.assign(document.createElement('iframe'), {
      src: '${service.origin}${(await newPayment(service, app)).path()}' }))`);
    await until('the other frame is there', () => page.frames()[2]?.url().startsWith(service.origin) === true);
    for (const message of forged) {
      await page.evaluate(`postMessage(${JSON.stringify(message)}, '*')`);
      await page.frames()[2]!.evaluate(`parent.postMessage(${JSON.stringify(message)}, '*')`);
      await frame.evaluate(`parent.postMessage(${JSON.stringify(message.replace('frameId":"', 'frameId":"0'))}, '*')`);
    }
    // Messages of one window arrive in their order, so the mark shows that those before it were read.
    const settled = async () => {
      for (const place of [page.mainFrame(), page.frames()[2]!, frame]) {
        await page.evaluate(`void (window.marked = new Promise((resolve) => {
          addEventListener('message', ({ data }) => data === 'mark' && resolve());
        }))`);
        await place.evaluate(`parent.postMessage('mark', '*')`);
        await page.evaluate('window.marked');
      }
    };
    await settled();
    assert.deepEqual([await heightOf(page), await isSeen(page)], [height, true]);
    const style = () => ofFrame(page, 'frame.style.height');
    for (const [given, becomes] of [
      ['"9px;color:red"', `${height}px`],
      ['null', `${height}px`],
      ['1e999', `${height}px`],
      ['1e9', '4000px'],
      ['-1', '96px'],
    ] as const) {
      await frame.evaluate(`parent.postMessage('{"page":"height","height":${height},"frameId":"${frameId}"}', '*')`);
      await frame.evaluate(`parent.postMessage('{"page":"height","height":${given},"frameId":"${frameId}"}', '*')`);
      await settled();
      assert.equal(await style(), becomes, given);
    }
    await context.close();
  });

  await t.test('a failure that decides nothing is read first, and is no result for the callback', async () => {
    const { context, page } = await start((await asked()).options);
    await page.evaluate('window.heard = 0, window.onServiceCallback = () => { heard += 1 }');
    const frame = await ourFrame(page);
    await until('it is shown', () => isSeen(page));
    const frameId = new URL(frame.url()).searchParams.get('frame_id');
    const message = { frameId, requestId: 'r', error: 'Later.', reason: 'outcome-unknown', undecided: true };
    await frame.evaluate(`parent.postMessage('${JSON.stringify(message)}', '*')`);
    // The next message is read after it.
    await frame.evaluate(`parent.postMessage('{"page":"height","height":500,"frameId":"${frameId}"}', '*')`);
    await until('it was read', async () => (await ofFrame(page, 'frame.style.height')) === '500px');
    assert.equal(await page.evaluate('window.outcome'), undefined);
    await page.getByRole('button', { name: 'Close' }).click();
    const { code, reason } = (await outcome(page)) as Record<string, string>;
    assert.deepEqual([code, reason], ['failed', 'outcome-unknown']);
    assert.equal(await page.evaluate('window.heard'), 0);
    await context.close();
  });

  await t.test('a container that the game takes away closes the page', async () => {
    const { context, page } = await start({ ...(await asked()).options, container: true });
    await until('it is shown', () => isSeen(page));
    await page.evaluate(`document.querySelector('iframe').parentElement.remove()`);
    assert.equal(((await outcome(page)) as { code: string }).code, 'closed');
    await context.close();
  });

  await t.test('a guest who signs up in a frame sees each page at its height', async () => {
    const guest = await service.createGuest(app);
    const options = { call: 'signUpGuest', mode: 'iframe', clientId: app.id, token: guest.accessToken };
    const { context, page } = await start(options);
    const frame = await ourFrame(page);
    await fits(page, frame);
    await frame.getByLabel('E-mail address').fill('a guest');
    await frame.evaluate(
      `document.querySelector('form').noValidate = true; document.querySelector('form').requestSubmit()`,
    );
    await frame.locator('.error').first().waitFor();
    await until('it is shown', () => isSeen(page));
    await fits(page, frame);
    await context.close();
  });
});
