import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { seedOf } from '../kit/run/seed.ts';
import { areTurnsTaken } from '../kit/run/turns.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';

/** What the HTTP parser takes: 16 kB of address and headers. */
const LENGTH = 15_000;
/** A page takes 0.4 ms of an idle processor. A stranger's request may take 5, and one with a credential 25. */
const MOST_PAGES = { unknown: 12, known: 60 };
/** What else the process does meanwhile counts too, so one that takes more is tried again. If it always does, its processor time decides. */
const TRIES = 40;
const MANY = 100;
/** Each usual run has a part of the cases. */
const PARTS = 5;

const repeated = (part: string) => part.repeat(Math.floor(LENGTH / part.length));
const numbered = (of: (i: number) => string) =>
  Array.from({ length: LENGTH / 8 }, (_, i) => of(i))
    .join('')
    .slice(0, LENGTH);

/** Queries and forms. */
const PARAMETERS: Readonly<Record<string, string>> = {
  'a name again and again': repeated('a&'),
  'a pair again and again': repeated('a=b&'),
  'many names': numbered((i) => `a${i}&`),
  'nothing between separators': repeated('&'),
  'pages in pages': `${repeated('page=?')}page=%zz`,
  'addresses in addresses': `${repeated('return_to=/?')}%zz`,
  'encoded addresses in addresses': `return_to=${encodeURIComponent(`/?return_to=${encodeURIComponent(repeated('/?return_to='))}`).slice(0, LENGTH)}`,
  'malformed percent signs': `return_to=/${repeated('%zz')}`,
  'malformed languages': `ui_locales=${repeated('%zz')}`,
  'many languages': `ui_locales=${repeated('a+')}`,
  'a long language': `ui_locales=${repeated('a-')}`,
  brackets: `a${repeated('[b]')}=1`,
  Unicode: `return_to=/${repeated('%F0%9F%98%80')}`,
  'a long id': `client_id=${repeated('a')}`,
  'many scopes': `scope=${repeated('a+')}`,
  'many words': `q=${repeated('a+')}`,
  'a long token': `token=${repeated('a.')}`,
};

const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'many languages': { 'accept-language': repeated('a,') },
  'many weighted languages': { 'accept-language': repeated('a;q=0.1,') },
  'many cookies': { cookie: repeated('a=b;') },
  'a cookie of spaces': { cookie: `a${repeated(' ')}=b` },
  'a token of spaces': { authorization: `Bearer ${repeated(' ')}` },
  'a long client': { authorization: `Basic ${repeated('Ojo6')}` },
  'many types': { accept: repeated('text/html,') },
  'a type with parameters': { 'content-type': `application/json;${repeated('a=b;')}` },
  'a long key': { 'idempotency-key': repeated('a') },
};

/** Lists may be that long. Only what is valid JSON is read. */
const LONG = 260_000;
const LONG_BODIES: Readonly<Record<string, string>> = {
  'a long list of faults': `{"transfers":[${'{},'.repeat(LONG / 3 - 10)}{}]}`,
  'a long list of numbers': `{"transfers":[${'1,'.repeat(LONG / 2 - 10)}1]}`,
  'a list of all lines with faults': `{"transfers":[${'{"amount":-1,"user":1,"address":"x","x":1},'.repeat(999)}{}]}`,
  'lines with many unknown fields': `{"transfers":[{${Array.from({ length: 20_000 }, (_, i) => `"a${i}":1`)}}]}`,
};

const BODIES: Readonly<Record<string, string>> = {
  'arrays in arrays': repeated('['),
  'objects in objects': repeated('{"a":'),
  'a list of faults': `{"transfers":[${repeated('{},')}{}]}`,
  'many fields': `{${numbered((i) => `"a${i}":1,`)}"z":1}`,
  'a long number': `{"tokens":${repeated('9')}}`,
};

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };

type Case = { readonly what: string; readonly request: InjectOptions };

/** All that somebody without a credential may send to one route. */
function casesOf(method: string, path: string): Case[] {
  const cases: [string, InjectOptions][] = [
    ...Object.entries(PARAMETERS).map(
      ([what, query]) => [what, { url: `${path}?${query}` }] as [string, InjectOptions],
    ),
    ...Object.entries(HEADERS).map(([what, headers]) => [`headers: ${what}`, { headers }] as [string, InjectOptions]),
  ];
  if (method === 'POST') {
    for (const [what, payload] of Object.entries(PARAMETERS)) {
      cases.push([`form: ${what}`, { payload, headers: FORM }]);
      cases.push([`address and form: ${what}`, { url: `${path}?${payload}`, payload, headers: FORM }]);
    }
    for (const [what, payload] of Object.entries(BODIES))
      cases.push([`body: ${what}`, { payload, headers: { 'content-type': 'application/json' } }]);
  }
  return cases.map(([what, request]) => ({
    what: `${method} ${path}, ${what}`,
    request: { method: method as 'GET', url: path, ...request },
  }));
}

/** How long the main thread was busy, in milliseconds. What others take of the processor meanwhile counts too. */
async function costOf(s: TestService, request: InjectOptions): Promise<number> {
  const before = performance.eventLoopUtilization();
  await s.app.inject(request);
  return performance.eventLoopUtilization(before).active;
}

/** How much processor time of the main thread one of so many such requests takes, in microseconds. Some machines count it in ticks. */
async function processorTimeOf(s: TestService, request: InjectOptions, count: number): Promise<number> {
  const before = process.threadCpuUsage();
  for (let i = 0; i < count; i++) await s.app.inject(request);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / count;
}

/** Those of these requests that take more than so many pages, each with what it takes. */
async function dearAmong(t: TestContext, s: TestService, cases: readonly Case[], mostPages: number): Promise<string[]> {
  const pages: number[] = [];
  for (let i = 0; i < 40; i++) pages.push(await costOf(s, { url: '/sign-in' }));
  const page = pages.slice(20).sort((a, b) => a - b)[10]!;
  // At once, because a page takes less the more have been made.
  const processorTime = await processorTimeOf(s, { url: '/sign-in' }, 20);
  const most = page * mostPages;
  const dear: string[] = [];
  for (const { what, request } of cases) {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < TRIES && least > most; i++) least = Math.min(least, await costOf(s, request));
    if (least <= most) continue;
    const times = (await processorTimeOf(s, request, MANY)) / processorTime;
    if (times > mostPages) dear.push(`${what}: ${times.toFixed(1)} pages`);
  }
  t.diagnostic(
    `${cases.length} requests, a page takes ${page.toFixed(2)} ms, ${Math.round(processorTime)} µs of the processor`,
  );
  return dear;
}

test("a stranger's request takes no more of the main thread than some pages do", { timeout: 3_000_000 }, async (t) => {
  const s = await startTestService(t, { env: { RATE_LIMIT_PER_ADDRESS: '0', METRICS: 'public' } });
  const cases = [
    ...new Set(
      s.routes.flatMap(({ url, method }) =>
        [method].flat().map((one) => `${one} ${url.replaceAll(/:\w+/g, 'x').replace('*', 'x')}`),
      ),
    ),
    'GET /nothing',
    'PURGE /sign-in',
  ].flatMap((route) => casesOf(...(route.split(' ') as [string, string])));
  const part = seedOf('part of the costs') % PARTS;
  const mine = areTurnsTaken() ? cases.filter((_, i) => i % PARTS === part) : cases;

  assert.ok(mine.length > 1_000);
  assert.deepEqual(await dearAmong(t, s, mine, MOST_PAGES.unknown), []);
});

test('a request with a credential takes no more of it than a few dozen pages do', { timeout: 3_000_000 }, async (t) => {
  const s = await startTestService(t, {
    env: { RATE_LIMIT_PER_ADDRESS: '0', RATE_LIMIT_PER_SECOND: '0' },
  });
  const game = await s.createApp();
  const guest = await s.createGuest(game);
  const paths: Readonly<Record<string, string>> = { ':address': game.address, ':userId': guest.userId };
  const routes = s.routes.filter(({ url, method }) => url.startsWith('/v1/') && [method].flat().includes('POST'));
  const cases = routes.flatMap(({ url: route }) => {
    const url = route.replaceAll(/:\w+/g, (name) => paths[name] ?? 'x');
    return Object.entries({ ...BODIES, ...LONG_BODIES }).flatMap(([what, payload]) =>
      [game.serverKey, guest.accessToken].map((token): Case => {
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
        return { what: `POST ${url}, ${what}`, request: { method: 'POST', url, headers, payload } };
      }),
    );
  });
  assert.ok(cases.length > 100);
  assert.deepEqual(await dearAmong(t, s, cases, MOST_PAGES.known), []);
});
