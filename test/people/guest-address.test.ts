import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret } from '../../src/base/secrets.ts';
import { sealToken } from '../../src/pages/guest/guest-address.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { openPage, typeAddressAndCode, typeNameAndPassword } from '../kit/browser/browser-steps.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { BACK, convert, createGame, guestPath, newEmail, open } from '../kit/service/conversion.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { behindProxy } from '../kit/service/with-password.ts';

/** The address that the page puts into the place of its own. */
function addressOf(body: string): string {
  const address = /<main data-clean-query="([^"]+)"/.exec(body)?.[1] ?? '';
  return `/guest${address.replaceAll('&amp;', '&')}`;
}

test("a guest's token leaves the address of the sign-up page", async (t) => {
  const service = await sharedService(t, behindProxy);
  const game = await createGame(service);

  await t.test('the sealed token reopens the guest page with its parameters, and opens nothing else', async () => {
    const guest = await service.createGuest(game);
    const page = await open(service, guestPath(game, guest, { state: 'level 3', redirect_uri: BACK }));
    const address = addressOf(page.body);
    assert.ok(!address.includes(guest.accessToken));
    const again = await open(service, address);
    assert.equal(again.statusCode, 200);
    // Its own address stays as it is: by loading it again nobody makes it last longer.
    assert.doesNotMatch(again.body, /data-clean-query/);
    const sealed = new URLSearchParams(address.split('?')[1]).get('sealed_token')!;
    for (const [method, url] of [
      ['GET', '/v1/me'],
      ['POST', '/v1/requests'],
    ] as const) {
      const headers = { authorization: `Bearer ${sealed}` };
      assert.equal((await service.app.inject({ method, url, headers })).statusCode, 401);
    }
    const done = await convert(service, address);
    assert.match(
      done.headers.location!,
      /^https:\/\/game\.example\/back\?success=true&code=[\w-]{43}&state=level%203$/,
    );
    // Someone who finds it in a history gets neither the code nor a session.
    const later = await open(service, address);
    assert.deepEqual([later.statusCode, later.cookies], [409, []]);
    assert.match(later.body, /Your guest account is now a full account/);
    assert.doesNotMatch(later.body, /name="flow"/);
  });

  await t.test('an expired, foreign or made-up sealed token gets the page of an expired link', async () => {
    const guest = await service.createGuest(game);
    const other = await createGame(service);
    const sealed = (minutes: number) => sealToken(service.service.vault, hashSecret(guest.accessToken), minutes);
    const path = (sealed_token: string, { id } = game) => guestPath({ id }, { accessToken: '' }, { sealed_token });
    assert.equal((await open(service, path(sealed(1)))).statusCode, 200);
    for (const [address, status] of [
      [path(sealed(-1)), 401],
      [path('x'), 401],
      [path(guest.accessToken), 401],
      [path(sealed(1), other), 403],
    ] as const) {
      assert.equal((await open(service, address)).statusCode, status, address);
    }
  });

  await t.test(
    'in a browser, the guest page survives a reload and going back, and can be finished',
    { skip: NO_BROWSER || notInTurn(2, 'guest address') },
    async (t) => {
      const browser = await startBrowser(t);
      const none = await createGame(service, { redirectUris: [] });
      const player = await service.createGuest(none);
      const { context, page, complaints } = await openPage(browser, {});
      await page.goto(service.origin + guestPath(none, player));
      assert.ok(!page.url().includes(player.accessToken), page.url());
      const heading = page.getByRole('heading', { name: 'Keep your account' });
      await page.reload();
      await heading.waitFor();
      await page.goto('about:blank');
      await page.goBack();
      await heading.waitFor();
      await typeAddressAndCode(service, page, newEmail());
      await typeNameAndPassword(page);
      await page.getByRole('button', { name: 'Finish' }).click();
      await page.getByRole('heading', { name: 'Your account is ready' }).waitFor();
      assert.deepEqual(complaints, []);
      await context.close();
    },
  );
});
