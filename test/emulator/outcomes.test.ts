import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext, test } from 'node:test';
import { MAGIC_AMOUNTS, magicAmountsTable } from '../../local/emulator/outcomes/magic-amounts.ts';
import { ArmedOutcomes, isOfCall, isOfPayment } from '../../local/emulator/outcomes/outcome.ts';
import { OPERATION_IDS } from '../../local/emulator/outcomes/outcomes.ts';
import { PROBLEMS } from '../../src/base/problems.ts';
import { decideOnPage, newGame, type Said, startEmulator, type TestEmulator, type TestGame } from './kit.ts';

const DESCRIPTION = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));

const newKey = () => ({ 'idempotency-key': randomUUID() });

test('outcomes on demand', async (t) => {
  const emulator = await startEmulator(t);
  const arm = (outcome: object) => emulator.call('POST', '/outcomes', outcome);
  const settle = () => emulator.call('POST', '/settle');
  const game = await newGame(emulator, { quarters: 60_000 });
  const completed = async (requestId: string): Promise<Said> => {
    await settle();
    const { body } = await game.ask(`/requests/${requestId}`);
    assert.equal(body.status, 'completed');
    return body;
  };

  await refusals(t, { emulator, game, arm });
  await lostAndLate(t, { emulator, game, arm });

  await t.test('the transaction of a payment reverts, and another one pays', async () => {
    await arm({ operation: 'transfer', amount: 6, outcome: { isRevertedOnChain: true } });
    const { body: paid } = await game.pay(6);
    const end = await completed(paid.requestId);
    assert.notEqual(end.txId, paid.txId);
    assert.equal((await receipt(emulator, paid.txId)).status, '0x0');
    assert.equal((await receipt(emulator, end.txId)).status, '0x1');
    assert.deepEqual(await game.eventsOf(paid.requestId), ['transfer.completed']);
  });

  await t.test('the neighbours of a payment that reverts are paid by their own transaction', async () => {
    const lines = [5, 2003, 7].map((amount) => ({ amount, user: game.guest.id }));
    const { body } = await game.ask(`/accounts/${game.address}/transfers`, { transfers: lines });
    const ends: Said[] = [];
    for (const { requestId } of body.transfers) ends.push(await completed(requestId));
    const keptIts = ends.map(({ txId }, i) => txId === body.transfers[i].txId);
    assert.deepEqual(keptIts, [true, false, true]);
  });

  await t.test('a completed payment is taken back by a reorganisation, and completed again', async () => {
    await arm({ operation: 'transfer', outcome: { isReorganizedAway: true } });
    const { body } = await game.pay(8);
    await completed(body.requestId);
    const told = ['transfer.completed', 'transfer.reorged', 'transfer.completed'];
    assert.deepEqual(await game.eventsOf(body.requestId), told);
    const { body: next } = await game.pay(8);
    await completed(next.requestId);
    assert.deepEqual(await game.eventsOf(next.requestId), ['transfer.completed']);
  });

  await t.test('what was armed for a new request is for its payment, when the player approves', async () => {
    await arm({ operation: 'createRequest', app: game.id, outcome: { isReorganizedAway: true } });
    const { body } = await game.ask('/requests', { tokens: 3, appId: game.id, userId: game.guest.id });
    const { body: other } = await game.ask('/requests', { tokens: 4, appId: game.id, userId: game.guest.id });
    for (const { id } of [other, body]) {
      const { status } = await decideOnPage(emulator, game, id, 'approve');
      assert.ok(status < 400, `${status}`);
      await completed(id);
    }
    const told = ['request.approved', 'request.completed'];
    assert.deepEqual(await game.eventsOf(other.id), told);
    assert.deepEqual(await game.eventsOf(body.id), [...told, 'request.reorged', 'request.completed']);
  });

  await magicAmounts(t, emulator, game);

  await t.test('a reset forgets what was armed', async () => {
    await arm({ operation: 'any', outcome: { fails: 'internal' } });
    await emulator.call('POST', '/reset');
    assert.deepEqual(await emulator.call('GET', '/outcomes'), { outcomes: [] });
    const { body } = await (await newGame(emulator)).pay(5);
    assert.match(body.txId, /^0x/);
  });
});

type Stage = {
  readonly emulator: TestEmulator;
  readonly game: TestGame;
  readonly arm: (outcome: object) => Promise<unknown>;
};

async function refusals(t: TestContext, { emulator, game, arm }: Stage): Promise<void> {
  await t.test('a call is refused as often as asked, and nothing is done', async () => {
    const before = await game.balance();
    await arm({ operation: 'transfer', times: 2, outcome: { fails: 'app-backlog-full' } });
    const headers = newKey();
    for (const left of [1, 0]) {
      const { status, headers: answered, body } = await game.pay(5, headers);
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
    assert.equal(await game.balance(), before);
    assert.equal((await game.pay(5, headers)).status, 200);
  });

  await t.test('only calls of the operation, the app and the amount that were named', async () => {
    const other = await newGame(emulator);
    await arm({ operation: 'transfer', app: other.id, amount: 9, outcome: { fails: 'key-limit' } });
    assert.equal((await game.pay(9)).status, 200);
    assert.equal((await other.pay(8)).status, 200);
    assert.equal((await other.ask('/requests', { tokens: 9, appId: other.id, userId: other.guest.id })).status, 201);
    assert.equal((await other.pay(9)).body.code, 'key-limit');
    await arm({ operation: 'any', app: other.id, outcome: { fails: 'token-expired' } });
    await arm({ operation: 'transferToMany', outcome: { fails: 'overloaded' } });
    const { status, headers } = await other.ask('/events');
    assert.equal(status, 401);
    assert.match(headers.get('www-authenticate') ?? '', /invalid_token/);
    await emulator.call('DELETE', '/outcomes');
    assert.deepEqual(await emulator.call('GET', '/outcomes'), { outcomes: [] });
  });

  await t.test('what cannot come about is refused in a sentence', async () => {
    const refused = (outcome: object, because: RegExp) => assert.rejects(arm(outcome), because);
    await refused({ operation: 'getKeys', outcome: { isRevertedOnChain: true } }, /409 getKeys pays nothing/);
    await refused({ operation: 'any', app: 'x', outcome: { fails: 'internal' } }, /409 There is no app x/);
    await refused({ operation: 'pay', outcome: { fails: 'internal' } }, /400 .*operation/);
    await refused({ operation: 'any', outcome: { fails: 'too-late' } }, /400 .*fails/);
    await refused({ operation: 'any', outcome: {} }, /400 /);
    await refused({ operation: 'any', outcome: { answersAfter: 'soon' } }, /400 .*is no duration/);
    await refused({ operation: 'any', outcome: { answersAfter: '11 min' } }, /400 .*to 600000 ms/);
    await refused({ operation: 'any', outcome: { answersAfter: 1, answerIsLost: true } }, /400 /);
  });
}

async function lostAndLate(t: TestContext, { emulator, game, arm }: Stage): Promise<void> {
  await t.test(
    'an answer is lost: with its Idempotency-Key the call is done once, without one it is done again',
    async () => {
      for (const [headers, paid] of [
        [newKey(), 5],
        [{}, 10],
      ] as const) {
        await emulator.call('POST', '/settle');
        const before = await game.balance();
        await arm({ operation: 'transfer', outcome: { answerIsLost: true } });
        await assert.rejects(game.pay(5, headers), TypeError);
        assert.equal((await game.pay(5, headers)).status, 200);
        await emulator.call('POST', '/settle');
        assert.equal(await game.balance(), before + paid);
      }
    },
  );

  await t.test('an answer comes late, and what was asked is done by then', async () => {
    await arm({ operation: 'createRequest', outcome: { answersAfter: '10 min' } });
    const impatient = new AbortController();
    const body = { tokens: 11, appId: game.id, userId: game.guest.id };
    const asked = game.ask('/requests', body, {}, impatient.signal);
    let made: Said[] = [];
    while (made.length === 0) {
      const { body: page } = await game.ask('/requests');
      made = page.data.filter(({ tokens }: Said) => tokens === 11);
    }
    impatient.abort();
    await assert.rejects(asked, { name: 'AbortError' });
    await arm({ operation: 'transfer', outcome: { answersAfter: '50 ms' } });
    assert.equal((await game.pay(5)).status, 200);
  });
}

async function magicAmounts(t: TestContext, emulator: TestEmulator, game: TestGame): Promise<void> {
  for (const [amount, outcome] of MAGIC_AMOUNTS) {
    if (!('fails' in outcome)) continue;
    await t.test(`a payment of ${amount} is refused with ${outcome.fails}`, async () => {
      const { status, body } = await game.pay(amount);
      assert.equal(body.code, outcome.fails);
      assert.equal(status, Math.floor(amount / 10));
    });
  }

  await t.test('a player may be asked for an amount that decides, and is refused when they approve', async () => {
    await game.pay(5_000);
    await emulator.call('POST', '/settle');
    const { status, body } = await game.ask('/requests', { tokens: 4021, appId: game.id, userId: game.guest.id });
    assert.equal(status, 201);
    const shown = await decideOnPage(emulator, game, body.id, 'approve');
    assert.equal(shown.status, 402);
    assert.match(shown.html, /enough quarters/);
    assert.equal((await game.ask(`/requests/${body.id}`)).body.status, 'pending');
  });

  await t.test('amounts decide what comes of an answer and of a payment, too', async () => {
    const headers = newKey();
    await assert.rejects(game.pay(2001, headers), TypeError);
    assert.equal((await game.pay(2001, headers)).status, 200);
    const reverted = (await game.pay(2003)).body;
    await emulator.call('POST', '/settle');
    assert.equal((await receipt(emulator, reverted.txId)).status, '0x0');
    const reorganised = (await game.pay(2004)).body;
    await emulator.call('POST', '/settle');
    assert.ok((await game.eventsOf(reorganised.requestId)).includes('transfer.reorged'));
    for (const { requestId } of [reverted, reorganised])
      assert.equal((await game.ask(`/requests/${requestId}`)).body.status, 'completed');
  });
}

async function receipt({ rpcUrl }: TestEmulator, hash: string): Promise<Said> {
  const answer = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [hash] }),
  });
  return ((await answer.json()) as Said).result;
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
