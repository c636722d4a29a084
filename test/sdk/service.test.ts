import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  approvalPage,
  guestSignUpPage,
  QuartersOAuth,
  QuartersPlayer,
  QuartersServer,
  ResultVerifier,
  readApprovalResult,
  VerificationError,
} from '../../sdk/src/index.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { ALL_KEY_SCOPES } from '../../src/identity/key-scopes.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { CALLBACK, sharedWorld } from '../kit/service/oauth-world.ts';
import { fundedPayment } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { keyWith } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';
import { expireRecords } from '../rows/oauth.ts';

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test('a game’s server and a player, from the first guest to a refund', async (t) => {
  const s = await sharedService(t);
  const game = await s.createApp({ redirectUris: ['https://game.example/done'], autoApprove: true });
  await s.issue(game.id, 1_000);
  const serverKey = await issueKey(s.service, OPERATOR, game.id, keyWith(ALL_KEY_SCOPES));
  const server = new QuartersServer({ url: s.origin, serverKey, appAddress: game.address, appId: game.id });

  const guest = await server.createGuest();
  const player = new QuartersPlayer({ url: s.origin, appId: game.id, accessToken: guest.access_token });
  assert.equal((await player.me()).id, guest.user_id);
  assert.equal((await player.account()).address, guest.address);

  const paid = await server.pay({ user: guest.user_id, amount: 100 }, { waitSeconds: 10 });
  assert.equal((await server.request(paid.requestId)).status, 'completed');
  assert.equal((await player.balance(guest.address)).quarters, '100');
  assert.equal((await player.reward(guest.address)).rewardAmount, '0');

  const request = await player.ask({ tokens: 40, description: 'A shield' });
  assert.equal((await player.request(request.id)).status, 'pending');
  await t.test('the address of an approval page opens it, and its redirect can be read', async () => {
    const address = approvalPage(s.origin, {
      requestId: request.id,
      pageToken: guest.firebase_token,
      redirectUri: 'https://game.example/done',
      clientId: game.id,
      proof: true,
    });
    const page = await fetch(address);
    const page_token = /name="page_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    const form = { page_token, decision: 'approve', proof: 'true', redirect_uri: 'https://game.example/done' };
    const decided = await fetch(`${s.origin}/requests/${request.id}/decision`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(form),
      redirect: 'manual',
    });
    const result = readApprovalResult(new URL(decided.headers.get('location') ?? '').searchParams);
    const declined = readApprovalResult(new URLSearchParams({ cancel: 'true', requestId: request.id }));
    assert.deepEqual(declined, { outcome: 'declined', requestId: request.id });
    assert.ok(result?.outcome === 'approved', JSON.stringify(result));
    assert.equal(result.requestId, request.id);

    const verifier = new ResultVerifier({ url: s.origin, appId: game.id });
    const proven = await verifier.verify(result.proof ?? '');
    assert.deepEqual([proven.outcome, proven.requestId, proven.txId], ['approved', request.id, result.txId]);
    const [head, body, signature] = result.proof!.split('.');
    const other = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(body!, 'base64url').toString()), requestId: 'x' }),
    );
    for (const forged of [
      `${head}.${other.toString('base64url')}.${signature}`,
      `${head}.${body}.${'A'.repeat(86)}`,
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`,
      `${result.proof}.x`,
      'nonsense',
      '',
    ]) {
      await assert.rejects(verifier.verify(forged), VerificationError, forged);
    }
    const foreign = new ResultVerifier({ url: s.origin, appId: 'x'.repeat(20) });
    await assert.rejects(foreign.verify(result.proof!), VerificationError);
  });

  await s.settled();
  assert.equal((await server.request(request.id)).status, 'completed');
  const refund = await server.refund(request.id, { amount: 15 });
  assert.equal(refund.refundOf, request.id);
  await assert.rejects(server.refund(request.id, { amount: 26 }), { code: 'refund-too-large', status: 409 });

  const [, cancelled] = [await player.ask({ tokens: 1 }), await player.ask({ tokens: 2 })];
  assert.equal((await server.cancel(cancelled.id)).status, 'cancelled');

  const lines = await server.payMany([
    { user: guest.user_id, amount: 1, reference: 'first' },
    { user: guest.user_id, amount: 1_000_000 },
  ]);
  assert.match(lines[0]!.txId!, /^0x/);
  assert.deepEqual([lines[0]!.reference, lines[1]!.error?.code], ['first', 'insufficient-quarters']);

  await s.settled();
  assert.equal((await server.balance()).quarters, String(1_000 - 100 + 40 - 15 - 1));
  const requests = await collected(server.requests({ userId: guest.user_id }));
  assert.equal(requests.length, 6);
  assert.deepEqual(
    (await collected(player.requests({ status: 'cancelled' }))).map(({ id }) => id),
    [cancelled.id],
  );
  const transfers = await collected(server.transfers({ direction: 'out' }));
  assert.deepEqual(
    transfers.map(({ amount }) => amount),
    [1, 15, 100],
  );
  let events = await collected(server.events());
  // Events are shown once no earlier transaction is under way, and PostgreSQL counts those of concurrent tests.
  await until('all events are told', async () => {
    events = await collected(server.events());
    return events.length >= 6;
  });
  const types = events.map(({ type }) => type);
  assert.deepEqual(types.filter((type) => type.startsWith('request.')).sort(), [
    'request.approved',
    'request.cancelled',
    'request.completed',
  ]);
  assert.deepEqual(await collected(server.events({ cursor: events.at(-1)!.id })), []);
  const added = await server.addWebhookEndpoint({ url: 'https://game.example/hook', types: ['request.completed'] });
  assert.match(added.secret, /^whsec_/);
  const completed = events.find((event) => event.type === 'request.completed')!;
  // By its type, `data` is what a call gives for the request.
  const { sequence, test: _, refunded: __, ...told } = completed.data;
  const { refunded: ___, ...read } = await server.request(told.id);
  assert.deepEqual([told, typeof sequence], [read, 'number']);
  assert.deepEqual((await server.redeliver(completed.id)).endpoints, [added.id]);

  const auto = await player.ask({ tokens: 1 });
  await assert.rejects(player.autoApprove(auto, guest.address), { code: 'auto-approve-not-granted', status: 403 });
  const allowed = await fundedPayment(s, game);
  await allowed.decide({ decision: 'approve', mandate: 'on' });
  const { accessToken, address, userId } = allowed.guest;
  const trusting = new QuartersPlayer({ url: s.origin, appId: game.id, accessToken });
  await s.settled();
  const { id } = await trusting.ask({ tokens: 1 });
  assert.match((await trusting.autoApprove({ id, userId }, address)).txId, /^0x/);
  // The same without a token of the player.
  const asked = await server.ask({ userId, tokens: 2, description: 'A helmet', expiresIn: 3600 });
  assert.deepEqual([asked.userId, asked.tokens, asked.description], [userId, 2, 'A helmet']);
  assert.match((await server.autoApprove(asked)).txId, /^0x/);
  const nameless = new QuartersServer({ url: s.origin, serverKey, appAddress: game.address });
  await assert.rejects(nameless.ask({ userId, tokens: 1 }), TypeError);
});

test('a player signs in and stays signed in', async (t) => {
  const world = await sharedWorld(t);
  const client = await world.createClient();
  const userId = await world.createUser();
  const browser = await world.browser(userId);
  const oauth = new QuartersOAuth({
    url: world.origin,
    clientId: client.id,
    clientSecret: client.secret,
    redirectUri: CALLBACK,
  });

  const { url, keep } = await oauth.signIn();
  const { location } = await browser.answer(await browser.arrive(url), 'allow');
  const back = new URL(location!).searchParams;
  await assert.rejects(oauth.comeBack(back, { ...keep, state: 'another' }), VerificationError);
  const foreign = new URLSearchParams(back);
  foreign.set('iss', 'https://evil.example');
  await assert.rejects(oauth.comeBack(foreign, keep), VerificationError);
  const tokens = await oauth.comeBack(back, keep);
  assert.ok(tokens.expiresAt.getTime() > Date.now() + 3_000_000);

  let current = tokens;
  const player = new QuartersPlayer({
    url: world.origin,
    appId: client.id,
    accessToken: tokens.accessToken,
    async renew() {
      current = await oauth.refresh(current.refreshToken);
      return current.accessToken;
    },
  });
  assert.equal((await player.me()).id, userId);
  await expireRecords(world.service.db, { model: 'AccessToken' });
  assert.equal((await player.me()).id, userId);
  assert.notEqual(current.accessToken, tokens.accessToken);

  await assert.rejects(oauth.redeem('no-such-code'), { code: 'invalid_grant', status: 400 });
  const declined = new URLSearchParams({ state: keep.state, error: 'access_denied' });
  await assert.rejects(oauth.comeBack(declined, keep), { code: 'access_denied' });
});

test('the address of the guest’s sign-up page has the documented form', () => {
  const page = { clientId: 'app', token: 'qa_1', redirectUri: 'com.acme.game://' };
  assert.equal(
    guestSignUpPage('https://q.example', page),
    'https://q.example/guest?response_type=code&client_id=app&token=qa_1&inline=true&redirect_uri=com.acme.game%3A%2F%2F',
  );
});
