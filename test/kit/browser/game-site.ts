import fastify from 'fastify';
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import type { Person } from '../service/people.ts';
import type { TestService } from '../service/service.ts';
import { atEnd, type Ending } from '../unit/at-end.ts';
import { until } from '../unit/until.ts';

/** A message that a game's page received, from any sender. */
export type Heard = { readonly data: string; readonly origin: string };

const PAGE = `<!doctype html><title>A game</title>
<style>iframe { width: 390px; height: 640px; border: 0 }</style><p>A game</p>
<script>
  window.heard = [];
  addEventListener('message', ({ data, origin }) => heard.push({ data, origin }));
  const query = new URLSearchParams(location.search);
  if (query.has('frame')) {
    const frame = document.createElement('iframe');
    frame.src = query.get('frame');
    if (query.has('sandbox')) frame.sandbox = query.get('sandbox');
    document.body.append(frame);
  }
  if (query.has('popup')) {
    const button = document.createElement('button');
    button.textContent = 'Open';
    button.onclick = () => { window.popup = open(query.get('popup')); };
    document.body.append(button);
  }
</script>`;

/** A game's site on 127.0.0.1. It is another site than ours on localhost, since ports make no difference. */
export async function startGameSite(t: Ending, host = '127.0.0.1'): Promise<string> {
  const site = fastify();
  site.get('/*', (request, reply) => {
    // The embedder policy of a page that is cross-origin isolated.
    const { isolated } = request.query as { readonly isolated?: string };
    const isolation = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': isolated };
    return reply
      .headers(isolated ? isolation : {})
      .type('text/html')
      .send(PAGE);
  });
  const { port } = new URL(await site.listen({ port: 0, host }));
  atEnd(t, () => site.close());
  return `http://${host}:${port}`;
}

/** Opens a page of the game with our page in a frame. */
export async function openFramed(
  page: Page,
  game: string,
  url: string,
  how: { readonly sandbox?: string; readonly isolated?: string } = {},
): Promise<Frame> {
  await page.goto(`${game}/?${new URLSearchParams({ frame: url, ...how })}`);
  await until('the frame has loaded', () => page.frames().length === 2 && page.frames()[1]!.url() !== '');
  const frame = page.frames()[1]!;
  await frame.waitForLoadState();
  return frame;
}

/** The window that `open` opens. */
export async function windowFrom(page: Page, open: () => Promise<unknown>): Promise<Page> {
  const [opened] = await Promise.all([page.context().waitForEvent('page'), open()]);
  await opened.waitForLoadState();
  return opened;
}

export const heardBy = (place: Page | Frame): Promise<Heard[]> => place.evaluate('window.heard');

/** The messages that a game received, read once there is one and nothing more can arrive. */
export async function heardOnce(page: Page): Promise<Heard[]> {
  await until('the game was told', async () => (await heardBy(page)).length > 0);
  // A second message would be queued before the one that the page posts to itself now.
  await page.evaluate(`new Promise((resolve) => {
    addEventListener('message', ({ data }) => data === 'mark' && resolve(), { once: false });
    postMessage('mark', location.origin);
  })`);
  return (await heardBy(page)).filter(({ data }) => data !== 'mark');
}

/** A browser profile with a signed-in user. Null: nobody is signed in. */
export async function profileOf(
  browser: Browser,
  service: TestService,
  person: Person | null,
): Promise<BrowserContext> {
  const context = await browser.newContext();
  if (person) {
    const [name = '', value = ''] = person.cookie.split('=');
    await context.addCookies([{ name, value, url: service.origin, httpOnly: true, sameSite: 'Lax' }]);
  }
  return context;
}

/** Policy violations and script errors in a page and its frames. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/policy|refused|blocked|unsafe/i.test(message.text())) complaints.push(message.text());
  });
  return complaints;
}
