/** Times the pages of the operators' console as somebody who signed in gets them. */
import type { Figure } from './claim.ts';

const ROUNDS = 30;
/** No console has more kinds of pages. A crawl that finds more follows links that lead nowhere. */
const MOST_KINDS = 300;
/** Pages that take less are only counted. */
const WORTH_NAMING_MS = 50;

type Times = { readonly page: string; readonly median: number; readonly p99: number };

/**
 * One page of each kind that links reach from the start of the console: paths that differ in ids, dates and values count as one. Pages are
 * asked for one at a time. Throws if one fails.
 */
export async function measureConsole(origin: string, cookie: string): Promise<Figure[]> {
  const ask = (path: string) => fetch(origin + path, { headers: { cookie }, redirect: 'manual' });
  const measured: Times[] = [];
  for (const [page, path] of await findPages(ask)) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      await (await ask(path)).arrayBuffer();
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    measured.push({ page, median: times[times.length >> 1]!, p99: times[Math.ceil(times.length * 0.99) - 1]! });
  }
  const slow = measured.filter(({ median }) => median >= WORTH_NAMING_MS);
  return [
    { name: 'pages of the operators’ console', value: measured.length, unit: '' },
    ...bounds(
      'the slowest page',
      Math.max(...measured.map(({ median }) => median)),
      Math.max(...measured.map(({ p99 }) => p99)),
    ),
    ...slow.flatMap(({ page, median, p99 }) => bounds(page, median, p99)),
  ];
}

const bounds = (name: string, median: number, p99: number): Figure[] => [
  { name: `${name}: median`, value: median, unit: 'ms', target: '≤ 200' },
  { name: `${name}: p99`, value: p99, unit: 'ms', target: '≤ 500' },
];

/** By kind, the path of one page. Downloads are no pages. */
async function findPages(ask: (path: string) => Promise<Response>): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const seen = new Set<string>();
  const open = ['/operator'];
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    const kind = kindOf(path);
    if (seen.has(kind)) continue;
    seen.add(kind);
    if (seen.size > MOST_KINDS) throw new Error(`More than ${MOST_KINDS} kinds of pages: ${[...seen].slice(-5)}`);
    const answer = await ask(path);
    if (answer.status >= 500) throw new Error(`${path}: ${answer.status}`);
    // Others lead elsewhere, have nothing to show here, or are downloads, which may be larger than a string can be.
    if (!answer.ok || !answer.headers.get('content-type')?.startsWith('text/html')) {
      await answer.body?.cancel();
      continue;
    }
    pages.set(kind, path);
    for (const [, href] of (await answer.text()).matchAll(/href="(\/operator[^"#]*)/g))
      open.push(href!.replaceAll('&amp;', '&'));
  }
  return pages;
}

function kindOf(path: string): string {
  const url = new URL(path, 'http://console');
  const segments = url.pathname
    .split('/')
    .map((segment) => (/\d/.test(segment) || /^(?=.*[A-Z])[A-Za-z]{20,28}$/.test(segment) ? ':id' : segment));
  const names = [...new Set(url.searchParams.keys())].sort();
  return segments.join('/') + (names.length > 0 ? `?${names.join('&')}` : '');
}
