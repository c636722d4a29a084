import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { tokenBuckets } from '../../src/base/token-buckets.ts';
import { revokeGuestTokens } from '../../src/identity/guest-tokens.ts';
import type { Service } from '../../src/service/service.ts';
import { assertProblem, call } from '../kit/service/call.ts';
import { startSecondService } from '../kit/service/second-service.ts';
import { startTestService } from '../kit/service/service.ts';
import { until } from '../kit/unit/until.ts';

const LIMIT = 20;
const FROM = (address: string) => ({ 'x-forwarded-for': address });

const limitsOf = ({ headers }: LightMyRequestResponse) => `${headers['ratelimit-policy']} ${headers.ratelimit}`;

/** Rate limits at a moment that does not pass. */
function stopClock(service: Service): void {
  const limit = () =>
    tokenBuckets({ perSecond: LIMIT, processes: () => service.settlement.processes, seconds: () => 0 });
  Object.assign(service, { rateLimits: { credentials: limit(), addresses: limit() } });
}

test('calls a second are limited by credential, or by address without a valid one', async (t) => {
  const s = await startTestService(t, {
    env: { RATE_LIMIT_PER_SECOND: `${LIMIT}`, RATE_LIMIT_PER_ADDRESS: `${LIMIT}`, TRUST_PROXY: '1' },
  });
  const { app, service } = s;
  const game = await s.createApp();
  const guest = await s.createGuest(game);
  let place = 0;
  const newPlace = () => `203.0.113.${++place}`;
  const me = (token: string, from: string, on = app) => call(on, 'GET /v1/me', { token, headers: FROM(from) });
  /** Sends calls at once. Returns how many were let through. */
  const flood = async (count: number, send: (i: number) => Promise<LightMyRequestResponse>) => {
    const answers = await Promise.all(Array.from({ length: count }, (_, i) => send(i)));
    return answers.filter(({ statusCode }) => statusCode !== 429).length;
  };
  const usedUp = async () => {
    const from = newPlace();
    await flood(LIMIT, () => me('no token', from));
    return from;
  };

  assert.equal(limitsOf(await me(guest.accessToken, newPlace())), '"default";q=20;w=1 "default";r=19;t=1');
  assert.equal(limitsOf(await me('no token', newPlace())), '"address";q=20;w=1 "address";r=19;t=1');
  stopClock(service);

  await t.test('a credential is limited from all addresses together, and others are not affected', async () => {
    assert.equal(await flood(3 * LIMIT, () => me(guest.accessToken, newPlace())), LIMIT);
    const refused = await me(guest.accessToken, newPlace());
    assertProblem(refused, 429, 'rate-limited');
    assert.equal(refused.headers['retry-after'], '1');
    assert.equal(limitsOf(refused), '"default";q=20;w=1 "default";r=0;t=1');
    assert.equal((await me((await s.createGuest(game)).accessToken, newPlace())).statusCode, 200);
  });

  await t.test('a credential is limited however its header is spelled', async () => {
    const { accessToken } = await s.createGuest(game);
    const spelled = (i: number) => `${i % 2 ? 'Bearer' : 'bearer'}${' '.repeat(i + 1)}${accessToken}`;
    const send = (i: number) =>
      call(app, 'GET /v1/me', { headers: { ...FROM(newPlace()), authorization: spelled(i) } });
    assert.equal((await send(0)).statusCode, 200);
    assert.equal(await flood(2 * LIMIT, send), LIMIT - 1);
  });

  await t.test('every route is under a limit, with methods that it does not have too', async () => {
    const from = await usedUp();
    const probes = ['/healthz', '/readyz', '/metrics'];
    let tried = 0;
    for (const url of new Set(['/nothing', ...s.routes.map((route) => route.url)])) {
      if (probes.includes(url) || url.startsWith('/assets/')) continue;
      const own = s.routes.filter((route) => route.url === url).flatMap(({ method }) => method);
      for (const method of new Set([...own, 'PURGE'])) {
        if (method === 'OPTIONS') continue;
        const answer = await call(app, `${method} ${url.replaceAll(/:\w+/g, 'x')}`, { headers: FROM(from) });
        assert.equal(answer.statusCode, 429, `${method} ${url}`);
        tried++;
      }
    }
    assert.ok(tried > 300, `${tried} tried`);
    for (const url of probes) {
      const probe = () => call(app, `GET ${url}`, { headers: FROM(from) });
      assert.notEqual(
        (await probe()).statusCode,
        429,
        `what others at this address use up does not end a process: ${url}`,
      );
    }
    assert.equal(
      await flood(2 * LIMIT, () => call(app, 'GET /healthz', { headers: FROM(from) })),
      LIMIT - probes.length,
    );
    const assets = new Set(s.routes.map(({ url }) => url).filter((url) => url.startsWith('/assets/')));
    assert.ok(assets.size > 10);
    for (const url of assets)
      assert.equal(await flood(2 * LIMIT, () => call(app, `GET ${url}`, { headers: FROM(from) })), LIMIT, url);
    assert.equal(await flood(2 * LIMIT, () => call(app, 'OPTIONS /v1/me', { headers: FROM(from) })), LIMIT);
    for (const { url } of s.routes.filter(({ method }) => [method].flat().includes('OPTIONS'))) {
      const answer = await call(app, `OPTIONS ${url.replace('*', 'me')}`, { headers: FROM(from) });
      assert.equal(answer.statusCode, 429, `OPTIONS ${url}`);
    }
  });

  await t.test('calls without a valid credential count by address, and are not looked up over the limit', async () => {
    for (const [what, token] of [
      ['GET /v1/me', undefined],
      ['GET /v1/me', 'no token'],
      ['GET /v1/me', `qa_${'x'.repeat(43)}`],
      ['GET /v1/nothing', undefined],
      ['DELETE /v1/me', undefined],
    ] as const) {
      const from = newPlace();
      const send = () => call(app, what, { ...(token && { token }), headers: FROM(from) });
      const first = await send();
      assert.ok([401, 404, 405].includes(first.statusCode), first.body);
      assert.equal(limitsOf(first), '"address";q=20;w=1 "address";r=19;t=1', what);
      assert.equal(await flood(2 * LIMIT, send), LIMIT - 1, what);
    }
    const good = await s.createGuest(game);
    assertProblem(await me(good.accessToken, `203.0.113.${place}`), 429, 'rate-limited');
  });

  await t.test('a known credential works from an exhausted address until it is revoked', async () => {
    const from = newPlace();
    const known = await s.createGuest(game);
    assert.equal((await me(known.accessToken, from)).statusCode, 200);
    assert.equal(await flood(2 * LIMIT, () => me('no token', from)), LIMIT, 'its own call did not count there');
    assert.equal((await me(known.accessToken, from)).statusCode, 200);
    await revokeGuestTokens(service.db, known.userId);
    assertProblem(await me(known.accessToken, newPlace()), 401, 'token-invalid');
    assert.match(limitsOf(await me(known.accessToken, newPlace())), /"address"/);
  });

  await t.test('IPv6 addresses count by /64', async () => {
    assert.equal(await flood(2 * LIMIT, (i) => me('no token', `2001:db8:1:2::${i + 1}`)), LIMIT);
    assertProblem(await me('no token', '2001:db8:1:3::1'), 401, 'token-invalid');
  });

  await t.test('preflights and health are limited apart, and browsers may read the limit headers', async () => {
    const from = await usedUp();
    const origin = 'https://game.example';
    const preflight = await call(app, 'OPTIONS /v1/me', {
      headers: { ...FROM(from), origin, 'access-control-request-method': 'GET' },
    });
    assert.equal(preflight.statusCode, 204);
    for (const path of ['/healthz', '/readyz']) {
      assert.equal((await call(app, `GET ${path}`, { headers: FROM(from) })).statusCode, 200);
    }
    const refused = await call(app, 'GET /v1/me', { headers: { ...FROM(from), origin } });
    assert.equal(refused.statusCode, 429);
    assert.equal(refused.headers['access-control-allow-origin'], '*');
    assert.match(String(refused.headers['access-control-expose-headers']), /ratelimit, ratelimit-policy/);
  });

  await t.test('pages and the token endpoint count by address, and refuse in their own form', async () => {
    const from = await usedUp();
    const page = await call(app, 'GET /sign-in', { headers: { ...FROM(from), accept: 'text/html' } });
    assert.deepEqual([page.statusCode, page.headers['retry-after']], [429, '1']);
    assert.match(page.body, /<h1>Too many attempts<\/h1>/);
    const script = await call(app, 'POST /passkeys/sign-in', { body: {}, headers: FROM(from) });
    assert.deepEqual([script.statusCode, script.headers['cache-control']], [429, 'no-store']);
    for (const path of ['/docs', '/docs/guides/api', '/docs/search?q=a', '/docs/search.json', '/openapi.json']) {
      assert.equal((await call(app, `GET ${path}`, { headers: FROM(from) })).statusCode, 429, path);
      const first = await call(app, `GET ${path}`, { headers: FROM(newPlace()) });
      assert.deepEqual([first.statusCode, limitsOf(first)], [200, '"address";q=20;w=1 "address";r=19;t=1'], path);
    }
    for (const path of ['/oauth/token', '/v1/oauth/token']) {
      const answer = await call(app, `POST ${path}`, { body: {}, headers: FROM(from) });
      assert.deepEqual([answer.statusCode, answer.json().error], [429, 'temporarily_unavailable']);
      assert.equal(answer.headers['retry-after'], '1');
      assert.equal((await call(app, `POST ${path}`, { body: {}, headers: FROM(newPlace()) })).statusCode, 400);
    }
  });

  await t.test('two processes share the limit, and a single one has all of it', async (t) => {
    const everybody = (on: readonly (typeof app)[], token: string) =>
      flood(4 * LIMIT, (i) => me(token, newPlace(), on[i % on.length]));
    await t.test('with two processes, each has half the limit', async (t) => {
      const second = await startSecondService(t, s, { works: true });
      assert.equal(second.service.settlement.processes, 2, 'who comes later knows at once');
      await until('the first one knows', () => service.settlement.processes === 2);
      stopClock(second.service);
      assert.equal(await everybody([app, second.app], (await s.createGuest(game)).accessToken), LIMIT);
    });
    await until('one is alone', () => service.settlement.processes === 1);
    assert.equal(await everybody([app], (await s.createGuest(game)).accessToken), LIMIT);
  });
});
