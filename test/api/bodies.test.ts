import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertInvalid, assertNothingMoves, assertProblem, call } from '../kit/service/call.ts';
import { sharedService } from '../kit/service/shared-service.ts';

test('request bodies', async (t) => {
  const { app, createApp, createGuest, service } = await sharedService(t);
  const game = await createApp();
  const guest = await createGuest(game);
  const token = guest.accessToken;
  const asking = { tokens: 1, appId: game.id };
  const ask = (options: Parameters<typeof call>[2]) => call(app, 'POST /v1/requests', { token, ...options });
  const withType = (contentType: string, text = JSON.stringify(asking)) =>
    ask({ text, headers: { 'content-type': contentType } });

  await t.test('broken JSON is refused as malformed', () =>
    assertNothingMoves(service, async () => {
      for (const text of [
        '{',
        '{"tokens":1',
        "{'tokens':1}",
        '{"tokens":1,}',
        'tokens=1',
        '\u0000',
        ' ',
        '{"a":NaN}',
      ]) {
        assertProblem(await ask({ text }), 400, 'malformed-json');
      }
      assertProblem(await ask({ text: Buffer.from([0x22, 0xff, 0x22]) }), 400, 'malformed-json');
    }),
  );

  await t.test('deeply nested JSON is refused', () =>
    assertNothingMoves(service, async () => {
      assertProblem(await ask({ text: '['.repeat(16_384) }), 400, 'malformed-json');
      for (const text of ['['.repeat(8_192) + ']'.repeat(8_192), `${'{"a":'.repeat(2_700)}1${'}'.repeat(2_700)}`]) {
        assert.equal((await ask({ text })).statusCode, 400);
      }
      assert.equal((await call(app, 'GET /healthz')).statusCode, 200);
    }),
  );

  await t.test('keys that reach into prototypes are refused', () =>
    assertNothingMoves(service, async () => {
      for (const key of ['"__proto__":{"x":1}', '"\\u005f_proto__":1', '"constructor":{"prototype":{}}']) {
        assertProblem(await ask({ text: `{"tokens":1,"appId":"${game.id}",${key}}` }), 400, 'malformed-json');
      }
    }),
  );

  await t.test('JSON other than an object is refused', () =>
    assertNothingMoves(service, async () => {
      for (const text of ['[]', 'null', '1', '"{}"', 'true', '']) assertInvalid(await ask({ text }), '');
      assertInvalid(await ask({}), '');
    }),
  );

  await t.test('the first fifty faults of a body are named, and one with too many values is refused as a whole', () =>
    assertNothingMoves(service, async () => {
      const pay = (transfers: string) =>
        call(app, `POST /v1/accounts/${game.address}/transfers`, {
          token: game.serverKey,
          text: `{"transfers":[${transfers}]}`,
        });
      const lines = (count: number) => Array.from({ length: count }, () => '{"amount":0}').join();
      const named = (answer: Awaited<ReturnType<typeof pay>>) =>
        answer.json().errors.map(({ pointer }: { pointer: string }) => pointer);
      assert.deepEqual(named(await pay(lines(2))), ['/transfers/0/amount', '/transfers/1/amount']);
      const many = await pay(lines(1_000));
      assert.equal(named(many).length, 50);
      assert.match(many.json().message, /; and 950 more faults\.$/);
      assert.deepEqual(named(await pay(lines(1_001))).slice(0, 1), ['/transfers']);
      for (const body of [
        lines(4_000),
        '1,'.repeat(100_000) + 1,
        `[${'['.repeat(500)}${']'.repeat(500)}],${'1,'.repeat(9_000)}1`,
      ]) {
        const answer = await pay(body);
        assertInvalid(answer, '');
        assert.match(answer.json().message, /more than 8000 values/);
      }
    }),
  );

  await t.test('a body that is too large is refused with 413', () =>
    assertNothingMoves(service, async () => {
      const text = JSON.stringify({ ...asking, extra: 'x'.repeat(16_384) });
      assertProblem(await ask({ text }), 413, 'body-too-large');
      assertProblem(await withType('text/plain', text), 413, 'body-too-large');
    }),
  );

  await t.test('another content type is refused with 415', () =>
    assertNothingMoves(service, async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/json', 'application/xml', 'json']) {
        assertProblem(await withType(type), 415, 'unsupported-media-type');
      }
      const untyped = await ask({ text: '{}', headers: { 'content-type': '' } });
      assertProblem(untyped, 415, 'unsupported-media-type');
    }),
  );

  await t.test('a compressed body is refused with 415, which names its header', async () => {
    for (const coding of ['gzip', 'br', 'x-unknown']) {
      const refused = await ask({ body: asking, headers: { 'content-encoding': coding } });
      const { detail } = assertProblem(refused, 415, 'unsupported-media-type');
      assert.match(detail, /Content-Encoding/);
      assert.equal(refused.headers['accept-encoding'], 'identity');
    }
    assert.equal((await ask({ body: asking, headers: { 'content-encoding': 'identity' } })).statusCode, 201);
  });

  await t.test('what serializers write for nothing is absent', async () => {
    const shown = async (body: object) => {
      const { tokens, appId, userId, description } = (await ask({ body })).json();
      return { tokens, appId, userId, description };
    };
    const nothing = { userId: '', description: '', expiresIn: 0 };
    assert.deepEqual(await shown({ ...asking, ...nothing }), await shown(asking));
    const empty = { userId: null, description: null, expiresIn: null };
    assert.equal((await ask({ body: { ...asking, ...empty } })).statusCode, 201);
    const missing = assertInvalid(await ask({ body: { tokens: null, appId: '' } }), '/tokens', '/appId');
    assert.equal(missing.detail, 'tokens is required; appId is required.');
    // A required number is not left out by writing 0.
    assertInvalid(await ask({ body: { ...asking, tokens: 0 } }), '/tokens');

    const pay = (body: object, path = 'transfer') =>
      call(app, `POST /v1/accounts/${game.address}/${path}`, { token: game.serverKey, body });
    for (const none of ['', null]) {
      assertProblem(await pay({ amount: 1, user: guest.userId, address: none }), 402, 'insufficient-quarters');
      assertInvalid(await pay({ amount: 1, user: none, address: none }), '');
      const { transfers } = (
        await pay({ transfers: [{ amount: 1, user: guest.userId, address: none, reference: none }] }, 'transfers')
      ).json();
      assert.deepEqual(Object.keys(transfers[0]), ['error']);
      assert.equal(transfers[0].error.code, 'insufficient-quarters');
    }
  });

  await t.test('JSON content types are accepted', async () => {
    for (const type of ['application/json', 'application/json;charset=UTF-8', 'Application/JSON; charset=utf-8']) {
      assert.equal((await withType(type)).statusCode, 201, type);
    }
  });

  await t.test('every fault is named with its place', async () => {
    assertInvalid(await ask({ body: {} }), '/tokens', '/appId');
    assertInvalid(await ask({ body: { tokens: '1', appId: 7, description: 7 } }), '/tokens', '/appId', '/description');
    assertInvalid(await ask({ body: { ...asking, description: 'x'.repeat(281) } }), '/description');
    for (const description of ['a\u0000b', '\ud800', 'a\udfffb', '\udc00\ud800']) {
      assertInvalid(await ask({ body: { ...asking, description } }), '/description');
    }
  });

  await t.test('unknown fields are ignored', async () => {
    const body = { ...asking, amount: 'x', 'extra/field': { deep: [1.5, null] }, toString: 1 };
    assert.equal((await ask({ body })).statusCode, 201);
  });

  await t.test('a description may have 280 characters, however they are encoded', async () => {
    for (const description of ['x'.repeat(280), '😀'.repeat(280), '<script>alert(1)</script>', '']) {
      assert.equal((await ask({ body: { ...asking, description } })).json().description, description);
    }
  });

  await t.test('new-guest accepts no body, an empty body and an object', async () => {
    const guests = (options: Parameters<typeof call>[2]) =>
      call(app, 'POST /v1/new-guest', { token: game.serverKey, ...options });
    for (const options of [
      {},
      { headers: { 'content-type': 'application/json;charset=UTF-8' } },
      { text: '', headers: { 'content-length': '0' } },
      { text: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      { text: '{}' },
      { body: { name: 'ignored' } },
    ]) {
      assert.equal((await guests(options)).statusCode, 201, JSON.stringify(options));
    }
    await assertNothingMoves(service, async () => {
      for (const text of ['[]', '1', '"x"']) assertInvalid(await guests({ text }), '');
      assertProblem(await guests({ text: '{' }), 400, 'malformed-json');
      const typed = await guests({ text: 'a=1', headers: { 'content-type': 'text/plain' } });
      assertProblem(typed, 415, 'unsupported-media-type');
    });
  });
});
