import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ConnectionError, QuartersError, QuartersOAuth, QuartersPlayer, QuartersServer } from '../../sdk/src/index.ts';
import { PROBLEMS } from '../../src/base/problems.ts';
import { until } from '../support/until.ts';
import { flakyServer, html, json, lost, problem } from './flaky-server.ts';

const PAID = { requestId: 'r', txId: 't' };
const PAYMENT = { user: 'u', amount: 5 };

/** `timeoutMs`: far beyond what the busiest machine needs, so that each try is given its answer. */
const client = (url: string, options = {}) =>
  new QuartersServer({ url, serverKey: 'qk_secret', appAddress: '0xApp', timeoutMs: 5 * 60_000, ...options });

/**
 * Pauses of so many milliseconds last until they are ended: calling one of these ends it. All other timers go on, as those of
 * `fetch` have to.
 */
function holdPauses(t: TestContext, milliseconds: number): (() => void)[] {
  const { setTimeout } = globalThis;
  const held: (() => void)[] = [];
  const holding = (work: () => void, ms?: number, ...more: []) => {
    if (ms !== milliseconds) return setTimeout(work, ms, ...more);
    held.push(work);
  };
  t.mock.method(globalThis, 'setTimeout', holding as typeof setTimeout);
  return held;
}

test('a payment whose answer is lost is tried again with the same key', async (t) => {
  const { url, seen } = await flakyServer(t, lost, problem(503, 'overloaded'), json(PAID));
  assert.deepEqual(await client(url).pay(PAYMENT), PAID);
  assert.equal(seen.length, 3);
  const keys = new Set(seen.map(({ headers }) => headers['idempotency-key']));
  assert.equal(keys.size, 1);
  assert.match([...keys][0] as string, /^[0-9a-f-]{36}$/);
  assert.deepEqual(new Set(seen.map(({ body }) => body)), new Set([JSON.stringify(PAYMENT)]));
  assert.equal(seen[0]!.headers.authorization, 'Bearer qk_secret');
});

test('two payments have keys of their own, and the caller’s key is kept', async (t) => {
  const { url, seen } = await flakyServer(t, json(PAID));
  await client(url).pay(PAYMENT);
  await client(url).pay(PAYMENT);
  await client(url).pay(PAYMENT, { idempotencyKey: 'order-7' });
  const keys = seen.map(({ headers }) => headers['idempotency-key']);
  assert.equal(new Set(keys).size, 3);
  assert.equal(keys[2], 'order-7');
});

test('a refusal is final, and says why', async (t) => {
  const { url, seen } = await flakyServer(t, problem(402, 'insufficient-quarters'));
  await assert.rejects(client(url).pay(PAYMENT), (error) => {
    assert.ok(error instanceof QuartersError);
    assert.deepEqual(
      [error.status, error.code, error.message],
      [402, 'insufficient-quarters', 'It is insufficient-quarters.'],
    );
    return true;
  });
  assert.equal(seen.length, 1);
});

test('it gives up in the end, with what happened last', async (t) => {
  const busy = await flakyServer(t, problem(503, 'overloaded'));
  await assert.rejects(client(busy.url, { retries: 2 }).request('r'), { code: 'overloaded' });
  assert.equal(busy.seen.length, 3);
  const dead = await flakyServer(t, lost);
  await assert.rejects(client(dead.url, { retries: 1 }).request('r'), ConnectionError);
  assert.equal(dead.seen.length, 2);
});

test('a payment of which nothing is known is never a no', async (t) => {
  const unknown = {
    'a page in place of an answer': [html(200)],
    'a gateway that gave up': [html(504)],
    'a gateway in JSON': [json({ code: 'unavailable', error: 'Bad Gateway', message: 'Sorry.' }, 502)],
    'lost, then put off': [lost, problem(503, 'database-unavailable')],
    'lost, then too many calls': [lost, problem(429, 'rate-limited')],
    'a gateway, then a fault': [html(502), problem(500, 'internal')],
    'decided or not, then busy': [problem(503, 'outcome-unknown'), problem(503, 'overloaded')],
    'a fault of the service': [problem(500, 'internal')],
    'a fault, then busy': [problem(500, 'internal'), problem(503, 'overloaded')],
    'no chain': [problem(503, 'chain-unavailable')],
    'a fault of tomorrow': [problem(507, 'moon-unavailable')],
    ...Object.fromEntries(
      ['token-missing', 'token-invalid', 'token-expired'].map((code) => [
        `lost, then ${code}`,
        [lost, problem(401, code)],
      ]),
    ),
    'lost, then a key that may not': [lost, problem(403, 'insufficient-scope')],
    'a fault, then the wrong credential': [problem(500, 'internal'), problem(403, 'credential-not-allowed')],
  };
  for (const [what, answers] of Object.entries(unknown)) {
    const { url, seen } = await flakyServer(t, ...answers);
    await assert.rejects(client(url, { retries: 1 }).pay(PAYMENT), ConnectionError, what);
    assert.equal(seen.length, 2, what);
  }

  const { url } = await flakyServer(t, lost, problem(429, 'rate-limited', { 'retry-after': '1' }));
  await assert.rejects(client(url, { retries: 1 }).pay(PAYMENT), (error) => {
    assert.ok(error instanceof ConnectionError && error.cause instanceof QuartersError);
    assert.deepEqual([error.cause.code, error.retryAfterSeconds], ['rate-limited', 1]);
    return true;
  });
});

test('a payment of which nothing is known is never a no after its token was renewed either', async (t) => {
  const approved = async (renew: () => Promise<string>, ...answers: (typeof lost)[]) => {
    const { url, seen } = await flakyServer(t, ...answers);
    const player = new QuartersPlayer({ url, appId: 'app', accessToken: 'old', retries: 1, renew });
    const outcome = await player.autoApprove({ id: 'r', userId: 'u' }, '0xPlayer').catch((error: Error) => error);
    assert.equal(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size, 1);
    return { outcome, tokens: seen.map(({ headers }) => headers.authorization) };
  };
  const renew = async () => 'new';
  const expired = problem(401, 'token-expired');

  const busy = await approved(renew, lost, expired, problem(503, 'overloaded'));
  assert.ok(busy.outcome instanceof ConnectionError && busy.outcome.cause instanceof QuartersError);
  assert.equal(busy.outcome.cause.code, 'overloaded');
  assert.deepEqual(busy.tokens, ['Bearer old', 'Bearer old', 'Bearer new', 'Bearer new']);

  const away = new Error('away');
  const stuck = await approved(() => Promise.reject(away), lost, expired);
  assert.ok(stuck.outcome instanceof ConnectionError);
  assert.equal(stuck.outcome.cause, away);

  const settled = await approved(renew, lost, expired, json(PAID));
  assert.deepEqual(settled.outcome, PAID);
  const refused = await approved(renew, lost, expired, problem(403, 'auto-approve-limit'));
  assert.ok(refused.outcome instanceof QuartersError && refused.outcome.code === 'auto-approve-limit');
  // Where nothing was lost before, nothing is in doubt.
  const sure = await approved(renew, expired, problem(503, 'overloaded'));
  assert.ok(sure.outcome instanceof QuartersError && sure.outcome.code === 'overloaded');
});

test('a fault after which nothing was decided is a no, and the registry says which', async (t) => {
  for (const [code, { status, ...problemOf }] of Object.entries(PROBLEMS)) {
    if (status < 500) continue;
    const { url } = await flakyServer(t, problem(status, code));
    const name = 'nothingDecided' in problemOf ? 'QuartersError' : 'ConnectionError';
    await assert.rejects(client(url, { retries: 0 }).pay(PAYMENT), { name }, code);
    await assert.rejects(client(url, { retries: 0 }).request('r'), { name: 'QuartersError', code });
  }
  const later = await flakyServer(t, lost, problem(503, 'payments-suspended', { 'retry-after': '60' }));
  await assert.rejects(client(later.url).pay(PAYMENT), { name: 'ConnectionError', retryAfterSeconds: 60 });
  assert.equal(later.seen.length, 2);
});

test('a refusal that says when to come again is tried again then, and is final all the same', async (t) => {
  const held = holdPauses(t, 5_000);
  const unconfirmed = problem(409, 'quarters-unconfirmed', { 'retry-after': '5' });
  const { url, seen } = await flakyServer(t, unconfirmed, json(PAID));
  const paid = client(url).pay(PAYMENT);
  await until('it pauses', () => held.length === 1);
  held.pop()!();
  assert.deepEqual(await paid, PAID);
  assert.equal(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size, 1);

  // What was lost before would have been answered, had it been done.
  const still = await flakyServer(t, lost, unconfirmed);
  const refused = { name: 'QuartersError', code: 'quarters-unconfirmed', retryAfterSeconds: 5 };
  await assert.rejects(client(still.url, { retries: 1 }).pay(PAYMENT), refused);
});

test('the service’s last word counts where it says what became of the call, or nothing can have been done', async (t) => {
  const refused = await flakyServer(t, lost, html(502), problem(402, 'insufficient-quarters'));
  await assert.rejects(client(refused.url).pay(PAYMENT), { name: 'QuartersError', code: 'insufficient-quarters' });
  const limited = await flakyServer(t, lost, problem(403, 'key-limit'));
  await assert.rejects(client(limited.url).pay(PAYMENT), { name: 'QuartersError', code: 'key-limit' });
  const strange = await flakyServer(t, problem(401, 'token-invalid'));
  await assert.rejects(client(strange.url).pay(PAYMENT), { name: 'QuartersError', code: 'token-invalid' });
  const busy = await flakyServer(t, problem(503, 'overloaded'));
  await assert.rejects(client(busy.url, { retries: 1 }).pay(PAYMENT), { name: 'QuartersError', code: 'overloaded' });
  const read = await flakyServer(t, lost, problem(503, 'overloaded'));
  await assert.rejects(client(read.url, { retries: 1 }).request('r'), { name: 'QuartersError', code: 'overloaded' });
  const out = await flakyServer(t, lost, problem(401, 'token-invalid'));
  await assert.rejects(client(out.url).request('r'), { name: 'QuartersError', code: 'token-invalid' });
});

test('a code is redeemed by one try, whatever comes of it', async (t) => {
  const redeemed = async (answer: typeof lost) => {
    const { url, seen } = await flakyServer(t, answer);
    const error = await new QuartersOAuth({ url, clientId: 'app' }).redeem('c').catch((error: Error) => error);
    assert.equal(seen.length, 1);
    return error;
  };
  assert.ok((await redeemed(lost)) instanceof ConnectionError);
  assert.ok((await redeemed(html(503))) instanceof ConnectionError);
  const away = await redeemed(json({ error: 'temporarily_unavailable' }, 503));
  assert.ok(away instanceof QuartersError && away.code === 'temporarily_unavailable');
});

test('it waits as long as it is told', async (t) => {
  const held = holdPauses(t, 9_000);
  for (const busy of [problem(429, 'rate-limited', { 'retry-after': '9' }), html(503, { 'retry-after': '9' })]) {
    const { url, seen } = await flakyServer(t, busy, json(PAID));
    const paid = client(url).pay(PAYMENT);
    await until('it pauses', () => held.length === 1);
    assert.equal(seen.length, 1);
    held.pop()!();
    assert.deepEqual(await paid, PAID);
    assert.equal(seen.length, 2);
  }
});

test('a limit that lasts is told at once', async (t) => {
  const { url, seen } = await flakyServer(t, problem(429, 'guest-limit', { 'retry-after': '3600' }));
  await assert.rejects(client(url).createGuest(), { code: 'guest-limit', retryAfterSeconds: 3600 });
  assert.equal(seen.length, 1);
});

test('who has no more patience is heard, in a pause too', async (t) => {
  const held = holdPauses(t, 9_000);
  const { url } = await flakyServer(t, problem(503, 'overloaded', { 'retry-after': '9' }));
  const gone = new AbortController();
  const call = client(url).request('r', { signal: gone.signal });
  const reason = new Error('the player left');
  await until('it pauses', () => held.length === 1);
  gone.abort(reason);
  await assert.rejects(call, reason);
});

test('an answer that never comes is given up', async (t) => {
  const { url } = await flakyServer(t, () => {});
  await assert.rejects(client(url, { retries: 0, timeoutMs: 50 }).request('r'), ConnectionError);
});

test('a refresh is tried again only as long as a used token is still answered', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  const tries: number[] = [];
  const late = async () => {
    tries.push(Date.now());
    t.mock.timers.tick(10_000);
    throw new Error('time is up');
  };
  const oauth = new QuartersOAuth({ url: 'https://q.example', clientId: 'app', fetch: late });
  await assert.rejects(oauth.refresh('r'), ConnectionError);
  assert.equal(tries.length, 3, tries.join());
  assert.ok(tries.at(-1)! <= 25_000, tries.join());
});

test('a credential follows no redirect', async (t) => {
  const thief = await flakyServer(t, json({}));
  const { url } = await flakyServer(t, (response) => void response.writeHead(307, { location: thief.url }).end());
  await assert.rejects(client(url, { retries: 0 }).request('r'), ConnectionError);
  assert.equal(thief.seen.length, 0);
});

test('what a proxy says is not the service’s no, and what stands in a path is one part of it', async (t) => {
  const { url, seen } = await flakyServer(t, html(404));
  await assert.rejects(client(url, { retries: 0 }).request('../apps?x=1'), {
    name: 'ConnectionError',
    message: 'GET /v1/requests/..%2Fapps%3Fx%3D1: something in between answered 404',
  });
  assert.equal(seen[0]!.url, '/v1/requests/..%2Fapps%3Fx%3D1');
});

test('a list is read page after page, as far as it is wanted', async (t) => {
  const page = (...ids: string[]) => ids.map((id) => ({ id }));
  const { url, seen } = await flakyServer(
    t,
    json({ data: page('a', 'b'), next: 'c1' }),
    json({ data: page('c'), next: 'c2' }),
    json({ data: [], next: null }),
  );
  const read: string[] = [];
  for await (const { id } of client(url).requests({ status: 'completed' })) read.push(id);
  assert.deepEqual(read, ['a', 'b', 'c']);
  assert.deepEqual(
    seen.map((call) => call.url),
    ['', '&cursor=c1', '&cursor=c2'].map((cursor) => `/v1/requests?status=completed${cursor}`),
  );

  const early = await flakyServer(t, json({ data: page('a'), next: 'more' }));
  for await (const _first of client(early.url).requests()) break;
  assert.equal(early.seen.length, 1);
});

test('an expired token is renewed once, however many calls find it so', async (t) => {
  const { url, seen } = await flakyServer(t, (response, call) =>
    (call.headers.authorization === 'Bearer new' ? json({ id: 'u' }) : problem(401, 'token-expired'))(response, call),
  );
  let renewed = 0;
  const renew = async () => {
    renewed += 1;
    return 'new';
  };
  const player = new QuartersPlayer({ url, appId: 'app', accessToken: 'old', renew });
  await Promise.all([player.me(), player.me(), player.me()]);
  await player.me();
  assert.equal(renewed, 1);
  assert.equal(seen.at(-1)!.headers.authorization, 'Bearer new');
});

test('a token that can not be renewed now can be later; one that was revoked is not renewed', async (t) => {
  const { url } = await flakyServer(t, (response, call) =>
    (call.headers.authorization === 'Bearer new' ? json({ id: 'u' }) : problem(401, 'token-expired'))(response, call),
  );
  const answers = [() => Promise.reject(new Error('away')), () => Promise.resolve('new')];
  const player = new QuartersPlayer({ url, appId: 'app', accessToken: 'old', renew: () => answers.shift()!() });
  await assert.rejects(player.me(), { message: 'away' });
  assert.deepEqual(await player.me(), { id: 'u' });

  const revoked = await flakyServer(t, problem(401, 'token-invalid'));
  const renew = () => assert.fail('it was renewed');
  const out = new QuartersPlayer({ url: revoked.url, appId: 'app', accessToken: 'old', renew });
  await assert.rejects(out.me(), { code: 'token-invalid' });
});
