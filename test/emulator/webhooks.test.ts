import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { shuffled } from '../../local/emulator/webhooks/shuffled.ts';
import { type Received, type Receiver, startReceiver } from '../kit/service/receiver.ts';
import { freshEmulator, type Game, newGame, type Player, type Said, type TestEmulator, taken } from './kit.ts';

type Stage = {
  readonly emulator: TestEmulator;
  readonly receiver: Receiver;
  readonly game: Game;
  readonly guest: Player;
};

test('webhooks on demand', async (t) => {
  const emulator = await freshEmulator();
  const receiver = await startReceiver(t);
  const stage = await newStage(emulator, receiver);
  const { game } = stage;

  await t.test('all that is due has arrived, signed, when `delivered` answers', async () => {
    const [received, ...more] = await arriving(stage, [1]);
    assert.equal(more.length, 0);
    assert.equal(received!.event.type, 'transfer.completed');
    assert.ok(isSigned(received!, game.webhookSecret!));
  });

  await held(t, stage);
  await fates(t, stage);

  await t.test('a reset forgets holds and fates', async () => {
    await emulator.call('POST', '/webhooks/hold');
    await emulator.call('POST', '/webhooks/drop');
    await emulator.call('POST', '/reset');
    assert.deepEqual(await emulator.call('GET', '/webhooks'), { held: [], armed: [] });
    assert.deepEqual(amountsOf(await arriving(await newStage(emulator, receiver), [71])), [71]);
  });

  await t.test('what cannot be asked is refused in a sentence', async () => {
    const refused = async (act: string, body: object, expected: number, because: RegExp) => {
      const { status, message } = await emulator.refused('POST', `/webhooks/${act}`, body);
      assert.equal(status, expected);
      assert.match(message, because);
    };
    await refused('release', { app: game.id }, 409, /are not held/);
    await emulator.call('POST', '/webhooks/hold');
    await refused('release', { app: game.id }, 409, /release all/);
    await refused('release', { order: 'any' }, 400, /order/);
    await refused('drop', { times: 0 }, 400, /times/);
    await refused('delay', {}, 400, /by/);
    await refused('delay', { by: 'soon' }, 400, /by is no duration/);
    await refused('delay', { by: 0 }, 400, /by must be from 1 to/);
  });
});

async function newStage(emulator: TestEmulator, receiver: Receiver): Promise<Stage> {
  const game = await newGame(emulator, { webhook: receiver.url });
  return { emulator, receiver, game, guest: await game.newPlayer({ quarters: 0 }) };
}

const FIVE = [11, 12, 13, 14, 15];

async function held(t: TestContext, stage: Stage): Promise<void> {
  const { emulator, receiver, game } = stage;

  await t.test('what is held was not sent, and is sent in the order that is asked for', async () => {
    for (const [release, expected] of [
      [{}, FIVE],
      [{ order: 'reversed' }, FIVE.toReversed()],
      [{ order: 'shuffled', seed: 7 }, shuffled(FIVE, 7)],
    ] as const) {
      await emulator.call('POST', '/webhooks/hold');
      assert.deepEqual(await arriving(stage, FIVE), []);
      const before = receiver.received.length;
      assert.equal((await emulator.call('POST', '/webhooks/release', release)).released, FIVE.length);
      await emulator.call('POST', '/webhooks/delivered');
      const received = receiver.received.slice(before);
      assert.deepEqual(amountsOf(received), expected);
      assert.equal(new Set(received.map(({ id }) => id)).size, FIVE.length);
    }
  });

  await t.test('an app that is held does not hold up another', async () => {
    const other = await newStage(emulator, receiver);
    await emulator.call('POST', '/webhooks/hold', { app: game.id });
    assert.deepEqual((await emulator.call('GET', '/webhooks')).held, [game.id]);
    assert.deepEqual(amountsOf(await arriving(stage, [21])), []);
    assert.deepEqual(amountsOf(await arriving(other, [22])), [22]);
    await emulator.call('DELETE', '/webhooks');
    assert.deepEqual(amountsOf(await arriving(stage, [])), [21]);
  });
}

async function fates(t: TestContext, stage: Stage): Promise<void> {
  const { emulator, receiver, game } = stage;
  const advance = (by: string) => emulator.call('POST', '/time/advance', { by });

  await t.test('a delivery arrives twice with one id', async () => {
    await emulator.call('POST', '/webhooks/duplicate', { app: game.id });
    const [first, second, ...more] = await arriving(stage, [31]);
    assert.equal(second!.id, first!.id);
    assert.equal(second!.body, first!.body);
    assert.ok(isSigned(second!, game.webhookSecret!));
    assert.equal(more.length, 0);
    assert.equal((await arriving(stage, [32])).length, 1);
  });

  await t.test('a delivery that is lost on its way is tried again, as after any failure', async () => {
    await emulator.call('POST', '/webhooks/drop');
    assert.deepEqual(await arriving(stage, [41]), []);
    const before = receiver.received.length;
    await advance('10 s');
    assert.deepEqual(amountsOf(receiver.received.slice(before)), [41]);
  });

  await t.test('a delivery is delayed, and a later one overtakes it', async () => {
    await emulator.call('POST', '/webhooks/delay', { by: '1 day' });
    assert.deepEqual(amountsOf(await arriving(stage, [51, 52])), [52]);
    const before = receiver.received.length;
    await advance('1 day');
    assert.deepEqual(amountsOf(receiver.received.slice(before)), [51]);
  });

  await t.test('fates of another app are none of this one', async () => {
    const other = await newGame(emulator);
    await emulator.call('POST', '/webhooks/drop', { app: other.id, times: 3 });
    assert.deepEqual(amountsOf(await arriving(stage, [61])), [61]);
    assert.deepEqual((await emulator.call('GET', '/webhooks')).armed, [{ kind: 'drop', app: other.id, times: 3 }]);
  });
}

/** Pays these amounts, and returns what has arrived when `delivered` answers. */
async function arriving({ emulator, game, guest, receiver }: Stage, amounts: readonly number[]): Promise<Received[]> {
  const before = receiver.received.length;
  for (const amount of amounts) {
    taken(await game.pay(guest, amount));
    // Otherwise several may share a block, and their events come in any order.
    await emulator.call('POST', '/settle');
  }
  await emulator.call('POST', '/webhooks/delivered');
  return receiver.received.slice(before);
}

const amountsOf = (received: readonly Received[]) => received.map(({ event }) => (event.data as Said).tokens);

function isSigned({ id, headers, body }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${headers['webhook-timestamp']}.${body}`).digest('base64');
  return headers['webhook-signature'] === `v1,${signature}`;
}
