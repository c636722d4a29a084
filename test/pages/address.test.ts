import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret } from '../../src/base/secrets.ts';
import { revokeGuestTokens } from '../../src/identity/guest-tokens.ts';
import { makeGuestFull } from '../../src/identity/users.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { heardOnce, openFramed, profileOf, startGameSite } from '../kit/browser/game-site.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { ask, fundedPayment, newPayment, type Payment, statusOf } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';

test("a guest's token is removed from the address of the approval page", async (t) => {
  const service = await sharedService(t);
  const { db, vault } = service.service;
  const app = await service.createApp({ frameAncestors: ['https://game.example'] });

  /** The address that replaces the page's own in the address bar. */
  const addressOf = ({ id }: Payment, body: string) =>
    `/requests/${id}${/<main[^>]* data-clean-query="([^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? ''}`;
  const addressUntil = (expiry: number, id: string, pageToken: string) => {
    const payload = `${expiry}.g${hashSecret(pageToken).toString('base64url')}`;
    const mac = vault.mac('approval page', `${id}.${payload}`).toString('base64url');
    return `/requests/${id}?page_token=${payload}.${mac}`;
  };

  await t.test(
    'the replacement opens only this payment, with the same parameters, and does not last longer',
    async () => {
      const payment = await fundedPayment(service, app);
      const page = await payment.open({ inline: 'true', frame_id: 'f&"1', proof: 'true' });
      const address = addressOf(payment, page.body);
      assert.match(
        address,
        /^\/requests\/[\w-]+\?inline=true&frame_id=f%26%221&proof=true&page_token=\d+\.g[\w-]+\.[\w-]+$/,
      );
      assert.ok(!address.includes(payment.guest.pageToken));
      const again = await ask(service, { url: address });
      assert.equal(again.status, 200);
      assert.equal(
        again.body,
        page.body
          .replace(/ data-clean-query="[^"]+"/, '')
          .replace(/<script src="[^"]*address\.js"[^>]*><\/script>/, ''),
      );
      const unescaped = await ask(service, { url: `${payment.path()}&x=a?b&frame_id=f` });
      assert.match(addressOf(payment, unescaped.body), /\?x=a%3Fb&frame_id=f&page_token=/);
      const other = await newPayment(service, app, { guest: payment.guest });
      assert.equal((await ask(service, { url: address.replace(payment.id, other.id) })).status, 404);
      const token = new URLSearchParams(address.split('?')[1]).get('page_token')!;
      assert.equal((await other.decide({ decision: 'approve', page_token: token })).status, 404);
      assert.equal((await ask(service, { url: `/requests/${other.id}?firebase_token=${token}` })).status, 404);
    },
  );

  await t.test('the replacement expires after half an hour, but still shows a decision that was made', async () => {
    const payment = await fundedPayment(service, app);
    const old = addressUntil(Date.now() - 1, payment.id, payment.guest.pageToken);
    const late = await ask(service, { url: old });
    assert.equal(late.status, 401);
    assert.match(late.body, /This page has expired[\s\S]*Open the payment again from the game/);
    assert.match(late.headers['content-security-policy']!, /frame-ancestors https:\/\/game\.example$/);
    await payment.decide({ decision: 'decline' });
    assert.match((await ask(service, { url: old })).body, /You already declined/);
    const result = await payment.open();
    assert.equal((await ask(service, { url: addressOf(payment, result.body) })).status, 200);
  });

  await t.test(
    'a guest who became a user is sent to sign in without the token, and a forged replacement opens nothing',
    async () => {
      const payment = await newPayment(service, app);
      const address = addressOf(payment, (await payment.open({ inline: 'true' })).body);
      for (const wrong of [
        address.slice(0, -1),
        address.replace(/page_token=\d/, 'page_token=9'),
        `/requests/${payment.id}?page_token=x`,
      ]) {
        assert.equal((await ask(service, { url: wrong })).status, 404, wrong);
      }
      await db.transaction(async (tx) => {
        await makeGuestFull(tx, {
          userId: payment.guest.userId,
          email: `${payment.id}@mail.example`,
          displayName: 'Ada',
        });
        await revokeGuestTokens(tx, payment.guest.userId);
      });
      const away = await ask(service, { url: address });
      assert.deepEqual(
        [away.status, away.location],
        [303, `/sign-in?${new URLSearchParams({ return_to: `/requests/${payment.id}?inline=true` })}`],
      );
    },
  );

  await t.test(
    'the replaced address in a browser',
    { skip: NO_BROWSER || notInTurn(2, 'replaced address') },
    async (t) => {
      const browser = await startBrowser(t);
      const site = await startGameSite(t);
      const game = await service.createApp({ frameAncestors: [site] });
      const context = await profileOf(browser, service, null);
      const page = await context.newPage();
      const approve = { name: 'Approve', exact: true };

      await t.test('reloading, going back and restoring the page show the same page, which can still pay', async () => {
        const payment = await fundedPayment(service, game);
        await page.goto(service.origin + payment.path({ inline: 'true' }));
        const address = page.url();
        assert.ok(!address.includes(payment.guest.pageToken) && address.includes('page_token='), address);
        await page.reload();
        await page.getByRole('button', approve).waitFor();
        await page.goto('about:blank');
        await page.goBack();
        await page.getByRole('button', approve).waitFor();
        assert.equal(page.url(), address);
        // A webview that is restored keeps only the address.
        const restored = await (await profileOf(browser, service, null)).newPage();
        await restored.goto(address);
        await restored.getByRole('button', approve).click();
        await restored.getByRole('heading', { name: / paid$/ }).waitFor();
        await restored.context().close();
        await page.reload();
        await page.getByRole('heading', { name: / paid$/ }).waitFor();
        assert.equal(await page.evaluate('history.length'), 3);
      });

      await t.test(
        "a frame's address loses the token too, and a reloaded frame still delivers the result",
        async () => {
          const payment = await fundedPayment(service, game);
          const frame = await openFramed(page, site, service.origin + payment.path({ frame_id: 'f' }));
          assert.ok(!frame.url().includes(payment.guest.pageToken), frame.url());
          await Promise.all([frame.waitForNavigation(), frame.evaluate('location.reload()')]);
          await frame.getByRole('button', approve).click();
          await frame.getByRole('heading', { name: / paid$/ }).waitFor();
          assert.match((await heardOnce(page))[0]!.data, new RegExp(`"requestId":"${payment.id}","frameId":"f"`));
          assert.notEqual(await statusOf(service, payment.id), 'pending');
        },
      );
      await context.close();
    },
  );
});
