import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { NO_BROWSER, startBrowser } from '../../kit/browser/browser.ts';
import { openFramed, startGameSite } from '../../kit/browser/game-site.ts';
import { atEnd } from '../../kit/unit/at-end.ts';

/** Shows the cookies it got, and sets one that every frame would get if third-party cookies were allowed. */
test('the browser of these tests blocks third-party cookies', { skip: NO_BROWSER }, async (t) => {
  const game = await startGameSite(t);
  const site = fastify();
  site.get('/', (request, reply) =>
    reply
      .header('set-cookie', 'third=party; SameSite=None; Secure; Path=/')
      .type('text/html')
      .send(`<p>${request.headers.cookie ?? 'none'}</p>`),
  );
  const { port } = new URL(await site.listen({ port: 0, host: 'localhost' }));
  atEnd(t, () => site.close());
  const browser = await startBrowser(t);
  const page = await (await browser.newContext()).newPage();
  const url = `http://localhost:${port}/`;
  await page.goto(url);
  await page.reload();
  assert.equal(await page.textContent('p'), 'third=party', 'at top level the cookie is there');
  const sameSite = await openFramed(page, await startGameSite(t, 'localhost'), url);
  assert.equal(await sameSite.textContent('p'), 'third=party', 'in a frame of the same site too');
  for (let i = 0; i < 2; i++) {
    const frame = await openFramed(page, game, url);
    assert.equal(await frame.textContent('p'), 'none', 'in a frame of another site it is not');
  }
});
