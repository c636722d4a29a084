import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { replay, winnings } from '../../examples/arcade/public/rules.js';
import { hashSecret } from '../../src/base/secrets.ts';
import type { Converted } from '../../src/features/guests/convert-guest.ts';
import { mergeGuest } from '../../src/features/guests/merge-guest.ts';
import { findGuestToken } from '../../src/identity/guest-tokens.ts';
import { findUser } from '../../src/identity/users.ts';
import { plannedTaps } from '../kit/browser/bot.ts';
import { openArcade } from '../kit/browser/open-arcade.ts';
import { newPayment } from '../kit/service/payment.ts';
import { createPerson } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';

type Started = { id: string; seed: number; shield: boolean };

test('the arcade’s server trusts no browser', async (t) => {
  const service = await sharedService(t);
  const { origin, app, passTime } = await openArcade(t, service);

  async function call(path: string, body: object, headers: Record<string, string> = {}) {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests look at
    return { status: response.status, headers: response.headers, body: (await response.json()) as any };
  }

  /** A new player, and the first round. */
  async function newPlayer() {
    const { headers, body } = await call('/api/rounds', {});
    const cookie = headers.get('set-cookie') ?? '';
    const as = { cookie: cookie.split(';')[0]! };
    return { cookie, round: body as Started, post: (path: string, fields: object = {}) => call(path, fields, as), as };
  }

  await t.test('a round pays once, for what its taps are worth', async () => {
    const { round, post } = await newPlayer();
    const taps = plannedTaps(round.seed, false, 21);
    const { score } = replay(round.seed, false, taps);
    passTime(60);
    const ends = await Promise.all([1, 2, 3].map(() => post('/api/rounds/end', { id: round.id, taps })));
    assert.deepEqual(ends.map(({ status }) => status).sort(), [200, 409, 409]);
    const { body } = ends.find(({ status }) => status === 200)!;
    assert.deepEqual(body, { score, won: winnings(score), best: score });
    assert.ok(body.won >= 10);
    assert.equal((await post('/api/rounds/end', { id: round.id, taps })).status, 409);
  });

  await t.test('a round played faster than real time pays nothing', async () => {
    const { round, post } = await newPlayer();
    const taps = plannedTaps(round.seed, false, 21);
    const { status, body } = await post('/api/rounds/end', { id: round.id, taps });
    assert.deepEqual([status, body.message], [409, 'This score came too fast to be real.']);
  });

  await t.test('another player’s round, missing taps and too many taps are refused', async () => {
    const { round, post } = await newPlayer();
    const other = await newPlayer();
    assert.equal((await other.post('/api/rounds/end', { id: round.id, taps: [] })).status, 409);
    for (const taps of [undefined, 'x', [1.5], ['1'], Array(40_000).fill(1)])
      assert.equal((await post('/api/rounds/end', { id: round.id, taps })).status, 409);
  });

  await t.test('a player’s winnings are limited per day', async () => {
    const { round: first, post } = await newPlayer();
    let sum = 0;
    for (let n = 0, round = first; n < 12; n++) {
      const taps = plannedTaps(round.seed, false, 101);
      passTime(300);
      sum += (await post('/api/rounds/end', { id: round.id, taps })).body.won;
      round = (await post('/api/rounds')).body as Started;
    }
    assert.equal(sum, 500);
  });

  await t.test(
    'a code of another sign-up is refused, and a guest who is merged plays on with the account',
    async () => {
      const { post, as } = await newPlayer();
      const other = await newPlayer();
      // What arrives after the merge is moved later.
      await service.settled();
      const { token, codeChallenge } = (await post('/api/sign-up')).body;
      const { userId } = (await findGuestToken(service.service.db, hashSecret(token), 1))!;
      const ada = await createPerson(service);
      const into = (await findUser(service.service.db, ada.userId))!;
      const flow = { appId: app.id, userId, tokenHash: hashSecret(token), flowId: randomUUID(), redirectUri: null };
      const merged = await mergeGuest(service.service, { ...flow, codeChallenge, into, session: ada.session });
      const { code } = merged as Converted;
      assert.equal((await other.post('/api/sign-up/code', { code })).status, 409);
      await other.post('/api/sign-up');
      assert.notEqual((await other.post('/api/sign-up/code', { code })).status, 200);
      assert.equal((await post('/api/sign-up/code', { code })).status, 200);
      await service.settled();
      const { player } = (await (await fetch(`${origin}/api/me`, { headers: as })).json()) as { player: object };
      assert.deepEqual(player, { kind: 'user', name: 'Ada', shields: 0, best: 0, quarters: 50 });
    },
  );

  await t.test('a shield is given once, for a completed payment of this player', async () => {
    const { post } = await newPlayer();
    const other = await newPlayer();
    await service.settled();
    const asked = (await post('/api/shields')).body;
    const claim = { requestId: asked.requestId };
    assert.deepEqual((await post('/api/shields/paid', claim)).body, { message: 'Nothing was paid.' });

    const opened = await service.app.inject({ url: `/requests/${asked.requestId}?firebase_token=${asked.pageToken}` });
    const pageToken = /name="page_token" value="([^"]+)"/.exec(opened.body)?.[1] ?? '';
    await service.app.inject({
      method: 'POST',
      url: `/requests/${asked.requestId}/decision`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ page_token: pageToken, decision: 'approve' }).toString(),
    });
    assert.equal((await other.post('/api/shields/paid', claim)).status, 409);
    const claims = await Promise.all([1, 2, 3].map(() => post('/api/shields/paid', claim)));
    for (const { body } of claims) assert.deepEqual(body, { shields: 1 });
    assert.equal((await post('/api/rounds')).body.shield, true);
    assert.equal((await post('/api/rounds')).body.shield, false);
  });

  await t.test('a result returned from our pages must belong to the player', async () => {
    const { as } = await newPlayer();
    for (const query of ['code=made-up', 'code=made-up&state=x', 'code=']) {
      const headers = { cookie: `${as.cookie}; ${as.cookie.split('_player')[0]}_state=y` };
      const response = await fetch(`${origin}/back?${query}`, { headers, redirect: 'manual' });
      const location = query.startsWith('code=m') ? '/?failed' : '/';
      assert.deepEqual([response.status, response.headers.get('location')], [303, location], query);
      assert.equal(response.headers.get('set-cookie'), null);
    }
  });

  await t.test(
    'a payment that the game did not ask for is read with the server key, not from the address',
    async () => {
      const { as } = await newPlayer();
      const resultOf = async (query: string) => {
        const response = await fetch(`${origin}/back?${query}`, { headers: as, redirect: 'manual' });
        assert.deepEqual([response.status, response.headers.get('set-cookie')], [200, null], query);
        assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
        return /<h1>([^<]*)<\/h1>/.exec(await response.text())?.[1];
      };
      const { id, guest, decide } = await newPayment(service, app, { tokens: 120 });
      await service.issue(guest.userId, 120);
      assert.equal(await resultOf(`requestId=${id}&txId=0x${'1'.repeat(64)}`), 'This payment is not decided yet');
      await decide({ decision: 'approve' });
      for (const query of [`requestId=${id}`, `requestId=${id}&cancel=true`]) {
        assert.equal(await resultOf(query), '120 quarters paid', query);
      }
      const declined = await newPayment(service, app);
      await declined.decide({ decision: 'decline' });
      assert.equal(await resultOf(`requestId=${declined.id}&txId=0x1`), 'Declined: nothing was paid');
      for (const unknown of ['made-up', '<script>', randomUUID(), '..%2f..']) {
        assert.equal(
          await resultOf(`requestId=${encodeURIComponent(unknown)}&txId=0x1`),
          'We can’t find this payment',
          unknown,
        );
      }
    },
  );

  await t.test('calls from another origin, another host or without a player are refused', async () => {
    const { as } = await newPlayer();
    for (const headers of [
      { ...as, origin: service.origin },
      { ...as, origin: 'null' },
    ])
      assert.equal((await call('/api/rounds', {}, headers)).status, 403);
    assert.equal((await call('/api/shields', {})).status, 409);
    assert.equal((await call('/api/nothing', {})).status, 404);
    const port = new URL(origin).port;
    const { request } = await import('node:http');
    const status = await new Promise((resolve) => {
      request({ port, host: '127.0.0.1', headers: { host: `rebound.example:${port}` } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    assert.equal(status, 403);
  });

  await t.test('the arcade serves strict headers and no secrets', async () => {
    const { cookie } = await newPlayer();
    assert.match(cookie, /^arcade_\d+_player=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=31536000$/);
    const page = await fetch(origin);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(
      policy,
      /^default-src 'none'; script-src 'self' http:\/\/localhost:\d+\/quarters\.js; style-src 'self'; /,
    );
    assert.doesNotMatch(policy, /unsafe|\*/);
    const folder = new URL('../../examples/arcade/public/', import.meta.url);
    for (const name of ['', ...readdirSync(folder).filter((file) => !/(html|d\.ts)$/.test(file))]) {
      const response = await fetch(`${origin}/${name}`);
      const text = await response.text();
      assert.equal(response.status, 200, name);
      for (const secret of [app.serverKey, app.secret]) assert.equal(text.includes(secret), false);
    }
    assert.equal((await fetch(`${origin}/../server.ts`)).status, 404);
  });
});
