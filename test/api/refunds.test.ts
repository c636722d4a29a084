import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toChecksum } from '../../src/base/address.ts';
import { newRequestId, type RequestId } from '../../src/base/ids.ts';
import { lazily } from '../../src/base/lazily.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { refundRequest } from '../../src/features/payments/refund-request.ts';
import { idempotencyKey } from '../../src/idempotency/keys.ts';
import { closeAccountOfUser } from '../../src/ledger/closed-accounts.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import type { Service } from '../../src/service/service.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { assertInvalid, assertNothingMoves, assertProblem, call } from '../kit/service/call.ts';
import { newPayment } from '../kit/service/payment.ts';
import { signIn } from '../kit/service/people.ts';
import { newPlayer, sharedGame } from '../kit/service/player.ts';
import { visit } from '../kit/service/visits.ts';
import { asApp } from '../kit/unit/callers.ts';
import { revokeOtherSecrets } from '../rows/apps.ts';

test('an app refunds payments', async (t) => {
  const { s, game } = await sharedGame(t);
  const { app, service } = s;
  const other = await s.createApp();
  const player = await newPlayer(s, game, 1_000);
  const spend = async (amount: number) => {
    const { id } = await player.spend(amount);
    await s.settled();
    return id;
  };
  const refund = (id: string, body?: object, token = game.serverKey, headers = {}) =>
    call(app, `POST /v1/requests/${id}/refunds`, { token, headers, ...(body && { body }) });
  const read = async (id: string, token = game.serverKey) =>
    (await call(app, `GET /v1/requests/${id}`, { token })).json();

  await t.test('a payment is refunded in parts, then the rest', async () => {
    const id = await spend(100);
    const part = await refund(id.toUpperCase(), { amount: 30 });
    assert.equal(part.statusCode, 200, part.body);
    const { requestId, txId, ...rest } = part.json();
    assert.deepEqual(rest, { refundOf: id, amount: 30 });
    assert.equal((await read(id)).refunded, 30);
    // What serializers write for "not set" is the rest, too.
    const whole = (await refund(id, { amount: 0 })).json();
    assert.deepEqual([whole.refundOf, whole.amount], [id, 70]);
    await s.settled();
    assert.deepEqual(await player.spendable(), [1_000, 0]);
    const payment = await read(id);
    assert.deepEqual([payment.status, payment.refunded, payment.refundOf], ['completed', 100, null]);
    const { tokens, status, refunded, refundOf, txId: paidBy, description, appAddress } = await read(requestId);
    assert.deepEqual(
      { tokens, status, refunded, refundOf, paidBy, description, appAddress },
      {
        tokens: 30,
        status: 'completed',
        refunded: 0,
        refundOf: id,
        paidBy: txId,
        description: 'a sword',
        appAddress: game.address,
      },
    );
    const listed = (await call(app, `GET /v1/transfers?requestId=${requestId}`, { token: game.serverKey })).json().data;
    assert.deepEqual(
      [listed.length, listed[0].refundOf, listed[0].amount, listed[0].to],
      [1, id, 30, toChecksum(player.user.address)],
    );
  });

  await t.test('refunds together cannot exceed the payment', async () => {
    const id = await spend(10);
    assert.equal((await refund(id, { amount: 8 })).statusCode, 200);
    await s.settled();
    await assertNothingMoves(service, async () => {
      const problem = assertProblem(await refund(id, { amount: 3 }), 409, 'refund-too-large');
      assert.match(problem.detail, /^2 quarters are left/);
    });
    assert.equal((await refund(id, {})).json().amount, 2);
    await s.settled();
    await assertNothingMoves(service, async () => {
      for (const body of [undefined, {}, { amount: 1 }]) {
        assertProblem(await refund(id, body), 409, 'refund-too-large');
      }
    });
  });

  await t.test('the part that a reward paid is refunded in quarters', async () => {
    const [before] = await player.spendable();
    await player.grant(25);
    const id = await spend(40);
    assert.deepEqual(await player.spendable(), [before - 15, 0]);
    assert.equal((await refund(id)).json().amount, 40);
    await s.settled();
    assert.deepEqual(await player.spendable(), [before + 25, 0]);
  });

  await t.test('only completed payments to the app can be refunded, with a key that has the scope', async () => {
    const pending = await newPayment(s, game);
    const id = await spend(20);
    const paid = await call(app, `POST /v1/accounts/${game.address}/transfer`, {
      token: game.serverKey,
      body: { amount: 5, user: player.user.userId },
    });
    const earlier = (await refund(id, { amount: 1 })).json().requestId;
    await s.settled();
    const shipped = await issueKey(service, OPERATOR, game.id, { kind: 'server', scopes: ['guests'], payPerDay: null });
    await assertNothingMoves(service, async () => {
      assertProblem(await refund(pending.id), 409, 'not-refundable');
      assertProblem(await refund(paid.json().requestId), 409, 'not-refundable');
      assertProblem(await refund(earlier), 409, 'not-refundable');
      assertProblem(await refund(id, {}, other.serverKey), 404, 'not-found');
      assertProblem(await refund(newRequestId()), 404, 'not-found');
      assertProblem(await refund('x'), 404, 'not-found');
      assertProblem(await refund(id, {}, player.user.accessToken), 403, 'credential-not-allowed');
      assertProblem(await refund(id, {}, shipped), 403, 'insufficient-scope');
      for (const amount of [-1, 1.5, '1', 2 ** 53]) assertInvalid(await refund(id, { amount }), '/amount');
      assertInvalid(await refund(id, []), '');
    });
  });

  await t.test('a refund needs quarters of the app and room in its key’s limit', async () => {
    const id = await spend(50);
    const [account] = await service.db.query<{ free: bigint }>(
      'SELECT posted - held AS free FROM accounts WHERE app_id = $1',
      [game.id],
    );
    await call(app, `POST /v1/accounts/${game.address}/transfer`, {
      token: game.serverKey,
      body: { amount: Number(account!.free) - 20, user: player.user.userId },
    });
    await s.settled();
    await revokeOtherSecrets(service.db, game.id, game.serverKey);
    const capped = await issueKey(service, OPERATOR, game.id, {
      kind: 'server',
      scopes: ['pay'],
      payPerDay: asQuarters(4),
    });
    await assertNothingMoves(service, async () => {
      assertProblem(await refund(id), 402, 'insufficient-quarters');
      assertProblem(await refund(id, { amount: 5 }, capped), 403, 'key-limit');
    });
    assert.equal((await refund(id, { amount: 4 }, capped)).statusCode, 200);
    assertProblem(await refund(id, { amount: 1 }, capped), 403, 'key-limit');
    await s.settled();
  });

  await t.test('the player sees a refund on the page and in the export', async () => {
    const id = await spend(16);
    await refund(id, { amount: 16 });
    await s.settled();
    const person = await signIn(s, player.user.userId);
    const { body } = await visit(s, person, '/account/activity');
    assert.match(body.split('class="activity"')[1]!, /“a sword”[\s\S]*Refunded[\s\S]*\+16/);
    const table = (await visit(s, person, '/account/export.csv')).body.split('\r\n');
    assert.match(table[1]!, /refund.*completed.*in.*16/);
  });

  await t.test('a committed refund is answered, even if the database goes away then', async () => {
    const id = (await spend(10)) as RequestId;
    let isAway = false;
    const query: typeof service.db.query = async (...statement) => {
      if (isAway) throw new Error('connect ECONNREFUSED');
      return service.db.query(...statement);
    };
    const decide: typeof service.accept = async (order) => {
      const decided = await service.accept(order);
      isAway = true;
      return decided;
    };
    const shaky = { ...service, decide, db: { ...service.db, query } };
    const { requestId, amount } = await refundRequest(shaky, asApp(game.id), { requestId: id, amount: 4 });
    assert.equal(amount, 4n);
    assert.equal((await read(requestId)).refundOf, id);
    assert.equal((await read(id)).refunded, 4);
  });

  await t.test('all of it by two equal calls at once is one refund, and both get its answer', async () => {
    const id = (await spend(12)) as RequestId;
    const idempotency = idempotencyKey(['test'], 'all of it', '');
    const ask = (by: Service) => refundRequest(by, asApp(game.id), { requestId: id, idempotency });
    const first = lazily(() => ask(service));
    const query: typeof service.db.query = async (...statement) => {
      // The other call commits after this one has read its key, and before it reads what is left.
      if (/refund_of/.test(statement[0]) && /sum/.test(statement[0])) await first();
      return service.db.query(...statement);
    };
    const second = await ask({ ...service, db: { ...service.db, query } });
    assert.deepEqual(second, { ...(await first()), replayed: true });
    assert.equal((await read(id)).refunded, 12);
    await s.settled();
  });

  await t.test('a refund to a closed account is refused', async () => {
    const leaving = await newPlayer(s, game, 30);
    const { id } = await leaving.spend(30);
    await s.settled();
    await service.db.transaction((tx) => closeAccountOfUser(tx, leaving.user.userId));
    await assertNothingMoves(service, async () => {
      assertProblem(await refund(id), 409, 'account-closed');
    });
    await assertLedgerIsChain(service);
  });
});
