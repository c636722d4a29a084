import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { call } from '../kit/service/call.ts';
import { newPlayer, startGame } from '../kit/service/player.ts';
import { startSecondService } from '../kit/service/second-service.ts';

test('concurrent refunds in two processes never exceed the payment', async (t) => {
  const { s, game } = await startGame(t);
  const second = await startSecondService(t, s, { works: true });
  const player = await newPlayer(s, game, 500);
  const other = await newPlayer(s, game, 500);
  const spend = async (who: typeof player, amount: number) => {
    const { id } = await who.spend(amount);
    await s.settled();
    return id;
  };
  const refund = (i: number, id: string, body: object) =>
    call(i % 2 === 0 ? s.app : second.app, `POST /v1/requests/${id}/refunds`, { token: game.serverKey, body });
  const answers = async (id: string, bodies: readonly object[]) => {
    const all = await Promise.all(bodies.map((body, i) => refund(i, id, body)));
    await s.settled();
    return Object.groupBy(
      all.map((answer) => answer.json()),
      ({ code }) => code ?? 'refunded',
    );
  };
  const refunded = async (id: string) =>
    (await call(s.app, `GET /v1/requests/${id}`, { token: game.serverKey })).json().refunded;

  await t.test('fifty refunds of 3 from a payment of 100: thirty-three succeed', async () => {
    // The app's balance is larger than this payment.
    await spend(other, 400);
    const id = await spend(player, 100);
    const { refunded: done, 'refund-too-large': refused } = await answers(
      id,
      Array.from({ length: 50 }, () => ({ amount: 3 })),
    );
    assert.deepEqual([done?.length, refused?.length, await refunded(id)], [33, 17, 99]);
    assert.deepEqual(await player.spendable(), [499, 0]);
  });

  await t.test('twenty full refunds of one payment: one succeeds', async () => {
    const id = await spend(player, 60);
    const { refunded: done, 'refund-too-large': refused } = await answers(
      id,
      Array.from({ length: 20 }, () => ({})),
    );
    assert.deepEqual([done?.length, refused?.length, await refunded(id)], [1, 19, 60]);
  });

  await t.test('concurrent refunds of two payments are independent', async () => {
    const [first, next] = [await spend(player, 20), await spend(other, 30)];
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, i) => refund(i, i % 4 < 2 ? first : next, { amount: 2 })),
    );
    await s.settled();
    assert.equal(all.filter(({ statusCode }) => statusCode === 200).length, 25);
    assert.deepEqual([await refunded(first), await refunded(next)], [20, 30]);
  });
  await assertLedgerIsChain(s.service);
});
