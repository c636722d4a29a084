import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { assertAccessible } from '../kit/browser/axe.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks, PHONE } from '../kit/browser/fit.ts';
import { authorizeUrl, redemption, sharedWorld } from '../kit/service/oauth-world.ts';
import { createPerson } from '../kit/service/people.ts';
import { atEnd } from '../kit/unit/at-end.ts';

const MAX_BYTES = 30 * 1024;

test('the consent page in a browser', { skip: NO_BROWSER }, async (t) => {
  const world = await sharedWorld(t);
  const callback = `${await startGame(t)}/callback`;
  const name = 'A game with a name that is rather long, for the small screen';
  const client = await world.createClient({ name, redirectUris: [callback, 'com.acme.game://'] });
  const browser = await startBrowser(t);

  for (const javaScriptEnabled of [true, false]) {
    await t.test(`${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const { cookie } = await createPerson(world);
      const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled });
      const [cookieName = '', value = ''] = cookie.split('=');
      await context.addCookies([{ name: cookieName, value, url: world.origin }]);
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      const loaded: Promise<number>[] = [];
      page.on('response', (response) =>
        loaded.push(
          response.body().then(
            ({ length }) => length,
            () => 0,
          ),
        ),
      );
      await page.goto(authorizeUrl(world.origin, client, { redirect_uri: callback }));
      if (javaScriptEnabled) await assertFitInLooks(page);
      const bytes = (await Promise.all(loaded)).reduce((sum, length) => sum + length, 0);
      assert.ok(bytes > 0 && bytes < MAX_BYTES, `${bytes} bytes`);

      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.waitForURL(`${callback}?*`);
      const code = new URL(page.url()).searchParams.get('code')!;
      assert.equal((await world.token(redemption(client, code))).status, 200);
      assert.deepEqual(complaints, []);
      await context.close();
    });
  }

  await t.test('the error page in a browser', async () => {
    const page = await browser.newPage({ viewport: PHONE });
    await page.goto(authorizeUrl(world.origin, client, { redirect_uri: 'https://evil.example/' }));
    await assertAccessible(page);
  });
});

/** A game's own web server; its origin. */
async function startGame(t: TestContext): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><link rel="icon" href="data:,"><title>The game</title>');
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  atEnd(t, () => new Promise<void>((resolve) => server.close(() => resolve())));
  atEnd(t, () => server.closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
