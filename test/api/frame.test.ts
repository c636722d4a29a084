import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { hashSecret } from '../../src/base/secrets.ts';
import { CommitUnknown } from '../../src/db/database.ts';
import { assertInvalid, assertProblem, call } from '../kit/service/call.ts';
import { frame, never } from './bare-frame.ts';

const fails = (error: unknown) => () => Promise.reject(error);

test('an unknown path is 404, whatever its method and body', async (t) => {
  const { app } = await frame(t, never);
  for (const what of ['GET /', 'GET /nothing', 'POST /nothing', 'GET /v1', 'GET /v1/nothing', 'DELETE /v1/me/x']) {
    assertProblem(await call(app, what), 404, 'not-found');
  }
  for (const what of ['POST /nothing', 'POST /v1/nothing']) {
    assertProblem(await call(app, what, { text: '{' }), 404, 'not-found');
    assertProblem(await call(app, what, { text: 'x', headers: { 'content-type': 'text/plain' } }), 404, 'not-found');
  }
});

test('a wrong method is 405 with Allow, before credential and body', async (t) => {
  const { app } = await frame(t, never);
  for (const [what, allow] of [
    ['POST /v1/me', 'GET, HEAD'],
    ['DELETE /v1/accounts', 'GET, HEAD'],
    ['PUT /v1/accounts/0x0/balance', 'GET, HEAD'],
    ['PATCH /v1/accounts/0x0/rewards', 'GET, HEAD'],
    ['GET /v1/new-guest', 'POST'],
    ['DELETE /v1/requests', 'GET, HEAD, POST'],
    ['POST /v1/requests/1', 'GET, HEAD'],
    ['GET /v1/requests/1/autoApprove', 'POST'],
    ['GET /v1/requests/1/cancel', 'POST'],
    ['GET /v1/requests/1/refunds', 'POST'],
    ['HEAD /v1/accounts/0x0/transfer', 'POST'],
    ['GET /v1/accounts/0x0/transfers', 'POST'],
    ['POST /v1/transfers', 'GET, HEAD'],
    ['POST /v1/transfers/1', 'GET, HEAD'],
    ['POST /healthz', 'GET, HEAD'],
    ['DELETE /readyz', 'GET, HEAD'],
    ['PROPFIND /v1/me', 'GET, HEAD'],
    ['MKCOL /v1/requests', 'GET, HEAD, POST'],
  ] as const) {
    const answer = await call(app, what, what.startsWith('HEAD') ? {} : { text: '{' });
    assert.equal(answer.headers.allow, allow, what);
    if (!what.startsWith('HEAD')) assertProblem(answer, 405, 'method-not-allowed');
    else assert.equal(answer.statusCode, 405);
  }
});

test('an internal error reveals no details and is logged', async (t) => {
  const { app, errors } = await frame(t, fails(new Error('relation "apps" is gone')));
  const answer = await call(app, 'GET /v1/me?token=qa_secret', { token: 'qa_secret' });
  assertProblem(answer, 500, 'internal');
  assert.doesNotMatch(answer.body, /relation|apps/);
  assert.equal(errors.length, 1);
  assert.equal((errors[0]!.entry.err as Error).message, 'relation "apps" is gone');
  assert.equal(errors[0]!.entry.route, '/v1/me');
  assert.doesNotMatch(JSON.stringify(errors), /qa_secret/);
});

test('an unreachable database is answered with 503 and Retry-After', async (t) => {
  const { app } = await frame(t, fails(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })));
  const answer = await call(app, 'GET /v1/me', { token: 'qa_secret' });
  assertProblem(answer, 503, 'database-unavailable');
  assert.equal(answer.headers['retry-after'], '5');
});

test('a lost COMMIT is not answered as an unavailable database', async (t) => {
  const { app } = await frame(t, fails(new CommitUnknown(new Error('Connection terminated unexpectedly'))));
  const answer = await call(app, 'GET /v1/me', { token: 'qa_secret' });
  assertProblem(answer, 503, 'outcome-unknown');
  // A repeated call may take effect twice.
  assert.equal(answer.headers['retry-after'], undefined);
});

test('a response that breaks its own schema is a 500, never sent in part', async (t) => {
  const { app, errors } = await frame(t, async (text) => {
    const token = { hash: hashSecret('qa_secret'), purpose: 'access', userId: 'u', appId: 'a', idle: 0 };
    return text.includes('FROM guest_tokens') ? [{ ...token, email: '', emailVerified: false }] : [];
  });
  assertProblem(await call(app, 'GET /v1/me', { token: 'qa_secret' }), 500, 'internal');
  assert.match(String(errors[0]!.entry.err), /displayName/);
});

test('a process can be alive without being ready', async (t) => {
  const { app, settlement, readiness, decisions } = await frame(t, () => Promise.resolve([]));
  assert.deepEqual((await call(app, 'GET /healthz')).json(), { status: 'ok' });
  const ready = await call(app, 'GET /readyz');
  assert.equal(ready.statusCode, 200);
  assert.deepEqual(ready.json(), {
    status: 'ready',
    start: 'complete',
    database: 'ok',
    chain: 'ok',
    gas: 'ok',
    payments: 'ok',
  });
  settlement.gas = 'empty';
  assert.equal((await call(app, 'GET /readyz')).statusCode, 503);
  settlement.gas = 'ok';
  for (const [seen, said] of Object.entries({ unknown: 'unavailable', foreign: 'foreign', 'no-effect': 'no-effect' })) {
    readiness.chain = seen;
    const answer = await call(app, 'GET /readyz');
    assert.deepEqual([answer.statusCode, answer.json().chain], [503, said]);
  }
  readiness.chain = 'ok';
  readiness.suspended = true;
  const suspended = await call(app, 'GET /readyz');
  assert.deepEqual([suspended.statusCode, suspended.json().payments], [503, 'suspended']);
  readiness.suspended = false;
  readiness.compared = 'again';
  const compared = await call(app, 'GET /readyz');
  assert.deepEqual([compared.statusCode, compared.json().payments], [503, 'not-compared']);
  readiness.compared = 'done';
  decisions.stalled = true;
  const stalled = await call(app, 'GET /readyz');
  assert.deepEqual([stalled.statusCode, stalled.json().payments], [503, 'stalled']);

  const down = await frame(t, fails(new Error('secret host')), () => Promise.reject(new Error('secret key')));
  assert.equal((await call(down.app, 'GET /healthz')).statusCode, 200);
  const answer = await call(down.app, 'GET /readyz');
  assert.equal(answer.statusCode, 503);
  assert.deepEqual(answer.json(), {
    status: 'not-ready',
    start: 'complete',
    database: 'unavailable',
    chain: 'unavailable',
    gas: 'ok',
    payments: 'ok',
  });

  const { app: wrong } = await frame(
    t,
    () => Promise.resolve([]),
    () => Promise.resolve('0x1'),
  );
  assert.equal((await call(wrong, 'GET /readyz')).json().chain, 'foreign');
});

test('/readyz asks database and node at most once a second, however many callers there are', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const asked = { database: 0, chain: 0 };
  let answer = () => {};
  const { app } = await frame(
    t,
    () => {
      asked.database++;
      return new Promise<void>((resolve) => {
        answer = resolve;
      });
    },
    async () => {
      asked.chain++;
      return '0x7a69';
    },
  );
  const ask = (method: 'GET' | 'HEAD') => app.inject({ method, url: '/readyz' });
  const askedTimes = async (times: number) => {
    for (let turn = 0; asked.database < times; turn++) {
      assert.ok(turn < 10_000, `the database is asked ${times} times`);
      await setImmediate();
    }
  };
  await app.ready();
  const together = [ask('GET'), ask('HEAD'), ask('GET')];
  await askedTimes(1);
  // Callers share a look that takes longer than a second.
  now += 1_500;
  together.push(ask('GET'));
  for (let turn = 0; turn < 50; turn++) await setImmediate();
  answer();
  for (const { statusCode } of await Promise.all(together)) assert.equal(statusCode, 200);
  assert.deepEqual(asked, { database: 1, chain: 1 });

  const next = ask('GET');
  await askedTimes(2);
  answer();
  await next;
  now += 999;
  assert.equal((await ask('GET')).statusCode, 200);
  assert.deepEqual(asked, { database: 2, chain: 2 });
  now += 1;
  const last = ask('HEAD');
  await askedTimes(3);
  answer();
  await last;
  assert.deepEqual(asked, { database: 3, chain: 3 });
});

test('a part that does not answer counts as unavailable after two seconds', async (t) => {
  const { app } = await frame(t, never);
  const answer = await call(app, 'GET /readyz');
  assert.deepEqual(answer.json(), {
    status: 'not-ready',
    start: 'complete',
    database: 'unavailable',
    chain: 'ok',
    gas: 'ok',
    payments: 'ok',
  });
});

test('an address that is not percent-encoded UTF-8 is invalid input', async (t) => {
  const { app } = await frame(t, never);
  for (const path of ['/v1/accounts/%zz/balance', '/v1/requests/%ff', '/%']) {
    assertInvalid(await call(app, `GET ${path}`), 'path');
  }
});

test('any origin may call, without cookies', async (t) => {
  const { app } = await frame(t, never);
  const headers = {
    origin: 'https://game.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type,idempotency-key',
  };
  for (const path of ['/v1/requests', '/v1/me', '/v1/accounts/0x0/transfer', '/v1/requests/1/autoApprove']) {
    const preflight = await call(app, `OPTIONS ${path}`, { headers });
    assert.equal(preflight.statusCode, 204);
    assert.equal(preflight.headers['access-control-allow-origin'], '*');
    assert.equal(
      preflight.headers['access-control-allow-headers'],
      'authorization, content-type, idempotency-key, prefer, traceparent, tracestate, baggage, sentry-trace',
    );
    assert.match(String(preflight.headers['access-control-allow-methods']), /GET.*POST/);
    assert.equal(preflight.headers['access-control-allow-credentials'], undefined);
  }
  // Refusals have the headers too: otherwise a page cannot read the reason.
  for (const what of ['GET /v1/me', 'PUT /v1/me', 'GET /v1/nothing']) {
    const refusal = await call(app, what, { headers: { origin: 'null' } });
    assert.equal(refusal.headers['access-control-allow-origin'], '*', what);
    assert.match(String(refusal.headers['access-control-expose-headers']), /location.*retry-after/);
  }
  assert.equal((await call(app, 'GET /healthz', { headers })).headers['access-control-allow-origin'], undefined);
});

test('logs contain neither query strings nor credentials', async (t) => {
  const { app, lines } = await frame(t, fails(new Error('broken')));
  await call(app, 'GET /v1/me?firebase_token=tok-in-query', { token: 'tok-in-header' });
  await call(app, 'GET /nothing?firebase_token=tok-in-query', { token: 'tok-in-header' });
  await call(app, 'GET /%zz?firebase_token=tok-in-query', { token: 'tok-in-header' });
  assert.match(lines.join(''), /"route":"\/v1\/me"/);
  assert.doesNotMatch(lines.join(''), /tok-in/);

  // Nor anything that looks like a log line of its own.
  for (const path of [
    '/v1/requests/x%0Aforged',
    '/v1/accounts/forged%1B%5B2J/balance',
    '/forged%0D%0A',
    '/v1/me?x=%0Aforged',
  ]) {
    await call(app, `GET ${path}`, {
      token: 'forged',
      headers: { 'idempotency-key': 'forged', 'user-agent': 'forged' },
    });
  }
  assert.doesNotMatch(lines.join(''), /forged/);
});

test('ACCESS_LOG=off keeps security events and counts', async (t) => {
  const nobody = async () => [];
  const { app, lines, answers } = await frame(t, nobody, undefined, { settings: { accessLog: 'off' } });
  await call(app, 'GET /v1/me', { token: `qk_${'0'.repeat(43)}` });
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).security),
    ['credential-denied'],
  );
  const refused = answers.entries().filter(({ count }) => count > 0);
  assert.deepEqual(refused, [{ area: 'api', answer: '4xx', count: 1 }]);
});
