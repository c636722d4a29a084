import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { atEnd, type Ending } from '../unit/at-end.ts';
import { until } from '../unit/until.ts';

const LIBRARY = new URL('../../../sdk/src/browser.ts', import.meta.url);

const START = `
  window.results = [];
  document.querySelector('#go').addEventListener('click', () => {
    const { call, container, ...options } = window.options;
    window.outcome = undefined;
    if (container) options.container = document.querySelector('#place');
    script[call ?? 'approve'](options).then(
      (value) => { window.outcome = { value }; },
      ({ name, code, message, reason, fallback, proof }) => { window.outcome = { name, code, message, reason, fallback, proof }; },
    );
  });
`;

/**
 * A game's page on 127.0.0.1, another site than ours, as strict as a policy can be: `/classic` and `/module` load the script the
 * one and the other way, `/bundled` by the client library, and its button calls it with `window.options`. `coop` and `coep` in the query
 * are the page's policies about openers and embedders.
 */
export async function startGame(t: Ending, service: string): Promise<string> {
  const page = (tags: string) => `<!doctype html><html lang="en"><title>A game</title>${tags}
    <body><h1>A game</h1><button id="go">Pay</button><div id="place"></div></body></html>`;
  const files: Record<string, [type: string, body: string]> = {
    '/classic': [
      'text/html',
      page(`<script src="${service}/quarters.js" defer></script><script src="/classic.js" defer></script>`),
    ],
    '/classic.js': ['text/javascript', `const script = window.Quarters;${START}`],
    '/module': ['text/html', page('<script src="/module.js" type="module"></script>')],
    '/module.js': ['text/javascript', `import * as script from '${service}/quarters.mjs';${START}`],
    '/bundled': ['text/html', page('<script src="/bundled.js" type="module"></script>')],
    '/bundled.js': [
      'text/javascript',
      `import { loadQuarters } from '/browser.js';
      const script = { approve: async (options) => (await loadQuarters('${service}')).approve(options) };${START}`,
    ],
    '/browser.js': ['text/javascript', stripTypeScriptTypes(readFileSync(LIBRARY, 'utf8'))],
    '/back': ['text/html', page('')],
  };
  const policy = `default-src 'none'; script-src 'self' ${service}; frame-src ${service}; base-uri 'none'`;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://game');
    const [type, body] = files[pathname] ?? ['text/html', ''];
    const [coop, coep] = [searchParams.get('coop'), searchParams.get('coep')];
    if (coop) response.setHeader('cross-origin-opener-policy', coop);
    if (coep) response.setHeader('cross-origin-embedder-policy', coep);
    response.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A page in a profile of its own; `complaints` gathers errors of scripts and violations of policies. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/policy|refused|blocked/i.test(message.text())) complaints.push(message.text());
  });
  return { context, page, complaints };
}

/** Our page inside the game's. */
export async function ourFrame(page: Page): Promise<Frame> {
  await until('our frame has loaded', () => /^http:\/\/localhost/.test(page.frames()[1]?.url() ?? ''));
  const frame = page.frames()[1]!;
  await frame.waitForLoadState();
  return frame;
}

/** Presses the game's button, with these options. */
export async function pay(page: Page, options: object): Promise<void> {
  await page.evaluate(`window.options = ${JSON.stringify(options)}`);
  await page.getByRole('button', { name: 'Pay' }).click();
}

/** What the script's promise came to. */
export async function outcome(page: Page): Promise<unknown> {
  await until('the promise settled', () => page.evaluate('window.outcome !== undefined'));
  // Without what is undefined in it.
  return JSON.parse(await page.evaluate('JSON.stringify(window.outcome)'));
}
