import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { verifyWebhook } from '../../sdk/src/webhooks.ts';
import { startReceiver } from '../kit/service/receiver.ts';
import { freshEmulator, newGame, type Player, type Said, type TestEmulator, taken } from './kit.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let emulator: TestEmulator;
const fresh = async () => {
  emulator = await freshEmulator();
};

const time = (path: string, body?: object) => emulator.call('POST', `/time/${path}`, body);
const advance = (by: string | number) => time('advance', { by });
const refused = (path: string, body: object) => emulator.refused('POST', `/time/${path}`, body);

async function now(): Promise<number> {
  return Date.parse((await emulator.call('GET', '/state')).now);
}

const near = (actual: number, expected: number, within: number) =>
  assert.ok(
    Math.abs(actual - expected) <= within,
    `${new Date(actual).toISOString()} is not about ${new Date(expected).toISOString()}`,
  );

async function newStage(given: object = {}) {
  const game = await newGame(emulator, given);
  const guest = await game.newPlayer({ quarters: 0 });
  return {
    game,
    guest,
    /** Returns in which status the payment is within some seconds. */
    async pay(): Promise<string> {
      const { requestId } = taken(await game.pay(guest, 5, { prefer: 'respond-async, wait=10' }));
      return game.status(requestId);
    },
  };
}

describe('a clock that is moved', () => {
  beforeEach(fresh);

  it('tries webhooks again as often as in that time, and signs them for a receiver whose clock nobody moves', async (t) => {
    const receiver = await startReceiver(t);
    const { game, guest } = await newStage({ webhook: receiver.url });
    receiver.answer = (response) => response.writeHead(500).end();
    await game.ask(guest, 5, { expiresIn: 60 });
    await advance('2 minutes');
    const early = receiver.received.length;
    assert.ok(early >= 2, `${early}: the first try, and one after five seconds`);
    receiver.answer = (response) => response.writeHead(204).end();
    await advance('10 minutes');
    const created = receiver.received.filter(({ id }) => id === receiver.received[0]!.id);
    const { headers, body } = created.at(-1)!;
    await verifyWebhook({ headers, body, secret: game.webhookSecret! });
    const after = receiver.received.length;
    await advance('4 days');
    assert.equal(receiver.received.length, after, 'what has arrived is not sent again');
  });

  it('lets payments go on at once, with blocks of its time', async () => {
    const { pay } = await newStage();
    await pay();
    await advance('3 days');
    assert.equal(await pay(), 'completed');
    near(await newestBlock(), await now(), 60 * SECOND);
    await emulator.call('POST', '/reset');
    assert.equal(await (await newStage()).pay(), 'completed');
    near(await newestBlock(), await now(), 60 * SECOND);
    near(await now(), Date.now(), 60 * SECOND);
  });

  it('ends tokens and begins limits anew as time does', async () => {
    const { game, guest } = await newStage();
    const user = await game.newPlayer({ guest: false, quarters: 0 });
    const me = async ({ accessToken }: Player) => (await emulator.api(accessToken, 'GET', '/me')).status;
    const ask = (tokens: number) => game.server('/requests', { tokens, appId: game.id, userId: guest.id });
    // What the key may ask for in a day.
    taken(await ask(100_000));
    assert.equal((await ask(1)).body.code, 'key-limit');
    assert.deepEqual([await me(user), await me(guest)], [200, 200]);
    await advance('1 day');
    taken(await ask(1));
    // That of a full user lives for an hour.
    assert.deepEqual([await me(user), await me(guest)], [401, 200]);
  });

  it('takes a time, or a duration in several words, and milliseconds', async () => {
    const began = await now();
    near(Date.parse((await advance(5_000)).now), began + 5_000, 10 * SECOND);
    near(Date.parse((await advance('1 h 30 min')).now), began + 1.5 * HOUR, 30 * SECOND);
    const to = new Date(began + 2 * DAY).toISOString();
    near(Date.parse((await time('set', { to })).now), Date.parse(to), 30 * SECOND);
    for (const [path, body] of [
      ['advance', { by: 'a while' }],
      ['advance', { by: '3 months' }],
      ['advance', {}],
      ['set', { to: 'tomorrow' }],
    ] as const) {
      assert.equal((await refused(path, body)).code, 'invalid-input', JSON.stringify(body));
    }
  });

  it('does not go back, and goes on as it did after a refusal', async () => {
    for (const [path, body] of [
      ['set', { to: '2020-01-01T00:00:00Z' }],
      ['advance', { by: -1 }],
      ['advance', { by: '9000 d'.repeat(2000) }],
    ] as const) {
      assert.equal((await refused(path, body)).status, 409);
    }
    assert.equal((await emulator.call('GET', '/state')).frozen, false);
    near(await now(), Date.now(), 60 * SECOND);
  });

  it('lets requests expire in order, each at its time, and sends their events before it answers', async (t) => {
    const receiver = await startReceiver(t);
    const { game, guest } = await newStage({ webhook: receiver.url });
    const began = await now();
    const late = await game.ask(guest, 5, { expiresIn: 3 * 3600 });
    const soon = await game.ask(guest, 5, { expiresIn: 60 });
    const { now: at, frozen, stops } = await advance('31 days');
    near(Date.parse(at), began + 31 * DAY, 60 * SECOND);
    assert.equal(frozen, false);
    assert.ok(stops >= 33, `${stops}: two expiries, and the end of each day`);
    const expired = receiver.received.map(({ event }) => event).filter(({ type }) => type === 'request.expired');
    assert.deepEqual(
      expired.map(({ data }) => data.id),
      [soon, late],
    );
    near(Date.parse(expired[0]!.timestamp), began + 60 * SECOND, 5 * SECOND);
    near(Date.parse(expired[1]!.timestamp), began + 3 * HOUR, 5 * SECOND);
    // 30 days after them, the events are forgotten, wherever the clock was before the reset.
    assert.deepEqual(taken(await game.server('/events')).data, []);
  });
});

describe('a clock that stands still', () => {
  beforeEach(fresh);

  it('stands, while the service goes on working, and goes on from there', async () => {
    const { game, guest, pay } = await newStage();
    const stood = await time('freeze');
    assert.equal(stood.frozen, true);
    assert.equal((await time('freeze')).now, stood.now);
    const requests: string[] = [];
    for (let i = 0; i < 20; i++) requests.push(await game.ask(guest, 5, { expiresIn: 60 }));
    const { data } = taken(await game.server('/requests?limit=20'));
    assert.deepEqual(new Set(data.map(({ created }: Said) => created.iso)), new Set([stood.now]));
    const listed = data.map(({ id }: Said) => id);
    assert.deepEqual(listed, requests.toReversed(), 'newest first, also within the moment');
    for (let i = 0; i < 3; i++) assert.equal(await pay(), 'completed');
    const moved = await advance('90 s');
    assert.equal(Date.parse(moved.now), Date.parse(stood.now) + 90 * SECOND);
    assert.equal(moved.frozen, true);
    assert.equal(await game.status(requests[0]!), 'expired');
    const { now: from, frozen } = await time('go-on');
    assert.equal(frozen, false);
    near(Date.parse(from), Date.parse(moved.now), 10 * SECOND);
  });
});

async function newestBlock(): Promise<number> {
  const { timestamp } = await emulator.rpc('eth_getBlockByNumber', 'latest', false);
  return Number(timestamp) * SECOND;
}
