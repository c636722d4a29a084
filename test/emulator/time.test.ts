import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { verifyWebhook } from '../../sdk/src/webhooks.ts';
import { startReceiver } from '../kit/service/receiver.ts';
import { type Answer, startEmulator, type TestEmulator } from './timed.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let emulator: TestEmulator;
before(async () => {
  emulator = await startEmulator();
});
after(() => emulator.stop());
beforeEach(async () => {
  assert.equal((await emulator.control('POST', '/reset')).status, 204);
});

const time = (path: string, body?: object) => emulator.control('POST', `/time/${path}`, body);
const advance = (by: string | number) => time('advance', { by });

async function now(): Promise<number> {
  return Date.parse((await emulator.control('GET', '/state')).body.now);
}

const near = (actual: number, expected: number, within: number) =>
  assert.ok(
    Math.abs(actual - expected) <= within,
    `${new Date(actual).toISOString()} is not about ${new Date(expected).toISOString()}`,
  );

const done = ({ status, body }: Answer) => {
  assert.ok(status < 300, JSON.stringify(body));
  return body;
};

async function newApp(given: object = {}) {
  const app = done(await emulator.control('POST', '/apps', given));
  const call = async (method: string, path: string, body?: object) =>
    done(await emulator.call(method, path, app.serverKey, body, { prefer: 'respond-async, wait=10' }));
  return {
    ...app,
    call,
    guest: async () => (await call('POST', '/new-guest', {}))[0],
    ask: (userId: string, expiresIn: number) =>
      call('POST', '/requests', { tokens: 5, appId: app.id, userId, expiresIn }),
    /** Returns in which status the payment is within some seconds. */
    async pay(user: string): Promise<string> {
      const { requestId } = await call('POST', `/accounts/${app.address}/transfer`, { amount: 5, user });
      return (await call('GET', `/requests/${requestId}`)).status;
    },
  };
}

describe('a clock that is moved', () => {
  it('tries webhooks again as often as in that time, and signs them for a receiver whose clock nobody moves', async (t) => {
    const receiver = await startReceiver(t);
    const app = await newApp({ webhook: receiver.url });
    const { user_id: userId } = await app.guest();
    receiver.answer = (response) => response.writeHead(500).end();
    await app.ask(userId, 60);
    await advance('2 minutes');
    const early = receiver.received.length;
    assert.ok(early >= 2, `${early}: the first try, and one after five seconds`);
    receiver.answer = (response) => response.writeHead(204).end();
    await advance('10 minutes');
    const created = receiver.received.filter(({ id }) => id === receiver.received[0]!.id);
    const { headers, body } = created.at(-1)!;
    await verifyWebhook({ headers, body, secret: app.webhookSecret });
    const after = receiver.received.length;
    await advance('4 days');
    assert.equal(receiver.received.length, after, 'what has arrived is not sent again');
  });

  it('lets payments go on at once, with blocks of its time', async () => {
    const app = await newApp();
    const { user_id: userId } = await app.guest();
    await app.pay(userId);
    await advance('31 days');
    assert.equal(await app.pay(userId), 'completed');
    const block = await newestBlock();
    near(block, await now(), 60 * SECOND);
    done(await emulator.control('POST', '/reset'));
    const again = await newApp();
    assert.equal(await again.pay((await again.guest()).user_id), 'completed');
    near(await newestBlock(), await now(), 60 * SECOND);
    near(await now(), Date.now(), 60 * SECOND);
  });

  it('ends tokens and begins limits anew as time does', async () => {
    const app = await newApp();
    const guest = await app.guest();
    const me = async () => (await emulator.call('GET', '/me', guest.access_token)).status;
    const ask = (tokens: number) =>
      emulator.call('POST', '/requests', app.serverKey, { tokens, appId: app.id, userId: guest.user_id });
    assert.equal(await me(), 200);
    // What the key may ask for in a day.
    done(await ask(100_000));
    assert.equal((await ask(1)).body.code, 'key-limit');
    await advance('1 day');
    done(await ask(1));
    assert.equal(await me(), 200);
    await advance('400 days');
    assert.equal(await me(), 401);
  });

  it('takes a time, or a duration in several words, and milliseconds', async () => {
    const began = await now();
    near(Date.parse(done(await advance(5_000)).now), began + 5_000, 10 * SECOND);
    near(Date.parse(done(await advance('1 h 30 min')).now), began + 1.5 * HOUR, 30 * SECOND);
    const to = new Date(began + 2 * DAY).toISOString();
    near(Date.parse(done(await time('set', { to })).now), Date.parse(to), 30 * SECOND);
    for (const [path, body] of [
      ['advance', { by: 'a while' }],
      ['advance', { by: '3 months' }],
      ['advance', {}],
      ['set', { to: 'tomorrow' }],
    ] as const) {
      assert.equal((await time(path, body)).body.code, 'invalid-input', JSON.stringify(body));
    }
  });

  it('does not go back, and goes on as it did after a refusal', async () => {
    for (const refused of [
      await time('set', { to: '2020-01-01T00:00:00Z' }),
      await advance(-1),
      await advance('9000 d'.repeat(2000)),
    ]) {
      assert.equal(refused.status, 409);
    }
    const { body } = await emulator.control('GET', '/state');
    assert.equal(body.frozen, false);
    near(Date.parse(body.now), Date.now(), 60 * SECOND);
  });

  it('lets requests expire in order, each at its time, and sends their events before it answers', async (t) => {
    const receiver = await startReceiver(t);
    const app = await newApp({ webhook: receiver.url });
    const { user_id: userId } = await app.guest();
    const began = await now();
    const late = await app.ask(userId, 3 * 3600);
    const soon = await app.ask(userId, 60);
    const { now: at, frozen, stops } = done(await advance('31 days'));
    near(Date.parse(at), began + 31 * DAY, 60 * SECOND);
    assert.equal(frozen, false);
    assert.ok(stops >= 33, `${stops}: two expiries, and the end of each day`);
    const expired = receiver.received.map(({ event }) => event).filter(({ type }) => type === 'request.expired');
    assert.deepEqual(
      expired.map(({ data }) => data.id),
      [soon.id, late.id],
    );
    near(Date.parse(expired[0]!.timestamp), began + 60 * SECOND, 5 * SECOND);
    near(Date.parse(expired[1]!.timestamp), began + 3 * HOUR, 5 * SECOND);
    // 30 days after them, the events are forgotten, wherever the clock was before the reset.
    assert.deepEqual((await app.call('GET', '/events')).data, []);
  });
});

describe('a clock that stands still', () => {
  it('stands, while the service goes on working, and goes on from there', async () => {
    const app = await newApp();
    const { user_id: userId } = await app.guest();
    const stood = done(await time('freeze'));
    assert.equal(stood.frozen, true);
    assert.equal(done(await time('freeze')).now, stood.now);
    const requests = [];
    for (let i = 0; i < 20; i++) requests.push(await app.ask(userId, 60));
    assert.deepEqual([...new Set(requests.map(({ created }) => created.iso))], [stood.now]);
    const listed = (await app.call('GET', `/requests?limit=20`)).data.map(({ id }: { id: string }) => id);
    assert.deepEqual(listed, requests.map(({ id }) => id).reverse(), 'newest first, also within the moment');
    for (let i = 0; i < 3; i++) assert.equal(await app.pay(userId), 'completed');
    const moved = done(await advance('90 s'));
    assert.equal(Date.parse(moved.now), Date.parse(stood.now) + 90 * SECOND);
    assert.equal(moved.frozen, true);
    assert.equal((await app.call('GET', `/requests/${requests[0].id}`)).status, 'expired');
    const { now: from, frozen } = done(await time('go-on'));
    assert.equal(frozen, false);
    near(Date.parse(from), Date.parse(moved.now), 10 * SECOND);
  });
});

async function newestBlock(): Promise<number> {
  const { timestamp } = await emulator.rpc('eth_getBlockByNumber', ['latest', false]);
  return Number(timestamp) * SECOND;
}
