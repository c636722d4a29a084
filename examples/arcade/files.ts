import { readFileSync } from 'node:fs';
import type { App } from './quarters.ts';

export const SAFE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The page's policy allows our own scripts, the script and frames of Quarters, and nothing else. */
function pageHeaders(pages: string): Record<string, string> {
  const policy = [
    `default-src 'none'`,
    `script-src 'self' ${pages}/quarters.js`,
    `style-src 'self'`,
    `img-src 'self'`,
    `connect-src 'self'`,
    `frame-src ${pages}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ];
  return {
    'content-security-policy': policy.join('; '),
    // Windows that the game opens can still reach it.
    'cross-origin-opener-policy': 'same-origin-allow-popups',
  };
}

const read = (name: string) => readFileSync(new URL(`./public/${name}`, import.meta.url), 'utf8');

/** The page that says what became of a payment. `result`: our own words. */
export function resultPage({ pages }: App, result: string) {
  const headers = { 'content-type': 'text/html; charset=utf-8', ...pageHeaders(new URL(pages).origin) };
  return { body: RESULT.replaceAll('{result}', result), headers };
}

const RESULT = read('result.html');

/** The files for the browser, by path, held in memory. */
export function readFiles({ pages, id }: App) {
  const page = read('index.html')
    .replaceAll('{pages}', new URL(pages).origin)
    .replaceAll('{clientId}', encodeURIComponent(id));
  const html = {
    body: page,
    headers: { 'content-type': 'text/html; charset=utf-8', ...pageHeaders(new URL(pages).origin) },
  };
  const other = [
    ['arcade.css', 'text/css; charset=utf-8'],
    ['coin.svg', 'image/svg+xml'],
    ...['page.js', 'game.js', 'drawing.js', 'sound.js', 'rules.js'].map((name) => [
      name,
      'text/javascript; charset=utf-8',
    ]),
  ].map(([name, type]) => [`/${name}`, { body: read(name!), headers: { 'content-type': type! } }] as const);
  return new Map([['/', html], ...other]);
}
