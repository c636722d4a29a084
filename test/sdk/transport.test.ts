import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ConnectionError, QuartersError, QuartersOAuth, QuartersPlayer, QuartersServer } from '../../sdk/src/index.ts';
import { PROBLEMS } from '../../src/base/problems.ts';
import { flakyServer, html, json, lost, problem } from '../kit/unit/flaky-server.ts';
import { BAD_CREDENTIALS, KEYS } from '../kit/unit/header-values.ts';
import { UNKNOWN_OUTCOMES } from '../kit/unit/unknown-outcomes.ts';
import { until } from '../kit/unit/until.ts';

const PAID = { requestId: 'r', txId: 't' };
const PAYMENT = { user: 'u', amount: 5 };

/** `timeoutMs`: far more than the busiest machine needs, so that each attempt gets its response. */
const client = (url: string, options = {}) =>
  new QuartersServer({ url, serverKey: 'qk_secret', appAddress: '0xApp', timeoutMs: 5 * 60_000, ...options });

/**
 * Pauses of this length last until the test ends them by calling the returned functions. All other timers run normally, as
 * `fetch` needs them. The length must be one that no loop of the process's service pauses for, which would be held, too. What is random
 * is at its middle.
 */
function holdPauses(t: TestContext, milliseconds: number): (() => void)[] {
  const { setTimeout } = globalThis;
  t.mock.method(Math, 'random', () => 0.5);
  const held: (() => void)[] = [];
  const holding = (work: () => void, ms?: number, ...more: []) => {
    if (ms !== milliseconds) return setTimeout(work, ms, ...more);
    held.push(work);
  };
  t.mock.method(globalThis, 'setTimeout', holding as typeof setTimeout);
  return held;
}

test('a payment whose response is lost is retried with the same key', async (t) => {
  const { url, seen } = await flakyServer(t, lost, problem(503, 'overloaded'), json(PAID));
  assert.deepEqual(await client(url).pay(PAYMENT), PAID);
  assert.equal(seen.length, 3);
  const keys = new Set(seen.map(({ headers }) => headers['idempotency-key']));
  assert.equal(keys.size, 1);
  assert.match([...keys][0] as string, /^[0-9a-f-]{36}$/);
  assert.deepEqual(new Set(seen.map(({ body }) => body)), new Set([JSON.stringify(PAYMENT)]));
  assert.equal(seen[0]!.headers.authorization, 'Bearer qk_secret');
});

test('each payment has its own key, and a given key is used', async (t) => {
  const { url, seen } = await flakyServer(t, json(PAID));
  await client(url).pay(PAYMENT);
  await client(url).pay(PAYMENT);
  await client(url).pay(PAYMENT, { idempotencyKey: 'order-7' });
  const keys = seen.map(({ headers }) => headers['idempotency-key']);
  assert.equal(new Set(keys).size, 3);
  assert.equal(keys[2], 'order-7');
});

test('a key arrives as it is, or is refused before anything is sent', async (t) => {
  const { url, seen } = await flakyServer(t, lost, json(PAID));
  for (const [what, [idempotencyKey, isSent]] of Object.entries(KEYS)) {
    const before = seen.length;
    const paying = client(url, { retries: 1 }).pay(PAYMENT, { idempotencyKey });
    if (isSent) {
      assert.deepEqual(await paying, PAID, what);
      const keys = new Set(seen.slice(before).map(({ headers }) => headers['idempotency-key']));
      assert.deepEqual([...keys], [idempotencyKey], what);
    } else {
      await assert.rejects(paying, { name: 'TypeError', message: /idempotencyKey/ }, what);
      assert.equal(seen.length, before, what);
    }
  }
});

test('a credential that can be no header is refused before anything is sent, and is not repeated', async (t) => {
  const { url, seen } = await flakyServer(t, json(PAID));
  for (const serverKey of BAD_CREDENTIALS) {
    await assert.rejects(client(url, { serverKey }).pay(PAYMENT), (error: Error) => {
      assert.equal(error.name, 'TypeError');
      assert.ok(!error.message.includes(serverKey.trim()), error.message);
      return true;
    });
  }
  assert.equal(seen.length, 0);
});

test('a refusal is final and has the problem’s code', async (t) => {
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

test('after the last retry a call rejects with the last error', async (t) => {
  const busy = await flakyServer(t, problem(503, 'overloaded'));
  await assert.rejects(client(busy.url, { retries: 2 }).request('r'), { code: 'overloaded' });
  assert.equal(busy.seen.length, 3);
  const dead = await flakyServer(t, lost);
  await assert.rejects(client(dead.url, { retries: 1 }).request('r'), ConnectionError);
  assert.equal(dead.seen.length, 2);
});

test('a payment with an unknown outcome never rejects as refused', async (t) => {
  for (const [what, answers] of Object.entries(UNKNOWN_OUTCOMES)) {
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

test('a payment with an unknown outcome never rejects as refused, even after a token renewal', async (t) => {
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
  // If no response was lost before, the outcome is certain.
  const sure = await approved(renew, expired, problem(503, 'overloaded'));
  assert.ok(sure.outcome instanceof QuartersError && sure.outcome.code === 'overloaded');
});

test('a fault after which nothing was accepted is final, and the registry lists these', async (t) => {
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

test('a refusal with Retry-After is retried then, and is final in the end', async (t) => {
  const held = holdPauses(t, 7_500);
  const unconfirmed = problem(409, 'quarters-unconfirmed', { 'retry-after': '7' });
  const { url, seen } = await flakyServer(t, unconfirmed, json(PAID));
  const paid = client(url).pay(PAYMENT);
  await until('it pauses', () => held.length === 1);
  held.pop()!();
  assert.deepEqual(await paid, PAID);
  assert.equal(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size, 1);

  // If the lost attempt had succeeded, this call would have got its response.
  const still = await flakyServer(t, lost, unconfirmed);
  const refused = { name: 'QuartersError', code: 'quarters-unconfirmed', retryAfterSeconds: 7 };
  await assert.rejects(client(still.url, { retries: 1 }).pay(PAYMENT), refused);
});

test('the last response counts if it settles the call, or if nothing can have been done', async (t) => {
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

test('a code is redeemed in a single attempt', async (t) => {
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

test('a retry waits as long as Retry-After says, and a random part of a second', async (t) => {
  const held = holdPauses(t, 9_500);
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

test('a long Retry-After rejects at once', async (t) => {
  const { url, seen } = await flakyServer(t, problem(429, 'guest-limit', { 'retry-after': '3600' }));
  await assert.rejects(client(url).createGuest(), { code: 'guest-limit', retryAfterSeconds: 3600 });
  assert.equal(seen.length, 1);
});

test('a signal ends a call, even in a pause', async (t) => {
  const held = holdPauses(t, 9_500);
  const { url } = await flakyServer(t, problem(503, 'overloaded', { 'retry-after': '9' }));
  const gone = new AbortController();
  const call = client(url).request('r', { signal: gone.signal });
  const reason = new Error('the player left');
  await until('it pauses', () => held.length === 1);
  gone.abort(reason);
  await assert.rejects(call, reason);
});

test('a response that never comes times out', async (t) => {
  const { url } = await flakyServer(t, () => {});
  await assert.rejects(client(url, { retries: 0, timeoutMs: 50 }).request('r'), ConnectionError);
});

test('a refresh is retried only while a used token is still accepted', async (t) => {
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

test('a credential is not sent along a redirect', async (t) => {
  const thief = await flakyServer(t, json({}));
  const { url } = await flakyServer(t, (response) => void response.writeHead(307, { location: thief.url }).end());
  await assert.rejects(client(url, { retries: 0 }).request('r'), ConnectionError);
  assert.equal(thief.seen.length, 0);
});

test('a proxy’s error is not a refusal, and a value in a path stays one segment', async (t) => {
  const { url, seen } = await flakyServer(t, html(404));
  await assert.rejects(client(url, { retries: 0 }).request('../apps?x=1'), {
    name: 'ConnectionError',
    message: 'GET /v1/requests/..%2Fapps%3Fx%3D1: something in between answered 404',
  });
  assert.equal(seen[0]!.url, '/v1/requests/..%2Fapps%3Fx%3D1');
});

test('a list fetches pages only as needed', async (t) => {
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

test('an expired token is renewed once for concurrent calls', async (t) => {
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

test('a failed renewal can be repeated, and a revoked token is not renewed', async (t) => {
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
