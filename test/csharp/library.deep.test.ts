import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { PROBLEMS } from '../../src/base/problems.ts';
import { flakyServer, html, json, lost, problem } from '../kit/unit/flaky-server.ts';
import { BAD_CREDENTIALS, KEYS } from '../kit/unit/header-values.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { UNKNOWN_OUTCOMES } from '../kit/unit/unknown-outcomes.ts';
import { until } from '../kit/unit/until.ts';
import { DRIVER, type Driver, startDriver } from './driver.ts';
import { compileWithLibrary, NO_MONO } from './mono.ts';

const PAID = { requestId: 'r', txId: 't' };
const TOKENS = { access_token: 'new', refresh_token: 'next', expires_in: 3600 };
const USER = { id: 'u', userId: 'u', displayName: '', email: '', emailVerified: false };
const CREATED = { seconds: 1769860800, nanoseconds: 0, iso: '2026-01-31T12:00:00.000Z' };
const ASKED = {
  ...{ id: 'r', tokens: 25, appId: 'app', appAddress: '0xApp', embedCode: '', description: '', type: 'transfer' },
  ...{ endpoint: '/requests/r', created: CREATED, userId: 'u' },
};
const STATE = { ...ASKED, status: 'approved', txId: null, completed: null, refunded: 0, refundOf: null };

/** The calls that a service got, by what identifies a deed. */
const keysOf = (seen: readonly { headers: Record<string, unknown> }[]) =>
  new Set(seen.map(({ headers }) => headers['idempotency-key'])).size;

describe('the C# library', { skip: NO_MONO }, () => {
  test('keeps the money rules', async (t) => {
    const folder = await scratchFolder(t);
    const program = await compileWithLibrary(folder, 'Driver.exe', DRIVER);
    const driver = startDriver(t, program);
    const pay = (url: string, more = {}) => ({ do: 'pay', url, ...more });

    await t.test('a payment whose response is lost is retried with the same key', async () => {
      const { url, seen } = await flakyServer(t, lost, problem(503, 'overloaded'), json(PAID));
      assert.equal(await driver.gives(pay(url)), 'r t');
      assert.ok(seen.length >= 3);
      assert.equal(keysOf(seen), 1);
      assert.match(String(seen[0]!.headers['idempotency-key']), /^[0-9a-f-]{36}$/);
      assert.deepEqual([...new Set(seen.map(({ body }) => body))], ['{"amount":5,"user":"u"}']);
      assert.deepEqual(
        [seen[0]!.headers.authorization, seen[0]!.headers['content-type'], seen[0]!.url],
        ['Bearer qk_secret', 'application/json; charset=utf-8', '/v1/accounts/0xApp/transfer'],
      );
    });

    await t.test('a payment with an unknown outcome never throws as refused', async () => {
      const tries = Object.entries(UNKNOWN_OUTCOMES).map(async ([what, answers]) => {
        const { url } = await flakyServer(t, ...answers);
        const { name, key } = await driver.throws(pay(url, { retries: 1, key: 'order-7' }));
        assert.deepEqual([name, key], ['OutcomeUnknownException', 'order-7'], what);
      });
      await Promise.all(tries);
      const { url } = await flakyServer(t, lost, problem(429, 'rate-limited', { 'retry-after': '1' }));
      const { cause, retryAfter } = await driver.throws(pay(url, { retries: 1 }));
      assert.deepEqual([cause, retryAfter], ['rate-limited', 1]);
    });

    await t.test('each code is an exception of its own, and only a fault that decided nothing is final', async () => {
      for (const [code, { status, ...problemOf }] of Object.entries(PROBLEMS)) {
        const { url } = await flakyServer(t, problem(status, code));
        const own = `${code.replaceAll(/(?:^|-)./g, (part) => part.at(-1)!.toUpperCase())}Exception`;
        const isFinal = status < 500 || 'nothingDecided' in problemOf;
        const paying = await driver.throws(pay(url, { retries: 0 }));
        assert.equal(paying.name, isFinal ? own : 'OutcomeUnknownException', code);
        const reading = await driver.throws({ do: 'read', url, retries: 0 });
        assert.equal(reading.name, code === 'outcome-unknown' ? 'ProblemException' : own);
        assert.deepEqual([reading.code, reading.status], [code, status]);
      }
      const { url } = await flakyServer(t, problem(418, 'teapot'));
      assert.equal((await driver.throws(pay(url))).name, 'ProblemException');
    });

    await t.test('the last response counts if it settles the call, or if nothing can have been done', async () => {
      const settled: [string, (typeof lost)[], string][] = [
        ['pay', [lost, html(502), problem(402, 'insufficient-quarters')], 'InsufficientQuartersException'],
        ['pay', [lost, problem(403, 'key-limit')], 'KeyLimitException'],
        ['pay', [problem(503, 'overloaded')], 'OverloadedException'],
        ['read', [lost, problem(503, 'overloaded')], 'OverloadedException'],
        ['read', [lost, problem(401, 'token-invalid')], 'TokenInvalidException'],
        ['read', [lost], 'ConnectionException'],
        ['read', [html(404)], 'ConnectionException'],
        ['read', [json({ ...STATE, id: undefined })], 'ConnectionException'],
      ];
      for (const [does, answers, name] of settled) {
        const { url } = await flakyServer(t, ...answers);
        assert.equal((await driver.throws({ do: does, url, retries: 2 })).name, name);
      }
    });

    await t.test('Retry-After is followed, and a long one throws at once', async () => {
      const { url, seen } = await flakyServer(
        t,
        problem(409, 'quarters-unconfirmed', { 'retry-after': '1' }),
        json(PAID),
      );
      assert.equal(await driver.gives(pay(url)), 'r t');
      assert.deepEqual([seen.length, keysOf(seen)], [2, 1]);
      const midnight = await flakyServer(t, problem(429, 'guest-limit', { 'retry-after': '3600' }));
      const { name, retryAfter } = await driver.throws({ do: 'guest', url: midnight.url });
      assert.deepEqual([name, retryAfter, midnight.seen.length], ['GuestLimitException', 3600, 1]);
    });

    await t.test('a code is redeemed in a single attempt', async () => {
      for (const [answer, name] of [
        [html(503), 'ConnectionException'],
        [json({ error: 'temporarily_unavailable' }, 503), 'ProblemException'],
      ] as const) {
        const { url, seen } = await flakyServer(t, answer);
        assert.equal((await driver.throws({ do: 'redeem', url })).name, name);
        assert.equal(seen.length, 1);
      }
    });

    await t.test('a call ends at its time limit, and by its caller in a pause', async () => {
      const silent = await flakyServer(t, () => {});
      const late = await driver.throws({ do: 'read', url: silent.url, retries: 0, timeLimitMs: 50 });
      assert.equal(late.name, 'ConnectionException');
      const busy = await flakyServer(t, problem(503, 'overloaded', { 'retry-after': '9' }));
      const left = await driver.throws({ do: 'cancel', url: busy.url });
      assert.match(left.name, /CanceledException$/);
      assert.equal(busy.seen.length, 1);
    });

    await t.test('a credential is not sent along a redirect, and a value in a path stays one segment', async () => {
      const thief = await flakyServer(t, json({}));
      const { url } = await flakyServer(t, (response) => void response.writeHead(307, { location: thief.url }).end());
      assert.equal((await driver.throws({ do: 'read', url, retries: 0 })).name, 'ConnectionException');
      assert.equal(thief.seen.length, 0);
      const read = await flakyServer(t, json(STATE));
      assert.equal(await driver.gives({ do: 'read', url: read.url, request: '../apps?x=1' }), 'approved');
      assert.equal(read.seen[0]!.url, '/v1/requests/..%2Fapps%3Fx%3D1');
      for (const request of ['', '.', '..'])
        assert.equal((await driver.throws({ do: 'read', url: read.url, request })).name, 'ArgumentException');
    });

    await t.test('an expired token is renewed once for concurrent calls', async () => {
      const { url, seen } = await flakyServer(t, (response, call) => {
        if (call.url === '/v1/oauth/token') return json(TOKENS)(response, call);
        const isNew = call.headers.authorization === 'Bearer new';
        (isNew ? json(USER) : problem(401, 'token-expired'))(response, call);
      });
      const kept = JSON.parse(await driver.gives<string>({ do: 'me', url })) as Record<string, string>;
      assert.deepEqual([kept.access, kept.refresh], ['new', 'next']);
      const renewals = seen.filter((call) => call.url === '/v1/oauth/token');
      assert.deepEqual(
        renewals.map(({ body }) => JSON.parse(body)),
        [{ grant_type: 'refresh_token', refresh_token: 'refresh', client_id: 'app' }],
      );
      // A guest has nothing to renew with.
      assert.equal((await driver.throws({ do: 'me', url, guest: true })).name, 'TokenExpiredException');
    });

    await t.test('a call that was begun as one player is not repeated as another', async () => {
      const { promise: othersTurn, resolve: otherCalls } = Promise.withResolvers<void>();
      const { url, seen } = await flakyServer(t, (response, call) => {
        if (call.headers.authorization === 'Bearer other') {
          otherCalls();
          return json(USER)(response, call);
        }
        void othersTurn.then(() => problem(401, 'token-expired')(response, call));
      });
      assert.equal((await driver.throws({ do: 'switch', url })).name, 'TokenExpiredException');
      assert.deepEqual(seen.map(({ headers }) => headers.authorization).sort(), ['Bearer old', 'Bearer other']);
    });

    await t.test('tokens that were read late do not replace those of the next player', async () => {
      const { url, seen } = await flakyServer(t, json(USER));
      assert.equal(await driver.gives({ do: 'late tokens', url }), 'other');
      assert.deepEqual(
        seen.map(({ headers }) => headers.authorization),
        ['Bearer other'],
      );
    });

    await t.test('renewed tokens that are kept late do not replace those of the next player', async () => {
      const { url } = await flakyServer(t, problem(401, 'token-expired'), json(TOKENS), json(USER));
      assert.equal(await driver.gives({ do: 'late renewal', url }), 'other other');
    });

    await t.test('a payment ends by what the service says, whatever the page answers', () =>
      payments(driver, t, folder),
    );

    await t.test('an outcome that was lost stays unknown if the token cannot be renewed', async () => {
      const account = { id: '0xA', address: '0xA', created: '', userId: 'u' };
      let approvals = 0;
      const approving = (later: typeof lost) =>
        flakyServer(t, (response, call) => {
          if (call.url === '/v1/accounts') return json([account])(response, call);
          if (call.url === '/v1/oauth/token') return later(response, call);
          (approvals++ % 2 === 0 ? lost : problem(401, 'token-expired'))(response, call);
        });
      const { url } = await approving(json({ error: 'invalid_grant' }, 400));
      const { name, cause } = await driver.throws({ do: 'approve', url });
      assert.deepEqual([name, cause], ['OutcomeUnknownException', 'invalid_grant']);
    });

    await t.test('a list fetches its pages, and an event has all of its fields', async () => {
      const event = (id: string) => ({
        ...{ id, type: 'guest.merged', timestamp: '2026-01-31T12:00:00.000Z' },
        data: { sequence: 3, of: `mine-${id}`, at: '2026-01-31T12:00:00.000Z' },
      });
      const { url, seen } = await flakyServer(
        t,
        json({ data: [event('a'), event('b')], next: 'c 1' }),
        json({ data: [], next: 'c2' }),
        json({ data: [event('c')], next: null }),
      );
      assert.deepEqual(await driver.gives({ do: 'list', url }), ['a 3 mine-a', 'b 3 mine-b', 'c 3 mine-c']);
      assert.deepEqual(
        seen.map((call) => call.url),
        ['', '&cursor=c%201', '&cursor=c2'].map((cursor) => `/v1/events?type=guest.merged${cursor}`),
      );
    });

    await t.test('a webhook is accepted as the service signs it, and nothing else is', () => webhooks(driver));
    await t.test('a page gets the answer that is its own, and a code only counts with its state', () =>
      links(driver, t),
    );
  });

  test('repeats a deed with its key after the program was killed', async (t) => {
    const folder = await scratchFolder(t);
    const program = await compileWithLibrary(folder, 'Driver.exe', DRIVER);
    const deeds = join(folder, 'deeds');
    let answer: typeof lost = () => {};
    const { url, seen } = await flakyServer(t, (response, call) => answer(response, call));
    const told = { url, folder: deeds, retries: 0 };

    const first = startDriver(t, program);
    void first.does({ ...told, do: 'pay', key: 'order-7' });
    await until('the payment is sent', () => seen.length === 1);
    await first.kill();
    assert.equal((await readdir(deeds)).length, 1);

    const second = startDriver(t, program);
    answer = problem(503, 'overloaded');
    assert.deepEqual(await second.gives({ ...told, do: 'resume' }), ['order-7 unknown']);
    // The same key is still the same payment, and an answer that says nothing of before does not settle it.
    assert.equal((await second.throws({ ...told, do: 'pay', key: 'order-7' })).name, 'OutcomeUnknownException');
    answer = json(PAID);
    assert.deepEqual(await second.gives({ ...told, do: 'resume' }), ['order-7 done']);
    assert.deepEqual([keysOf(seen), new Set(seen.map(({ body }) => body)).size], [1, 1]);
    assert.deepEqual(await readdir(deeds), []);

    await t.test('a key arrives as it is, or is refused before anything is stored or sent', async () => {
      for (const [what, [key, isSent]] of Object.entries(KEYS)) {
        const before = seen.length;
        let replies = 0;
        answer = (response, call) => (replies++ === 0 ? lost : json(PAID))(response, call);
        const call = { ...told, retries: 1, do: 'pay', key };
        if (isSent) {
          assert.equal(await second.gives(call), 'r t', what);
          const keys = new Set(seen.slice(before).map(({ headers }) => headers['idempotency-key']));
          assert.deepEqual([...keys], [key], what);
        } else {
          assert.equal((await second.throws(call)).name, 'ArgumentException', what);
          assert.equal(seen.length, before, what);
        }
        assert.deepEqual(await readdir(deeds), [], what);
      }
    });

    await t.test('the transport does not leave out a header that it cannot send', async () => {
      const before = seen.length;
      const refused = await second.throws({ do: 'transport', url, key: 'order-7\r\n' });
      assert.deepEqual([refused.name, seen.length], ['ArgumentException', before]);
      answer = json(PAID);
      assert.equal(await second.gives({ do: 'transport', url, key: 'order-7' }), 200);
    });

    await t.test('a credential that can be no header is refused before anything is stored or sent', async () => {
      const before = seen.length;
      for (const serverKey of BAD_CREDENTIALS) {
        const refused = await second.throws({ ...told, do: 'pay', serverKey });
        assert.equal(refused.name, 'ArgumentException');
        assert.ok(!refused.message.includes(serverKey.trim()), refused.message);
      }
      assert.deepEqual([seen.length, await readdir(deeds)], [before, []]);
    });

    await t.test(
      'a deed with a key of an earlier version that can never be sent leaves the store, and says so',
      async () => {
        answer = lost;
        await second.throws({ ...told, do: 'pay', key: 'order-6' });
        const [file = ''] = await readdir(deeds);
        const deed = JSON.parse(await readFile(join(deeds, file), 'utf8')) as object;
        const unsendable = JSON.stringify({ ...deed, key: 'order-6\r\n' });
        await second.gives({ ...told, do: 'keep', deed: unsendable });
        answer = json(PAID);
        const resumed = (await second.gives({ ...told, do: 'resume' })) as string[];
        assert.deepEqual(resumed.sort(), ['order-6\r\n unsendable unknown', 'order-6 done']);
        assert.deepEqual(await readdir(deeds), []);
      },
    );

    await t.test('a refusal ends it, and a key that the service has forgotten is not used again', async () => {
      answer = problem(402, 'insufficient-quarters');
      await second.throws({ ...told, do: 'pay', key: 'order-8' });
      assert.deepEqual(await readdir(deeds), []);
      answer = lost;
      await second.throws({ ...told, do: 'pay', key: 'order-9' });
      const [file = ''] = await readdir(deeds);
      const deed = JSON.parse(await readFile(join(deeds, file), 'utf8')) as object;
      await writeFile(join(deeds, file), JSON.stringify({ ...deed, begun: '2020-01-01T00:00:00Z' }));
      const before = seen.length;
      assert.deepEqual(await second.gives({ ...told, do: 'resume' }), ['order-9 unknown']);
      assert.equal((await second.throws({ ...told, do: 'pay', key: 'order-9' })).name, 'InvalidOperationException');
      assert.equal(seen.length, before);
    });

    await t.test('a payment that was asked for is found again until the game has given the goods', async () => {
      const playing = { ...told, folder: join(folder, 'player'), guest: true, do: 'unfinished' };
      const mine = {
        path: '/v1/requests',
        key: 'k',
        body: '{"tokens":25,"appId":"app"}',
        begun: new Date().toISOString(),
      };
      assert.deepEqual(await second.gives(playing), []);
      await writeFile(join(folder, 'player/0.json'), JSON.stringify({ ...mine, requestId: 'r' }));
      answer = json({ ...STATE, status: 'pending' });
      assert.deepEqual(await second.gives(playing), ['r Pending unopened']);
      let read = 0;
      answer = (...to) => json({ ...STATE, status: read++ < 2 ? 'pending' : 'approved' })(...to);
      assert.deepEqual(await second.gives({ ...playing, answer: 'com.acme.game://?requestId=r' }), ['r Paid opened']);
      assert.deepEqual(await second.gives({ ...playing, finish: true }), ['r Paid unopened']);
    });
  });
});

async function payments(driver: Driver, t: TestContext, folder: string): Promise<void> {
  const forged = 'com.acme.game://?txId=0x1&requestId=r';
  const tooFew = 'com.acme.game://?requestId=r&error=Sorry&reason=insufficient-quarters';
  const states = (...all: string[]) => all.map((status) => json({ ...STATE, status }));
  const cases: [string, unknown, (typeof lost)[], string][] = [
    ['a link', forged, states('pending', 'completed'), 'Paid - opened'],
    ['a forged link', forged, states('pending', 'pending', 'declined'), 'Declined - opened'],
    ['no answer', undefined, states('pending', 'expired'), 'Expired - closed'],
    [
      'an end that this version does not know',
      tooFew,
      states('pending', 'moon'),
      'Pending insufficient-quarters opened',
    ],
    ['a page that gave up', tooFew, states('pending'), 'Pending insufficient-quarters opened'],
    ['a page that was closed', null, states('pending', 'pending'), 'Pending closed opened'],
    ['a page that was closed after approving', null, states('pending', 'approved'), 'Paid - opened'],
    [
      'no network for a while',
      forged,
      [lost, html(502), problem(429, 'rate-limited', { 'retry-after': '60' }), ...states('approved')],
      'Paid - opened',
    ],
  ];
  const tries = cases.map(async ([what, answer, answers, result]) => {
    let read = 0;
    const { url } = await flakyServer(t, (response, call) =>
      (call.method === 'POST' ? json(ASKED, 201) : (answers[read++] ?? answers.at(-1)!))(response, call),
    );
    // `answer` is left out if it is undefined.
    assert.equal(await driver.gives({ do: 'payment', url, guest: true, answer }), result, what);
  });
  await Promise.all(tries);

  const { url, seen } = await flakyServer(t, (response, call) =>
    (call.method === 'POST' ? json(ASKED, 201) : json({ ...STATE, status: 'pending' }))(response, call),
  );
  assert.equal(await driver.gives({ do: 'payment', url, guest: true, patienceMs: 50 }), 'Pending - closed');

  // The same order again, after it was paid: nothing is asked, and no page opens.
  const order = { do: 'payment', guest: true, key: 'order-7', folder: join(folder, 'orders') };
  await driver.gives({ ...order, url, patienceMs: 50 });
  const asked = seen.length;
  const paid = await flakyServer(t, json(STATE));
  assert.equal(await driver.gives({ ...order, url: paid.url }), 'Paid - unopened');
  assert.deepEqual(new Set(paid.seen.map(({ method }) => method)), new Set(['GET']));
  assert.equal(seen.length, asked);

  const account = { id: '0xA', address: '0xA', created: '', userId: 'u' };
  const limited = await flakyServer(t, (response, call) => {
    if (call.url === '/v1/accounts') return json([account])(response, call);
    if (call.url.endsWith('/autoApprove')) return json(PAID)(response, call);
    (call.method === 'POST' ? json(ASKED, 201) : json(STATE))(response, call);
  });
  assert.equal(await driver.gives({ do: 'payment', url: limited.url, guest: true, limit: true }), 'Paid - unopened');
}

async function webhooks(driver: Driver): Promise<void> {
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const body = '{"type":"request.completed","timestamp":"2026-01-31T12:00:00.000Z","data":{"sequence":2,"name":"é"}}';
  const signed = (at = Math.floor(Date.now() / 1000), by = secret) => {
    const key = Buffer.from(by.slice('whsec_'.length), 'base64');
    const mac = createHmac('sha256', key).update(`evt_1.${at}.${body}`).digest('base64');
    return { 'webhook-id': 'evt_1', 'webhook-timestamp': String(at), 'webhook-signature': `v1,${mac}` };
  };
  const good = signed();
  const verify = (more: object = {}) => ({ do: 'webhook', body, headers: good, secrets: [secret], ...more });
  assert.equal(await driver.gives(verify()), 'request.completed evt_1 2026-01-31T12:00:00.0000000+00:00');
  const other = `whsec_${randomBytes(24).toString('base64')}`;
  await driver.gives(verify({ secrets: [other, secret] }));
  const both = `${signed(undefined, other)['webhook-signature']} ${good['webhook-signature']}`;
  await driver.gives(verify({ headers: { ...good, 'webhook-signature': both } }));
  const now = Math.floor(Date.now() / 1000);
  for (const wrong of [
    { body: body.replace('completed', 'failed') },
    { headers: { ...good, 'webhook-id': 'evt_2' } },
    { headers: { ...good, 'webhook-timestamp': String(now - 1) } },
    { secrets: [other] },
    { secrets: [] },
    { headers: signed(now - 400) },
    { headers: signed(now + 400) },
    { headers: { ...good, 'webhook-signature': 'v1,***' } },
    { headers: { ...good, 'webhook-signature': good['webhook-signature'].replace('v1,', 'v1a,') } },
    { headers: {} },
  ])
    assert.equal((await driver.throws(verify(wrong))).name, 'VerificationException', JSON.stringify(wrong));
}

async function links(driver: Driver, t: TestContext): Promise<void> {
  type Links = { opened: string[]; answers: boolean[]; kept: { state: string; verifier: string; redirect: string } };
  const { opened, answers, kept } = await driver.gives<Links>({ do: 'links' });
  assert.deepEqual(answers, [false, false, true, true]);
  const [signUp, signIn] = opened.map((address) => Object.fromEntries(new URL(address).searchParams));
  const pages = opened.map((address) => new URL(address).pathname);
  assert.deepEqual(pages, ['/guest', '/oauth/authorize']);
  const challenge = /^[\w-]{43}$/;
  assert.match(signUp!.code_challenge!, challenge);
  assert.deepEqual(
    [signUp!.token, signUp!.redirect_uri, signUp!.inline, signUp!.locale],
    ['qa_1', 'com.acme.game://', 'true', 'pt-BR'],
  );
  assert.match(signIn!.code_challenge!, challenge);
  assert.notEqual(signIn!.code_challenge, kept.verifier);
  assert.deepEqual([signIn!.scope, signIn!.ui_locales, signIn!.state], ['openid wallet', 'pt-BR', kept.state]);

  const { url, seen } = await flakyServer(t, json(TOKENS));
  const back = (query: string) => ({
    do: 'sign-in',
    url,
    attempt: JSON.stringify(kept),
    link: `com.acme.game://?${query}`,
  });
  assert.equal((await driver.throws(back('code=c&state=forged'))).name, 'VerificationException');
  assert.equal(
    (await driver.throws(back(`code=c&state=${kept.state}&iss=https://evil.example`))).name,
    'VerificationException',
  );
  assert.equal((await driver.throws(back(`error=access_denied&state=${kept.state}`))).code, 'access_denied');
  assert.equal(seen.length, 0);
  assert.equal(await driver.gives(back(`code=c&state=${kept.state}&iss=${encodeURIComponent(url)}`)), 'new');
  assert.deepEqual(JSON.parse(seen[0]!.body), {
    ...{ grant_type: 'authorization_code', code: 'c', code_verifier: kept.verifier },
    ...{ redirect_uri: 'com.acme.game://', client_id: 'app' },
  });
}
