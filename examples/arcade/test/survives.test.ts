/**
 * Twelve things that a game should survive, tried on this one beside an emulator: `npx quarters test -- node --test`. Nothing here knows more of
 * Quarters than a game does.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { connectEmulator, type Emulator, startEmulator } from '../../../sdk/emulator/src/index.ts';
import { QuartersServer } from '../../../sdk/src/index.ts';
import { SHIELD_PRICE } from '../arcade.ts';
import { startArcade } from '../server.ts';

let emulator: Emulator;
let arcade: Awaited<ReturnType<typeof startArcade>>;
let server: QuartersServer;

before(async () => {
  emulator = process.env.QUARTERS_EMULATOR_URL ? await connectEmulator() : await startEmulator();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const app = await emulator.apps.create({
    name: 'Flipside',
    quarters: 100_000,
    webhook: `${origin}/quarters/events`,
    redirectUris: [`${origin}/back`],
    frameAncestors: [origin],
    resultOrigins: [origin],
    autoApprove: true,
  });
  const { url } = emulator;
  arcade = await startArcade({
    app: {
      pages: url,
      api: url,
      guestApi: url,
      id: app.id,
      address: app.address,
      serverKey: app.serverKey,
      clientSecret: app.clientSecret!,
      webhookSecret: app.webhookSecret!,
    },
    port,
  });
  server = new QuartersServer({ url, serverKey: app.serverKey, appAddress: app.address });
  await emulator.snapshot('arcade');
});
after(async () => {
  await arcade?.close();
  await emulator?.stop();
});
// The players of the game stay, so each test has one of its own.
beforeEach(() => emulator.reset('arcade'));

/** Somebody who plays, as their browser does. */
async function newPlayer() {
  let cookie = '';
  async function post(path: string, body: object = {}) {
    const response = await fetch(arcade.origin + path, {
      method: 'POST',
      headers: { origin: arcade.origin, 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    });
    cookie = response.headers.get('set-cookie')?.split(';')[0] || cookie;
    const said = (await response.json()) as { requestId?: string; message?: string };
    return { status: response.status, ...said };
  }
  async function me() {
    const response = await fetch(`${arcade.origin}/api/me`, { headers: { cookie } });
    const { player } = (await response.json()) as { player: { shields: number; quarters: number } | null };
    return { status: response.status, ...player };
  }
  assert.equal((await post('/api/rounds')).status, 200);
  await emulator.settled();
  /** Presses "Buy a shield", and is asked on a page. */
  async function isAsked(): Promise<string> {
    const { requestId } = await post('/api/shields');
    assert.ok(requestId);
    return requestId;
  }
  /** What the player does on the approval page. */
  const onPage = async (requestId: string) => emulator.players.of((await server.request(requestId)).userId);
  const comesBack = (requestId: string) => post('/api/shields/paid', { requestId });
  return { post, me, isAsked, onPage, comesBack };
}

test('1. the player comes back and the webhook arrives: the shield is given once', async () => {
  const player = await newPlayer();
  const id = await player.isAsked();
  await (await player.onPage(id)).approve(id);
  await Promise.all([player.comesBack(id), emulator.webhooks.delivered(), player.comesBack(id)]);
  const { shields, quarters } = await player.me();
  assert.deepEqual([shields, quarters], [1, 50 - SHIELD_PRICE]);
});

test('2. the player declines: nothing is given', async () => {
  const player = await newPlayer();
  const id = await player.isAsked();
  await (await player.onPage(id)).decline(id);
  await emulator.webhooks.delivered();
  assert.equal((await player.comesBack(id)).status, 409);
  const { shields, quarters } = await player.me();
  assert.deepEqual([shields, quarters], [0, 50]);
});

test('3. the request expires: nothing is given, and the player can buy again', async () => {
  const player = await newPlayer();
  const old = await player.isAsked();
  await emulator.time.advance('1 hour');
  await emulator.webhooks.delivered();
  assert.equal((await server.request(old)).status, 'expired');
  assert.equal((await player.comesBack(old)).status, 409);
  const id = await player.isAsked();
  await (await player.onPage(id)).approve(id);
  await emulator.webhooks.delivered();
  assert.equal((await player.me()).shields, 1);
});

test('4. every webhook arrives twice', async () => {
  const player = await newPlayer();
  await emulator.webhooks.duplicate(10);
  const id = await player.isAsked();
  await (await player.onPage(id)).approve(id);
  await emulator.webhooks.delivered();
  assert.equal((await player.me()).shields, 1);
});

test('5. webhooks arrive late, and in reversed order', async () => {
  const player = await newPlayer();
  await emulator.webhooks.hold();
  const id = await player.isAsked();
  await (await player.onPage(id)).approve(id);
  await emulator.settled();
  assert.equal((await player.me()).shields, 0);
  await emulator.webhooks.release({ order: 'reversed' });
  await emulator.webhooks.delivered();
  assert.equal((await player.me()).shields, 1);
});

test('6. the webhooks are lost: the shield is given when the player comes back', async () => {
  const player = await newPlayer();
  await emulator.webhooks.drop(10);
  const id = await player.isAsked();
  await (await player.onPage(id)).approve(id);
  await emulator.webhooks.delivered();
  assert.equal((await player.me()).shields, 0);
  assert.equal((await player.comesBack(id)).status, 200);
  assert.equal((await player.me()).shields, 1);
});

test('7. the answer to a payout is lost: the player is paid once', async () => {
  await emulator.next('transfer').isAcceptedButTheAnswerIsLost();
  // The welcome.
  const player = await newPlayer();
  assert.equal((await player.me()).quarters, 50);
});

test('8. the answer to a request is lost, and another comes late: the player pays for one shield', async () => {
  const player = await newPlayer();
  await emulator.next('createRequest').isAcceptedButTheAnswerIsLost();
  const id = await player.isAsked();
  await (await player.onPage(id)).approve(id);
  await emulator.next('getRequest').answers({ after: '200 ms' });
  await player.comesBack(id);
  await emulator.webhooks.delivered();
  const { shields, quarters } = await player.me();
  assert.deepEqual([shields, quarters], [1, 50 - SHIELD_PRICE]);
});

test('9. too few quarters, or a service that refuses for a moment: a sentence, and nothing is lost', async () => {
  const player = await newPlayer();
  // Otherwise an event is quicker than the player.
  await emulator.webhooks.hold();
  const [first, second, third] = [await player.isAsked(), await player.isAsked(), await player.isAsked()];
  const paying = await player.onPage(first);
  await paying.approve(first);
  await emulator.next('getRequest').times(9).fails('overloaded');
  const refused = await player.comesBack(first);
  assert.equal(refused.status, 503);
  assert.equal(typeof refused.message, 'string');
  await emulator.outcomes.forget();
  await paying.approve(second);
  for (const id of [first, second]) assert.equal((await player.comesBack(id)).status, 200);
  // The 50 quarters are spent.
  await assert.rejects(paying.approve(third), { code: 'insufficient-quarters' });
  const { status, message } = await player.comesBack(third);
  assert.deepEqual([status, message], [409, 'Nothing was paid.']);
  const { shields, quarters } = await player.me();
  assert.deepEqual([shields, quarters], [2, 0]);
});

test('10. the chain stands still: what was approved is given, and completes later', async () => {
  const player = await newPlayer();
  const id = await player.isAsked();
  await emulator.chain.down();
  await (await player.onPage(id)).approve(id);
  assert.equal((await player.comesBack(id)).status, 200);
  assert.equal((await player.me()).shields, 1);
  await emulator.chain.up();
  await emulator.settled();
  assert.equal((await server.request(id)).status, 'completed');
});

test('11. a reorganisation takes the completed payment back: the shield is given once', async () => {
  const player = await newPlayer();
  const id = await player.isAsked();
  await emulator.next('any').isReorganizedAway();
  await (await player.onPage(id)).approve(id);
  await emulator.settled();
  await emulator.webhooks.delivered();
  const { shields, quarters } = await player.me();
  assert.deepEqual([shields, quarters], [1, 50 - SHIELD_PRICE]);
  assert.equal((await server.request(id)).status, 'completed');
});

test('12. the player closes the account: the game signs them out', async () => {
  const player = await newPlayer();
  const id = await player.isAsked();
  const guest = await player.onPage(id);
  await guest.signUp();
  await guest.closesAccount();
  assert.equal((await player.me()).status, 401);
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const holder = createServer().listen(0, '127.0.0.1', () => {
      const { port } = holder.address() as { port: number };
      holder.close(() => resolve(port));
    });
  });
}
