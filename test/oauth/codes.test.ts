import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forgetOldRecords, hashId } from '../../src/oauth/records.ts';
import { insertCode } from '../../src/oauth/tokens.ts';
import { authorizeUrl, CALLBACK, type Client, pkce, redemption, sharedWorld } from '../kit/service/oauth-world.ts';
import { changeRecords, expireRecords } from '../rows/oauth.ts';
import { earlier } from '../rows/times.ts';

test('authorization codes', async (t) => {
  const world = await sharedWorld(t);
  const { db } = world.service;
  const client = await world.createClient();
  const publicClient: Client = {
    id: (await world.createApp({ publicClient: true, redirectUris: [CALLBACK] })).id,
    secret: '',
  };
  const userId = await world.createUser();
  const browser = await world.browser(userId);
  const newCode = async (parameters: Record<string, string> = {}, of: Client = client) =>
    (await world.authorize(browser, of, parameters)).get('code')!;
  const meStatus = async (token: string) =>
    (await fetch(`${world.origin}/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status;

  await t.test('of several concurrent redemptions of a code exactly one succeeds', async () => {
    for (let round = 0; round < 5; round++) {
      const body = redemption(client, await newCode());
      const answers = await Promise.all([1, 2, 3, 4].map((n) => world.token(body, { json: n % 2 === 0 })));
      const won = answers.filter(({ status }) => status === 200);
      assert.equal(won.length, 1, JSON.stringify(answers.map(({ body: answer }) => answer)));
      for (const { status, body: answer } of answers) {
        if (status !== 200) assert.deepEqual([status, answer.error], [400, 'invalid_grant']);
      }
    }
  });

  await t.test('a replayed code revokes all tokens issued from it, and no others', async () => {
    const others = (await world.token(redemption(client, await newCode()))).body;
    const body = redemption(client, await newCode());
    const { body: tokens } = await world.token(body);
    assert.equal(await meStatus(tokens.access_token!), 200);
    assert.equal((await world.token(body)).body.error, 'invalid_grant');
    assert.equal(await meStatus(tokens.access_token!), 401);
    const refresh = { ...body, grant_type: 'refresh_token', refresh_token: tokens.refresh_token! };
    assert.equal((await world.token(refresh)).body.error, 'invalid_grant');
    assert.equal(await meStatus(others.access_token!), 200);
  });

  await t.test('a code replayed a month later still revokes its tokens', async () => {
    const code = await newCode();
    const { body: tokens } = await world.token(redemption(client, code));
    await changeRecords(db, { hash: hashId(code) }, { expiresAt: earlier('expiresAt', '29 days') });
    await forgetOldRecords(db, 1000);
    assert.equal((await world.token(redemption(client, code))).body.error, 'invalid_grant');
    assert.equal(await meStatus(tokens.access_token!), 401);
  });

  await t.test('an expired code is refused', async () => {
    const code = await newCode();
    const [row] = await db.query<{ seconds: number }>(
      `SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM oauth_records WHERE hash = $1`,
      [hashId(code)],
    );
    assert.ok(row!.seconds <= 60 && row!.seconds >= 58, `${row!.seconds}`);
    await expireRecords(db, { hash: hashId(code) });
    assert.equal((await world.token(redemption(client, code))).body.error, 'invalid_grant');
  });

  await t.test('PKCE: a code requested with a challenge needs its verifier', async () => {
    const { verifier, challenge } = pkce();
    const code = await newCode(challenge);
    for (const code_verifier of [undefined, '', pkce().verifier, challenge.code_challenge, `${verifier}x`, 'short']) {
      const body = redemption(client, code);
      const { status } = await world.token(code_verifier === undefined ? body : { ...body, code_verifier });
      assert.equal(status, 400, `${code_verifier}`);
    }
    assert.equal((await world.token({ ...redemption(client, code), code_verifier: verifier })).status, 200);
    // A verifier for a code without challenge: somebody put another's code into this client's hands.
    const unbound = await newCode();
    assert.equal(
      (await world.token({ ...redemption(client, unbound), code_verifier: verifier })).body.error,
      'invalid_grant',
    );
  });

  await t.test('PKCE: a missing, plain or incomplete challenge is refused at authorization', async () => {
    const { challenge } = pkce();
    const { code_challenge } = challenge;
    const cases: [Client, Record<string, string>][] = [
      [publicClient, {}],
      [publicClient, { code_challenge }],
      [publicClient, { code_challenge, code_challenge_method: 'plain' }],
      [client, { code_challenge }],
      [client, { code_challenge, code_challenge_method: 'plain' }],
      [client, { code_challenge_method: 'S256' }],
      [client, { code_challenge: 'short', code_challenge_method: 'S256' }],
    ];
    for (const [of, parameters] of cases) {
      const { location } = await browser.arrive(authorizeUrl(world.origin, of, { ...parameters, state: 'x' }));
      const answer = new URL(location!).searchParams;
      assert.deepEqual([answer.get('error'), answer.get('state'), answer.get('code')], ['invalid_request', 'x', null]);
      assert.equal(answer.get('iss'), world.origin);
    }
  });

  await t.test('a code issued by another part of the service is redeemed like any other', async () => {
    const scopes = 'openid profile email wallet requests';
    const { verifier, challenge } = pkce();
    const { code_challenge: codeChallenge } = challenge;
    const insert = (of: Client, more: object = {}) =>
      insertCode(db, { userId, appId: of.id, scopes, redirectUri: CALLBACK, ...more });

    const plain = await world.token(redemption(client, await insert(client)));
    assert.deepEqual([plain.status, plain.body.scope], [200, scopes]);
    assert.equal(await meStatus(plain.body.access_token!), 200);
    assert.equal(
      (await world.token({ ...redemption(client, await insert(client)), redirect_uri: CALLBACK })).status,
      200,
    );
    // It went to the game without any redirect.
    assert.equal(
      (await world.token(redemption(client, await insertCode(db, { userId, appId: client.id, scopes })))).status,
      200,
    );
    const nowhere = await world.createClient({ redirectUris: [] });
    assert.equal(
      (await world.token(redemption(nowhere, await insertCode(db, { userId, appId: nowhere.id, scopes })))).status,
      200,
    );

    const bound = await insert(client, { codeChallenge });
    assert.equal((await world.token(redemption(client, bound))).body.error, 'invalid_grant');
    assert.equal((await world.token({ ...redemption(client, bound), code_verifier: verifier })).status, 200);

    const open = { grant_type: 'authorization_code', client_id: publicClient.id };
    const unbound = await insert(publicClient);
    assert.equal((await world.token({ ...open, code: unbound })).body.error, 'invalid_grant');
    assert.equal((await world.token({ ...open, code: unbound, code_verifier: verifier })).body.error, 'invalid_grant');
    const ofPublic = await insert(publicClient, { codeChallenge });
    assert.equal((await world.token({ ...open, code: ofPublic, code_verifier: verifier })).status, 200);
    const fixed = await insert(client, { code: 'a-code-that-was-agreed-on-elsewhere' });
    assert.equal(fixed, 'a-code-that-was-agreed-on-elsewhere');
    assert.equal((await world.token(redemption(client, fixed))).status, 200);
  });

  await t.test('a failed transaction stores no code', async () => {
    let code = '';
    const failing = db.transaction(async (tx) => {
      code = await insertCode(tx, { userId, appId: client.id, scopes: 'openid' });
      throw new Error('on purpose');
    });
    await assert.rejects(failing, /on purpose/);
    assert.equal((await world.token(redemption(client, code))).body.error, 'invalid_grant');
  });
});
