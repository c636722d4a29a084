import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext, test } from 'node:test';
import { MAGIC_AMOUNTS, magicAmountsTable } from '../../local/emulator/outcomes/magic-amounts.ts';
import { ArmedOutcomes, isOfCall, isOfPayment } from '../../local/emulator/outcomes/outcome.ts';
import { OPERATION_IDS } from '../../local/emulator/outcomes/outcomes.ts';
import { PROBLEMS } from '../../src/base/problems.ts';
import {
  type Answered,
  freshEmulator,
  type Game,
  newGame,
  type Player,
  type Said,
  type TestEmulator,
  taken,
} from './kit.ts';

const DESCRIPTION = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));

const newKey = () => ({ 'idempotency-key': randomUUID() });

test('outcomes on demand', async (t) => {
  const emulator = await freshEmulator();
  const arm = (outcome: object) => emulator.call('POST', '/outcomes', outcome);
  const game = await newGame(emulator, { quarters: 60_000 });
  const guest = await game.newPlayer();
  const stage: Stage = {
    ...{ emulator, game, guest, arm },
    pay: (amount, headers) => game.pay(guest, amount, headers),
    async completed(id) {
      await emulator.call('POST', '/settle');
      const request = taken(await game.server(`/requests/${id}`));
      assert.equal(request.status, 'completed');
      return request;
    },
  };
  await refusals(t, stage);
  await lostAndLate(t, stage);
  await onTheChain(t, stage);
  await magicAmounts(t, stage);

  await t.test('a reset forgets what was armed', async () => {
    await arm({ operation: 'any', outcome: { fails: 'internal' } });
    await emulator.call('POST', '/reset');
    assert.deepEqual(await emulator.call('GET', '/outcomes'), { outcomes: [] });
    assert.equal((await (await newGame(emulator)).server('/events')).status, 200);
  });
});

type Stage = {
  readonly emulator: TestEmulator;
  readonly game: Game;
  readonly guest: Player;
  readonly arm: (outcome: object) => Promise<unknown>;
  readonly pay: (amount: number, headers?: Readonly<Record<string, string>>) => Promise<Answered>;
  /** The request, which is to be completed as soon as all is settled. */
  readonly completed: (id: string) => Promise<Said>;
};

async function onTheChain(t: TestContext, { emulator, game, guest, arm, pay, completed }: Stage): Promise<void> {
  const statusOnChain = async (hash: string) => (await emulator.rpc('eth_getTransactionReceipt', hash)).status;

  await t.test('the transaction of a payment reverts, and another one pays', async () => {
    await arm({ operation: 'transfer', amount: 6, outcome: { isRevertedOnChain: true } });
    const { body: paid } = await pay(6);
    const end = await completed(paid.requestId);
    assert.notEqual(end.txId, paid.txId);
    assert.deepEqual([await statusOnChain(paid.txId), await statusOnChain(end.txId)], ['0x0', '0x1']);
    assert.deepEqual(await game.events(paid.requestId), ['transfer.completed']);
  });

  await t.test('the neighbours of a payment that reverts are paid by their own transaction', async () => {
    const lines = [5, 2003, 7].map((amount) => ({ amount, user: guest.id }));
    const { body } = await game.server(`/accounts/${game.address}/transfers`, { transfers: lines });
    const ends: Said[] = [];
    for (const { requestId } of body.transfers) ends.push(await completed(requestId));
    const keptIts = ends.map(({ txId }, i) => txId === body.transfers[i].txId);
    assert.deepEqual(keptIts, [true, false, true]);
  });

  await t.test('a completed payment is taken back by a reorganisation, and completed again', async () => {
    await arm({ operation: 'transfer', outcome: { isReorganizedAway: true } });
    const { body } = await pay(8);
    await completed(body.requestId);
    const told = ['transfer.completed', 'transfer.reorged', 'transfer.completed'];
    assert.deepEqual(await game.events(body.requestId), told);
    const { body: next } = await pay(8);
    await completed(next.requestId);
    assert.deepEqual(await game.events(next.requestId), ['transfer.completed']);
  });

  await t.test('what was armed for a new request is for its payment, when the player approves', async () => {
    await arm({ operation: 'createRequest', app: game.id, outcome: { isReorganizedAway: true } });
    const [request, other] = [await game.ask(guest, 3), await game.ask(guest, 4)];
    for (const id of [other, request]) {
      await game.act(guest, 'approve', { request: id });
      await completed(id);
    }
    const told = ['request.approved', 'request.completed'];
    assert.deepEqual(await game.events(other), told);
    assert.deepEqual(await game.events(request), [...told, 'request.reorged', 'request.completed']);
  });
}

async function refusals(t: TestContext, { emulator, game, guest, arm, pay }: Stage): Promise<void> {
  await t.test('a call is refused as often as asked, and nothing is done', async () => {
    const before = await game.quarters(guest);
    await arm({ operation: 'transfer', times: 2, outcome: { fails: 'app-backlog-full' } });
    const headers = newKey();
    for (const left of [1, 0]) {
      const { status, headers: answered, body } = await pay(5, headers);
      assert.equal(status, 429);
      assert.equal(answered.get('content-type'), 'application/problem+json');
      assert.equal(answered.get('retry-after'), '1');
      assert.ok(answered.get('request-id'));
      assert.equal(body.code, 'app-backlog-full');
      assert.equal(body.title, PROBLEMS['app-backlog-full'].title);
      const { outcomes } = await emulator.call('GET', '/outcomes');
      assert.deepEqual(
        outcomes.map(({ times }: Said) => times),
        left === 0 ? [] : [left],
      );
    }
    await emulator.call('POST', '/settle');
    assert.equal(await game.quarters(guest), before);
    assert.equal((await pay(5, headers)).status, 200);
  });

  await t.test('only calls of the operation, the app and the amount that were named', async () => {
    const other = await newGame(emulator);
    const player = await other.newPlayer({ quarters: 0 });
    await arm({ operation: 'transfer', app: other.id, amount: 9, outcome: { fails: 'key-limit' } });
    assert.equal((await pay(9)).status, 200);
    assert.equal((await other.pay(player, 8)).status, 200);
    assert.ok(await other.ask(player, 9));
    assert.equal((await other.pay(player, 9)).body.code, 'key-limit');
    await arm({ operation: 'any', app: other.id, outcome: { fails: 'token-expired' } });
    await arm({ operation: 'transferToMany', outcome: { fails: 'overloaded' } });
    const { status, headers } = await other.server('/events');
    assert.equal(status, 401);
    assert.match(headers.get('www-authenticate') ?? '', /invalid_token/);
    await emulator.call('DELETE', '/outcomes');
    assert.deepEqual(await emulator.call('GET', '/outcomes'), { outcomes: [] });
  });

  await t.test('what cannot come about is refused in a sentence', async () => {
    for (const [outcome, expected, because] of [
      [{ operation: 'getKeys', outcome: { isRevertedOnChain: true } }, 409, /getKeys pays nothing/],
      [{ operation: 'any', app: 'x', outcome: { fails: 'internal' } }, 409, /There is no app x/],
      [{ operation: 'pay', outcome: { fails: 'internal' } }, 400, /operation/],
      [{ operation: 'any', outcome: { fails: 'too-late' } }, 400, /fails/],
      [{ operation: 'any', outcome: {} }, 400, /./],
      [{ operation: 'any', outcome: { answersAfter: 'soon' } }, 400, /is no duration/],
      [{ operation: 'any', outcome: { answersAfter: '11 min' } }, 400, /to 600000 ms/],
      [{ operation: 'any', outcome: { answersAfter: 1, answerIsLost: true } }, 400, /./],
    ] as const) {
      const { status, message } = await emulator.refused('POST', '/outcomes', outcome);
      assert.equal(status, expected);
      assert.match(message, because);
    }
  });
}

async function lostAndLate(t: TestContext, { emulator, game, guest, arm, pay }: Stage): Promise<void> {
  await t.test(
    'an answer is lost: with its Idempotency-Key the call is done once, without one it is done again',
    async () => {
      for (const [headers, paid] of [
        [newKey(), 5],
        [{}, 10],
      ] as const) {
        await emulator.call('POST', '/settle');
        const before = await game.quarters(guest);
        await arm({ operation: 'transfer', outcome: { answerIsLost: true } });
        await assert.rejects(pay(5, headers), TypeError);
        assert.equal((await pay(5, headers)).status, 200);
        await emulator.call('POST', '/settle');
        assert.equal(await game.quarters(guest), before + paid);
      }
    },
  );

  await t.test('an answer comes late, and what was asked is done by then', async () => {
    await arm({ operation: 'createRequest', outcome: { answersAfter: '10 min' } });
    const impatient = new AbortController();
    const body = { tokens: 11, appId: game.id, userId: guest.id };
    const asked = game.server('/requests', body, { signal: impatient.signal });
    let made: Said[] = [];
    while (made.length === 0) {
      const { body: page } = await game.server('/requests');
      made = page.data.filter(({ tokens }: Said) => tokens === 11);
    }
    impatient.abort();
    await assert.rejects(asked, { name: 'AbortError' });
    await arm({ operation: 'transfer', outcome: { answersAfter: '50 ms' } });
    assert.equal((await pay(5)).status, 200);
  });
}

async function magicAmounts(t: TestContext, { emulator, game, guest, pay, completed }: Stage): Promise<void> {
  await t.test('amounts decide with which code a payment is refused', async () => {
    for (const [amount, outcome] of MAGIC_AMOUNTS) {
      if (!('fails' in outcome)) continue;
      const { status, body } = await pay(amount);
      assert.deepEqual([amount, status, body.code], [amount, Math.floor(amount / 10), outcome.fails]);
    }
  });

  await t.test('a player may be asked for an amount that decides, and is refused when they approve', async () => {
    taken(await pay(5_000));
    await emulator.call('POST', '/settle');
    const request = await game.ask(guest, 4021);
    const { status, code } = await emulator.refused('POST', `/players/${guest.id}/approve`, { request });
    assert.deepEqual([status, code], [402, 'insufficient-quarters']);
    assert.equal(await game.status(request), 'pending');
  });

  await t.test('amounts decide what comes of an answer and of a payment, too', async () => {
    const headers = newKey();
    await assert.rejects(pay(2001, headers), TypeError);
    assert.equal((await pay(2001, headers)).status, 200);
    const { requestId } = taken(await pay(2004));
    await completed(requestId);
    assert.ok((await game.events(requestId)).includes('transfer.reorged'));
  });
}

describe('what can be armed', () => {
  it('names the operations as the API describes them', () => {
    const described = Object.values(DESCRIPTION.paths).flatMap((path) =>
      Object.values(path as Said).flatMap((operation: Said) => operation.operationId ?? []),
    );
    assert.deepEqual(
      OPERATION_IDS.filter((id) => !described.includes(id)),
      [],
    );
    assert.ok(OPERATION_IDS.includes('transferToMany'));
  });

  it('is taken in its order, and given back by a call that came to nothing', () => {
    const armed = new ArmedOutcomes();
    armed.arm({ operation: 'any', times: 1, outcome: { isRevertedOnChain: true } });
    armed.arm({ operation: 'any', times: 1, outcome: { fails: 'internal' } });
    armed.arm({ operation: 'any', amount: 5, times: 1, outcome: { answerIsLost: true } });
    const called = { operation: 'transfer', appId: null, amounts: [5] };
    const taken = armed.take(called, isOfPayment)!;
    assert.equal(armed.take(called, isOfPayment), null);
    taken.giveBack();
    assert.deepEqual(armed.take(called, isOfPayment)?.outcome, { isRevertedOnChain: true });
    assert.deepEqual(armed.take(called, isOfCall)?.outcome, { fails: 'internal' });
    assert.equal(armed.take({ ...called, amounts: [6] }, isOfCall), null);
    assert.deepEqual(armed.take(called, isOfCall)?.outcome, { answerIsLost: true });
  });

  it('by an amount is listed in a table, and no usual price is in it', () => {
    const amounts = [...MAGIC_AMOUNTS.keys()];
    assert.ok(amounts.every((amount) => /[1-4]$/.test(`${amount}`) && amount < 10_000));
    const table = magicAmountsTable();
    for (const amount of amounts) assert.match(table, new RegExp(`^\\| ${amount} \\| .+ \\|$`, 'm'));
  });
});
