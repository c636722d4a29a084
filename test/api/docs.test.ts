import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { PROBLEMS } from '../../src/base/problems.ts';
import type { Settings } from '../../src/config/settings.ts';
import { REQUEST_STATUSES } from '../../src/requests/states.ts';
import { EVENT_TYPES } from '../../src/webhooks/event-types.ts';
import { readGuides } from '../../src/wings/documents/pages/guides.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { everyTest } from '../kit/unit/at-end.ts';
import { type Description, operationsOf } from '../kit/unit/description.ts';

let service: TestService;
let description: Description;
/** Every page of the documentation, by path. */
const pages = new Map<string, string>();

before(async () => {
  service = await startTestService(everyTest);
  description = (await service.app.inject('/openapi.json')).json();
  const waiting = ['/docs'];
  for (const path of waiting) {
    if (pages.has(path)) continue;
    const answer = await service.app.inject(path);
    assert.equal(answer.statusCode, 200, path);
    pages.set(path, answer.body);
    waiting.push(...linksIn(answer.body, path).flatMap(({ to }) => (/^\/docs(\/|$)/.test(to) ? [to] : [])));
  }
});

/** The links of a page, without those to other sites. */
function linksIn(html: string, path: string): { to: string; anchor: string }[] {
  return [...html.matchAll(/href="([^"]*)"/g)].flatMap(([, href = '']) => {
    if (/^https?:/.test(href)) return [];
    const [to = '', anchor = ''] = href.split('#');
    return [{ to: to || path, anchor }];
  });
}

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

test('every call, problem, event type and guide has its place in the documentation', () => {
  const all = [...pages].filter(([path]) => path.startsWith('/docs/'));
  const has = (anchor: string) => all.some(([, html]) => html.includes(` id="${anchor}"`));
  for (const { path, method, operation } of operationsOf(description)) {
    assert.ok(has(operation.operationId), operation.operationId);
    const place = all.find(([, html]) => html.includes(`<section class="call" id="${operation.operationId}"`));
    assert.ok(textOf(place?.[1] ?? '').includes(`${method} ${path}`), `${method} ${path}`);
  }
  for (const code of Object.keys(PROBLEMS))
    assert.ok(pages.get('/docs/reference/problems')?.includes(` id="${code}"`), code);
  const { AppEvent } = description.components.schemas;
  for (const type of AppEvent?.properties?.type?.enum ?? []) assert.ok(has(type), type);
  assert.ok(has('request.completed'));
  const guides = readdirSync(new URL('../../docs/integrate', import.meta.url)).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  );
  for (const name of [...guides, 'sdk.md', 'csharp.md']) {
    assert.ok(pages.has(`/docs/guides/${name.replace('.md', '')}`), `${name} is linked`);
  }
  for (const name of readdirSync(new URL('../../docs/operate', import.meta.url))) {
    const path = name === 'README.md' ? '/docs/operate' : `/docs/operate/${name.replace('.md', '')}`;
    assert.match(pages.get(path) ?? '', /<details open><summary>Operate<\/summary>/, path);
  }
});

test('every field of every named type is on the page of a call', () => {
  const reference = textOf([...pages].filter(([path]) => path.startsWith('/docs/reference')).join(''));
  for (const [name, { properties = {} }] of Object.entries(description.components.schemas)) {
    for (const field of Object.keys(properties))
      assert.match(reference, new RegExp(`\\b${field}\\b`), `${name}.${field}`);
  }
  const [events = ''] = [pages.get('/docs/reference/requests')];
  for (const anchor of [
    'createRequest.body.expiresIn',
    'listRequests.query.status',
    'getRequest.response.completed.seconds',
  ]) {
    assert.ok(events.includes(` id="${anchor}"`), anchor);
  }
});

test('the guides say what their files say, with the addresses of this installation', () => {
  const guide = pages.get('/docs/guides/webhooks') ?? '';
  const source = readFileSync(new URL('../../docs/integrate/webhooks.md', import.meta.url), 'utf8');
  const code = /```js\n([\s\S]*?)\n```/.exec(source)?.[1] ?? '';
  assert.ok(code.length > 100 && textOf(guide).includes(code), 'code is shown unchanged');
  assert.match(guide, /<td [^>]*data-label="Type"/);
  for (const type of EVENT_TYPES)
    assert.ok(source.includes(`\`${type}\``), `docs/integrate/webhooks.md explains no ${type}`);
  for (const [path, html] of pages) {
    assert.doesNotMatch(textOf(html), /undefined|\[object|\{(origin|\w+_url)\}|quarters\.example/, path);
    assert.doesNotMatch(html, /<script(?! src="\/assets\/)|style="| on\w+="/, path);
    assert.equal(html.match(/<h1/g)?.length, 1, path);
  }
  assert.ok(textOf(pages.get('/docs/guides/tutorial') ?? '').includes(`const url = '${service.origin}';`));
  assert.ok(
    textOf(pages.get('/docs/guides/sign-in') ?? '').includes(`${service.origin}/.well-known/openid-configuration`),
  );
});

test('an installation whose API has addresses of its own shows each where it belongs', async () => {
  const settings = { apiUrl: 'https://api.pay.example', devApiUrl: 'https://dev.pay.example' } as Settings;
  const guides = await readGuides(settings, 'https://pay.example');
  const guide = (name: string) => textOf(String(guides.find((one) => one.name === name)?.content));
  for (const { name, content, reader } of guides) {
    const text = textOf(String(content));
    assert.doesNotMatch(text, /quarters\.example|\{(origin|\w+_url)\}/, name);
    // Operators read which tests measured a figure. A game has tests of its own.
    if (reader === 'developer' && name !== 'test') assert.doesNotMatch(text, /npm (test|run test)|run by a test/, name);
    // The tutorial starts a service on its reader's machine.
    if (name === 'sdk') assert.doesNotMatch(text, /localhost:8080/);
  }
  assert.match(guide('browser'), /new URL\('https:\/\/api\.pay\.example\/v1\/keys'\)/);
  assert.match(guide('browser'), /issuer: 'https:\/\/pay\.example'/);
  assert.match(guide('sdk'), /const url = 'https:\/\/api\.pay\.example'/);
  assert.match(guide('sdk'), /from 'https:\/\/pay\.example\/quarters\.mjs'/);
  assert.match(guide('tutorial'), /const url = 'http:\/\/localhost:8080'/);
  assert.match(guide('tutorial'), /register your game at https:\/\/pay\.example\/developer/);
});

test('no link and no anchor of the documentation is broken', async () => {
  const ids = new Map(
    [...pages].map(([path, html]) => [path, [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)]),
  );
  const elsewhere = new Set<string>();
  for (const [path, html] of pages) {
    const own = ids.get(path) ?? [];
    assert.deepEqual(own, [...new Set(own)], `${path} has an id twice`);
    for (const { to, anchor } of linksIn(html, path)) {
      if (!pages.has(to)) elsewhere.add(to);
      else if (anchor) assert.ok(ids.get(to)?.includes(decodeURIComponent(anchor)), `${path} → ${to}#${anchor}`);
    }
  }
  for (const to of elsewhere) {
    const { statusCode } = await service.app.inject({ url: to, headers: { accept: 'text/html' } });
    assert.ok(statusCode === 200 || statusCode === 303, `${to} is ${statusCode}`);
  }
});

test('a link to a file that is not served becomes the name of the file', () => {
  const runbook = pages.get('/docs/operate/runbook') ?? '';
  assert.match(textOf(runbook), /each alert of monitoring\/alerts\.yml\. Nothing/);
  const chain = pages.get('/docs/operate/chain') ?? '';
  assert.match(textOf(chain), /What is read of a header in docs\/inside\/settlement\.md has the rest/);
  assert.match(
    pages.get('/docs/operate/start') ?? '',
    /<a href="\/docs\/guides\/[\w-]+#[\w-]+">|<a href="\/docs\/operate\//,
  );
});

test('an anchor of the one-page reference leads on without a script', () => {
  const start = pages.get('/docs') ?? '';
  const moved = [...operationsOf(description).map(({ operation }) => operation.operationId), ...Object.keys(PROBLEMS)];
  for (const anchor of moved) {
    assert.match(start, new RegExp(`<li id="${anchor}"><a href="/docs/reference/\\w+#${anchor}">`), anchor);
  }
});

test('a page is cached for everybody, revalidated by its tag, and compressed as the client allows', async () => {
  const get = (headers: Record<string, string>) => service.app.inject({ url: '/docs/reference/requests', headers });
  const whole = await get({ cookie: 'a=b' });
  assert.equal(whole.headers['content-encoding'], undefined);
  assert.equal(whole.headers['set-cookie'], undefined);
  const tags = new Set<unknown>([whole.headers.etag]);
  for (const [accepted, encoding, read] of [
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
  ] as const) {
    const small = await get({ 'accept-encoding': accepted });
    assert.equal(small.headers['content-encoding'], encoding);
    assert.equal(read(small.rawPayload).toString(), whole.body);
    assert.ok(small.rawPayload.length < whole.rawPayload.length / 4);
    tags.add(small.headers.etag);
  }
  assert.equal(tags.size, 3, 'each encoding has its own tag');
  for (const { headers } of [whole, await get({ 'if-none-match': `"x", ${whole.headers.etag}` })]) {
    assert.match(String(headers['cache-control']), /^public, max-age=\d+, must-revalidate$/);
    assert.equal(headers.vary, 'accept-encoding');
    assert.match(String(headers.etag), /^"[\w-]+"$/);
  }
  const known = await get({ 'if-none-match': `W/${whole.headers.etag}` });
  assert.deepEqual([known.statusCode, known.body], [304, '']);
  assert.equal((await get({ 'if-none-match': '"another"' })).statusCode, 200);
  assert.match(
    String(whole.headers['content-security-policy']),
    /default-src 'none'.*script-src 'self'; connect-src 'self'/,
  );
  assert.equal(
    (await service.app.inject({ url: '/docs/guides/none', headers: { accept: 'text/html' } })).statusCode,
    404,
  );
});

test('a picture of a guide is served beside it, by itself, with each state of a request and no other', async () => {
  const guide = pages.get('/docs/guides/how-it-works') ?? '';
  const [, path = '', text = ''] = /<img src="([^"]+)" alt="([^"]+)">/.exec(guide) ?? [];
  const { statusCode, headers, body } = await service.app.inject(path);
  assert.deepEqual([statusCode, headers['content-type']], [200, 'image/svg+xml']);
  assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'unsafe-inline'; sandbox$/);
  const named = [...body.matchAll(/class="state"[^>]*>([^<]+)</g)].flatMap(([, states = '']) => states.split(/[, ]+/));
  assert.deepEqual(named.filter((one) => one !== '').toSorted(), [...REQUEST_STATUSES].toSorted());
  for (const status of REQUEST_STATUSES) assert.match(text, new RegExp(status, 'i'));
  for (const html of pages.values()) {
    for (const [, src = ''] of html.matchAll(/<img [^>]*src="(\/docs[^"]*)"/g))
      assert.equal((await service.app.inject(src)).statusCode, 200, src);
  }
});

/** The paths of what a search finds, the best first. */
async function found(query: string): Promise<string[]> {
  const { body } = await service.app.inject(`/docs/search?q=${encodeURIComponent(query)}`);
  const [, results = ''] = body.split('<ul class="results">');
  return [...results.matchAll(/<li>.*?href="([^"]+)"/g)].map(([, path = '']) => path);
}

test('the search finds calls by path and name, problems by code, guides by heading, fields and events', async () => {
  for (const [query, path] of [
    ['POST /v1/requests/{id}/refunds', '/docs/reference/requests#refundRequest'],
    ['/v1/new-guest', '/docs/reference/guests#createGuest'],
    ['createGuestTokens', '/docs/reference/guests#createGuestTokens'],
    ['insufficient-quarters', '/docs/reference/problems#insufficient-quarters'],
    ['Waiting for the chain', '/docs/guides/api#waiting-for-the-chain'],
    ['expiresin', '/docs/reference/requests#createRequest.body.expiresIn'],
    ['request.reorged', '/docs/reference/events#request.reorged'],
  ] as const) {
    assert.equal((await found(query))[0], path, query);
  }
  const index = (await service.app.inject('/docs/search.json')).json() as { path: string }[];
  const known = new Set(index.map(({ path }) => path));
  for (const { operation } of operationsOf(description)) {
    assert.ok(
      [...known].some((path) => path.endsWith(`#${operation.operationId}`)),
      operation.operationId,
    );
  }
  for (const path of known) {
    const [page = '', anchor] = path.split('#');
    assert.ok(!anchor || pages.get(page)?.includes(` id="${anchor}"`), path);
  }
});

test('the search finds what people type in words that the documentation does not use, among the first three', async () => {
  for (const [query, path] of [
    ['test money', '/docs/operate/start#development-mode'],
    ['rotate key', '/docs/guides/api#replacing-a-key'],
    ['rotating secrets', '/docs/reference/events#rotateWebhookSecret'],
    ['retry', '/docs/guides/api#idempotency-keys'],
    ['subscription', '/docs/guides/approval-page#without-asking'],
    ['webview', '/docs/guides/api#other-languages-and-game-engines'],
    ['Unity', '/docs/guides/unity'],
    ['Python', '/docs/guides/api#other-languages-and-game-engines'],
    ['C#', '/docs/guides/csharp'],
    ['Docker', '/docs/operate/deployment#compose-on-one-machine'],
    ['backups', '/docs/operate/backup'],
    ['two factor', '/docs/operate/console#who-may-use-it'],
    ['2FA', '/docs/operate/console#who-may-use-it'],
    ['login', '/docs/guides/sign-in'],
    ['how do I refund a player', '/docs/reference/requests#refundRequest'],
    ['REFUNDS post requests', '/docs/reference/requests#refundRequest'],
  ] as const) {
    const paths = await found(query);
    assert.ok(paths.slice(0, 3).includes(path), `${query}: ${paths.slice(0, 5)}`);
  }
  // Whoever looks for these wants to test a game.
  for (const query of [
    'test',
    'CI',
    'mock',
    'jest',
    'vitest',
    'NUnit',
    'emulator',
    'simulate failure',
    'clock',
    'decline',
  ]) {
    const paths = await found(query);
    assert.ok(
      paths.slice(0, 3).some((path) => path.startsWith('/docs/guides/test')),
      `${query}: ${paths.slice(0, 5)}`,
    );
  }
});

test('the search finds first what developers ask by the words of other services', async () => {
  for (const [query, path] of [
    ['cors', '/docs/guides/api#calls-from-browsers-cors'],
    ['react', '/docs/guides/browser#a-button-for-react'],
    ['postman', '/docs/guides/api#other-languages-and-game-engines'],
    ['ngrok', '/docs/guides/webhooks#listening'],
    ['tunnel', '/docs/guides/webhooks#listening'],
    ['leaderboard', '/docs/guides/how-it-works#a-payout'],
    ['season', '/docs/guides/how-it-works#a-payout'],
    ['multiplayer', '/docs/guides/how-it-works#a-payout'],
    ['retry without paying twice', '/docs/guides/api#idempotency-keys'],
    ['refund', '/docs/guides/api#refunds'],
    ['currency', '/docs/guides/how-it-works#the-parts'],
    ['insufficient funds', '/docs/reference/problems#insufficient-quarters'],
    ['credit card', '/docs/guides/how-it-works#selling-quarters'],
    ['buy quarters', '/docs/guides/how-it-works#selling-quarters'],
    ['cash out', '/docs/operate/withdrawals'],
    ['flutter', '/docs/guides/api#other-languages-and-game-engines'],
    ['next.js', '/docs/guides/browser#in-a-bundled-game'],
    ['delete account', '/docs/guides/guests#when-a-player-deletes-the-account'],
    ['webhook not received', '/docs/guides/webhooks#delivery'],
    ['signature verification', '/docs/guides/webhooks#verifying-a-message'],
    ['single sign on', '/docs/guides/sign-in'],
    ['translation', '/docs/guides/approval-page#the-players-language'],
    ['status pending', '/docs/guides/how-it-works#the-states-of-a-payment'],
    ['transaction history', '/docs/guides/console#payments'],
    ['decimals', '/docs/guides/api#rules-for-every-call'],
    ['production checklist', '/docs/guides/going-live'],
    ['csv', '/docs/guides/console#payments'],
  ] as const) {
    assert.equal((await found(query))[0], path, query);
  }
  for (const [query, path] of [
    ['chargeback', '/docs/guides/api#refunds'],
    ['429', '/docs/guides/api#rate-limits'],
    ['deep link', '/docs/guides/unity#5-make-it-work-on-each-platform'],
    ['x-frame-options', '/docs/guides/browser#register-your-site-first'],
    ['duplicate', '/docs/guides/api#idempotency-keys'],
    ['swagger', '/docs/guides/api#other-languages-and-game-engines'],
    ['GDPR', '/docs/guides/guests#when-a-player-deletes-the-account'],
    ['roles', '/docs/guides/console#teams-and-roles'],
  ] as const) {
    const paths = await found(query);
    assert.ok(paths.slice(0, 3).includes(path), `${query}: ${paths.slice(0, 5)}`);
  }
});

test('a call comes before its fields, and words in any order find the same', async () => {
  const balance = await found('balance');
  assert.equal(balance[0], '/docs/reference/users#getBalance');
  assert.ok(
    balance.some((path) => path.startsWith('/docs/reference/users#getBalance.')),
    'its fields follow',
  );
  assert.deepEqual(await found('key replacing'), await found('replacing key'));
});

test('a search reads eight words of a hundred characters, and without a whole match shows what has most of them', async () => {
  const eight = 'get the balance of an account in quarters';
  assert.deepEqual(await found(`${eight} refund`), await found(eight));
  assert.deepEqual(await found(`${' '.repeat(95)}balances`), await found('balan'));
  assert.deepEqual(await found('balance unheard-of'), await found('balance'));
  assert.deepEqual(await found('unheard-of'), []);
});

test('what is searched for is text, and not kept by caches', async () => {
  const hostile = '"><script>alert(1)</script>';
  const { body, headers } = await service.app.inject(`/docs/search?q=${encodeURIComponent(hostile)}`);
  assert.ok(!body.includes('<script>alert') && textOf(body).includes(hostile));
  assert.equal(headers['cache-control'], 'no-store');
  for (const query of ['', '?q=', '?q=a&q=b', `?q=${'x'.repeat(5000)}`]) {
    assert.equal((await service.app.inject(`/docs/search${query}`)).statusCode, 200, query.slice(0, 20));
  }
});
