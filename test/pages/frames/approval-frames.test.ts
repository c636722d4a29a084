import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import { BROWSERS, closesBy, NO_BROWSER, startBrowser } from '../../kit/browser/browser.ts';
import {
  complaintsOf,
  type Heard,
  heardBy,
  heardOnce,
  openFramed,
  profileOf,
  startGameSite,
  windowFrom,
} from '../../kit/browser/game-site.ts';
import { OWN_SCHEME, opens, pressBehindThePrompt } from '../../kit/browser/own-scheme.ts';
import { personPayment } from '../../kit/browser/person-payment.ts';
import { inTurns } from '../../kit/run/turns.ts';
import { fundedPayment, newPayment, sendForm, statusOf, transfersOf } from '../../kit/service/payment.ts';
import { sharedService } from '../../kit/service/shared-service.ts';
import { until } from '../../kit/unit/until.ts';
import { letRequestExpire } from '../../rows/requests.ts';

const press = (place: Page | Frame, name: string) => place.getByRole('button', { name, exact: true }).click();
const pressOpen = (frame: Frame) => frame.getByRole('link', { name: 'Review payment' }).click();
const OUR_BUTTON = 'Review payment';

test("payments in a game's frame", { skip: NO_BROWSER }, async (whole) => {
  const t = inTurns(whole, 3);
  const service = await sharedService(t);
  const browser = await startBrowser(t);
  const game = await startGameSite(t);
  const other = await startGameSite(t);
  const app = await service.createApp({ frameAncestors: [game], redirectUris: [`${game}/back`] });
  const message = (fields: object, frameId?: string) => [
    { data: JSON.stringify({ ...fields, ...(frameId && { frameId }) }), origin: service.origin },
  ];

  await t.test('a guest approves in the frame, and the game gets the result once per opening', async () => {
    const payment = await fundedPayment(service, app);
    const context = await profileOf(browser, service, null);
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    const url = service.origin + payment.path({ inline: 'true', frame_id: 'f-1' });
    const frame = await openFramed(page, game, url);
    await press(frame, 'Approve');
    await frame.getByRole('heading', { name: / paid$/ }).waitFor();
    const [txId] = await transfersOf(service, payment.id);
    const expected = message({ txId, requestId: payment.id }, 'f-1');
    assert.deepEqual(await heardOnce(page), expected);
    await openFramed(page, game, url);
    assert.deepEqual(await heardOnce(page), expected);
    assert.deepEqual(complaints, []);
    await context.close();
  });

  await t.test('a guest approves in the frame of a page that is cross-origin isolated', async () => {
    for (const isolated of ['require-corp', 'credentialless']) {
      const payment = await fundedPayment(service, app);
      const context = await profileOf(browser, service, null);
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      const url = service.origin + payment.path({ inline: 'true', frame_id: 'f-1' });
      const frame = await openFramed(page, game, url, { isolated });
      assert.equal(await page.evaluate('crossOriginIsolated'), true);
      await press(frame, 'Approve');
      await frame.getByRole('heading', { name: / paid$/ }).waitFor();
      const [txId] = await transfersOf(service, payment.id);
      assert.deepEqual(await heardOnce(page), message({ txId, requestId: payment.id }, 'f-1'));
      assert.deepEqual(complaints, []);
      await context.close();
    }
  });

  await t.test('declined and failed results have the shape that existing clients expect', async () => {
    const [declined, expired] = [await newPayment(service, app), await newPayment(service, app)];
    const context = await profileOf(browser, service, null);
    const page = await context.newPage();
    const frame = await openFramed(page, game, service.origin + declined.path({ frame_id: 'f' }));
    await press(frame, 'Decline');
    assert.deepEqual(await heardOnce(page), message({ cancel: true }, 'f'));

    await letRequestExpire(service.service.db, expired.id);
    await openFramed(page, game, service.origin + expired.path());
    const error = 'The request has expired.';
    const result = { requestId: expired.id, error, reason: 'expired', message: error };
    assert.deepEqual(await heardOnce(page), message(result));

    const full = await personPayment(service, app);
    for (const [path, frameId] of [
      [`${expired.id}?frame_id=g&client_id=${app.id}`, 'g'],
      [`01900000-0000-7000-8000-000000000000?client_id=${app.id}`, undefined],
      [`nonsense?firebase_token=x&frame_id=h&client_id=${app.id}`, 'h'],
      [`${full.id}?redirect_uri=https://evil.example`, undefined],
    ]) {
      await openFramed(page, game, `${service.origin}/requests/${path}`);
      const [{ data, origin }] = (await heardOnce(page)) as [Heard];
      const { error, reason, requestId, ...rest } = JSON.parse(data);
      const [, wrongAddress] = /^We can’t find this payment\.|^(The game gave a wrong address)\./.exec(error)!;
      assert.equal(reason, wrongAddress ? 'redirect-not-registered' : 'not-found');
      assert.deepEqual([rest, origin], [{ message: error, ...(frameId && { frameId }) }, service.origin]);
      assert.equal(requestId, path === `${full.id}?redirect_uri=https://evil.example` ? full.id : undefined);
    }
    await context.close();
  });

  await t.test(
    'a page says hello to the game that frames it and asked for it, and to no game in a window',
    async () => {
      const payment = await newPayment(service, app);
      const context = await profileOf(browser, service, null);
      const page = await context.newPage();
      const url = service.origin + payment.path({ hello: 'true', frame_id: 'f' });
      const told = async () => (await heardBy(page)).map(({ data, origin }) => ({ ...JSON.parse(data), origin }));
      const frame = await openFramed(page, game, url);
      await until('the page said hello', async () => (await heardBy(page)).length > 0);
      const [{ height, ...first }] = (await told()) as [Record<string, unknown>];
      assert.deepEqual(first, { page: 'shown', frameId: 'f', origin: service.origin });
      assert.ok(Number(height) > 200 && Number(height) < 2000);
      await frame.getByRole('button', { name: 'Decline' }).press('Escape');
      await until('Escape was told', async () => (await told()).some((message) => message.page === 'escape'));
      await page.goto(`${other}/?${new URLSearchParams({ popup: url })}`);
      const popup = await windowFrom(page, () => press(page, 'Open'));
      await popup.getByRole('button', { name: 'Decline' }).click();
      await popup.waitForURL(/decision$|back/);
      assert.deepEqual(await heardBy(page), []);
      // Nobody may frame a full user's payment, so it names nobody.
      const { person, url: persons } = await personPayment(service, app);
      const asked = await service.app.inject({ url: `${persons}&hello=true`, headers: { cookie: person.cookie } });
      assert.doesNotMatch(asked.body, /data-hello/);
      await context.close();
    },
  );

  await t.test('an app with result origins delivers only to these', async () => {
    const elsewhere = await service.createApp({ frameAncestors: [game], resultOrigins: [other, 'app:', 'file:'] });
    const here = await service.createApp({ frameAncestors: [other], resultOrigins: ['capacitor:', game] });
    const context = await profileOf(browser, service, null);
    const page = await context.newPage();
    for (const each of [elsewhere, here]) {
      const payment = await newPayment(service, each);
      await payment.decide({ decision: 'decline' });
      const url = service.origin + payment.path();
      if (each === elsewhere) {
        const frame = await openFramed(page, game, url);
        await frame.getByRole('heading', { name: 'Declined' }).waitFor();
        await page.evaluate(`new Promise((resolve) => { onmessage = resolve; postMessage('mark', location.origin); })`);
        assert.deepEqual(
          (await heardBy(page)).filter(({ data }) => data !== 'mark'),
          [],
        );
      } else {
        await page.goto(`${game}/?${new URLSearchParams({ popup: url })}`);
        await windowFrom(page, () => press(page, 'Open'));
        assert.deepEqual(await heardOnce(page), message({ cancel: true }));
      }
    }
    await context.close();
  });

  await t.test("another app's site cannot frame the page and gets no result", async () => {
    const payment = await newPayment(service, app);
    await payment.decide({ decision: 'decline' });
    const full = await personPayment(service, app);
    const context = await profileOf(browser, service, full.person);
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    for (const url of [service.origin + payment.path(), full.url, `${service.origin}/requests/x?client_id=${app.id}`]) {
      complaints.length = 0;
      const frame = await openFramed(page, other, url);
      await until('the browser has refused', () => complaints.some((text) => text.includes('frame-ancestors')));
      assert.equal(frame.url(), 'chrome-error://chromewebdata/');
      assert.deepEqual(await heardBy(page), []);
    }
    await context.close();
  });

  await t.test('a full user approves in our window, and the frame tells the game once', async () => {
    const { id, person, url } = await personPayment(service, app);
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    const frame = await openFramed(page, game, `${url}&frame_id=f-2`);
    assert.equal(await frame.locator('.name').textContent(), '“Test Game”');
    assert.match((await frame.locator('h1').textContent()) ?? '', /10 quarters/);
    assert.equal(await frame.getByRole('button').count(), 0);
    const own = await windowFrom(page, () => pressOpen(frame));
    const complaintsThere = complaintsOf(own);
    assert.match(await own.evaluate('document.body.className'), /whole/);
    await closesBy(own, () => press(own, 'Approve'));
    await frame.getByRole('heading', { name: / paid$/ }).waitFor();
    const [txId] = await transfersOf(service, id);
    assert.deepEqual(await heardOnce(page), message({ txId, requestId: id }, 'f-2'));
    assert.equal(await frame.getByRole('link').count(), 0);

    const again = await openFramed(page, game, url);
    await windowFrom(page, () => pressOpen(again)).catch(() => {});
    assert.deepEqual(await heardOnce(page), message({ txId, requestId: id }));
    assert.deepEqual([complaints, complaintsThere], [[], []]);
    await context.close();
  });

  for (const installed of BROWSERS) {
    await t.test(`a frame whose game waits in an app has a link there, in ${installed.name}`, async (t) => {
      const inApp = await service.createApp({ frameAncestors: [game], redirectUris: [OWN_SCHEME] });
      const { id, person, url } = await personPayment(service, inApp);
      const context = await profileOf(await startBrowser(t, installed), service, person);
      const page = await context.newPage();
      const frame = await openFramed(page, game, `${url}&redirect_uri=${encodeURIComponent(OWN_SCHEME)}`);
      const own = await windowFrom(page, () => pressOpen(frame));
      const address = await opens(page, () => closesBy(own, () => press(own, 'Approve')));
      const [txId] = await transfersOf(service, id);
      assert.equal(address, `${OWN_SCHEME}?txId=${txId}&requestId=${id}`);
      // Without a tap, a Chromium with windows does not open it and says so only in its console.
      const link = frame.getByRole('link', { name: /^Back to “/ });
      assert.equal(await opens(page, () => pressBehindThePrompt(link)), address);
      await context.close();
    });
  }

  await t.test('our window asks a signed-out user to sign in, and remembers its frame', async () => {
    const { id, url } = await personPayment(service, app);
    const context = await profileOf(browser, service, null);
    const page = await context.newPage();
    const frame = await openFramed(page, game, url);
    const own = await windowFrom(page, () => pressOpen(frame));
    const { pathname, searchParams } = new URL(own.url());
    assert.deepEqual([pathname, searchParams.get('return_to')], ['/sign-in', `/requests/${id}?opened_by=frame`]);
    await context.close();
  });

  await t.test('the button works again after our window was closed without a decision', async () => {
    const { id, person, url } = await personPayment(service, app);
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    const frame = await openFramed(page, game, url);
    await (await windowFrom(page, () => pressOpen(frame))).close();
    await frame.getByText('The window was closed').waitFor();
    assert.deepEqual(await heardBy(page), []);
    const own = await windowFrom(page, () => pressOpen(frame));
    await closesBy(own, () => press(own, 'Decline'));
    assert.deepEqual(await heardOnce(page), message({ cancel: true }));
    assert.equal(await statusOf(service, id), 'declined');
    await context.close();
  });

  await t.test('a blocked window falls back to the whole tab and a redirect', async () => {
    const { id, person, url } = await personPayment(service, app);
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    const sandbox = 'allow-scripts allow-same-origin allow-forms allow-top-navigation-by-user-activation';
    const frame = await openFramed(page, game, url, { sandbox });
    await pressOpen(frame);
    await frame.getByRole('link', { name: 'Continue in this tab' }).click();
    await page.waitForURL(`${service.origin}/**`);
    await press(page, 'Approve');
    await page.waitForURL(`${game}/back**`);
    const [txId] = await transfersOf(service, id);
    assert.equal(page.url(), `${game}/back?txId=${txId}&requestId=${id}`);
    await context.close();
  });

  await t.test('a frame that has followed a payment delivers its result, by its own token only', async () => {
    const { id, person } = await personPayment(service, app);
    const other = await personPayment(service, app);
    const ask = async (url: string) => {
      const { body, headers } = await service.app.inject({ url, headers: { 'sec-fetch-dest': 'iframe' } });
      return { body, policy: String(headers['content-security-policy']) };
    };
    const tokenOf = async (id: string) => {
      const offered = await ask(`/requests/${id}?inline=true`);
      return new URL(/data-follow="([^"]+)"/.exec(offered.body)![1]!, service.origin).searchParams.get('token')!;
    };
    const [token, foreign] = [await tokenOf(id), await tokenOf(other.id)];
    const follow = (token: string, more = '') => ask(`/requests/${id}?frame_id=f&token=${token}${more}`);
    assert.match((await follow(token)).body, /data-follow/);
    const page = await service.app.inject({ url: `/requests/${id}`, headers: { cookie: person.cookie } });
    const page_token = /name="page_token" value="([^"]+)"/.exec(page.body)![1]!;
    await sendForm(service, id, { page_token, decision: 'approve' }, { cookie: person.cookie });
    const [txId] = await transfersOf(service, id);
    for (const wrong of [foreign, 'x', '']) {
      const { body } = await follow(wrong);
      assert.match(body, /data-follow/);
      assert.doesNotMatch(body, new RegExp(txId!));
    }
    const { body, policy } = await follow(token);
    assert.match(body, new RegExp(`data-result="{&quot;txId&quot;:&quot;${txId}.*data-frame-id="f"`));
    assert.match(policy, new RegExp(`frame-ancestors ${game}$`));
    const named = await follow(token, `&redirect_uri=${encodeURIComponent(`${game}/back`)}`);
    assert.match(named.body, new RegExp(`<main data-redirect="${game}/back\\?txId=${txId}`));
  });

  await t.test('a frame with a named address is redirected there', async () => {
    const { id, person, url } = await personPayment(service, app);
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    const frame = await openFramed(page, game, `${url}&redirect_uri=${encodeURIComponent(`${game}/back`)}`);
    const own = await windowFrom(page, () => pressOpen(frame));
    await closesBy(own, () => press(own, 'Approve'));
    await frame.waitForURL(`${game}/back**`);
    const [txId] = await transfersOf(service, id);
    assert.equal(frame.url(), `${game}/back?txId=${txId}&requestId=${id}`);
    assert.deepEqual(await heardBy(page), []);
    await context.close();
  });

  await t.test('no frame shows a full user the approve button', async () => {
    // The game is on our own origin, so the session cookie is sent even in the frame.
    const ours = await service.createApp({ frameAncestors: [service.origin, game] });
    const { id, person } = await personPayment(service, ours);
    const context = await profileOf(browser, service, person);
    const page = await context.newPage();
    await page.route(`${service.origin}/host`, (route) =>
      route.fulfill({ contentType: 'text/html', body: `<iframe src="/requests/${id}"></iframe>` }),
    );
    await page.goto(`${service.origin}/host`);
    const frame = page.frames()[1]!;
    await frame.getByRole('link', { name: OUR_BUTTON }).waitFor();
    assert.equal(await frame.getByRole('button').count(), 0);

    // A browser without Fetch Metadata gets the page, whose headers forbid framing.
    const asked = await service.app.inject({ url: `/requests/${id}`, headers: { cookie: person.cookie } });
    assert.match(asked.body, /value="approve"/);
    assert.match(String(asked.headers['content-security-policy']), /frame-ancestors 'none'$/);
    assert.equal(asked.headers['x-frame-options'], 'DENY');
    const complaints = complaintsOf(page);
    await page.route(`**/requests/${id}`, (route) =>
      route.fulfill({ body: asked.body, headers: asked.headers as Record<string, string> }),
    );
    await page.goto(`${service.origin}/host`);
    await until('the browser has refused', () => complaints.length > 0);
    assert.equal(await page.frames()[1]!.getByRole('button').count(), 0);
    // The window's form token does not work from a frame.
    const page_token = /name="page_token" value="([^"]+)"/.exec(asked.body)![1]!;
    const framed = await service.app.inject({
      method: 'POST',
      url: `/requests/${id}/decision`,
      headers: {
        cookie: person.cookie,
        'sec-fetch-dest': 'iframe',
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: String(new URLSearchParams({ page_token, decision: 'approve' })),
    });
    assert.deepEqual([framed.statusCode, await statusOf(service, id)], [401, 'pending']);
    await context.close();
  });
});
