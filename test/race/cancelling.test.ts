import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expireRequests } from '../../src/jobs/chore-loops.ts';
import { call } from '../api/call.ts';
import { fundedPayment, statusOf, transfersOf } from '../pages/payment.ts';
import { letRequestExpire } from '../rows/requests.ts';
import { assertLedgerIsChain } from '../support/audit.ts';
import { sharedGame } from '../support/player.ts';

test('of concurrent cancelling, approving, declining and expiry, exactly one happens', async (t) => {
  const { s, game } = await sharedGame(t);
  const seen = new Set<string>();
  for (let round = 0; round < 8; round++) {
    const payment = await fundedPayment(s, game, 10);
    const page_token = await payment.formToken();
    const cancel = () => call(s.app, `POST /v1/requests/${payment.id}/cancel`, { token: game.serverKey });
    const expire = async () => {
      await letRequestExpire(s.service.db, payment.id);
      await expireRequests(s.service, 10);
    };
    const moves = [
      cancel,
      () => payment.decide({ page_token, decision: 'approve' }),
      () => payment.decide({ page_token, decision: 'decline' }),
      expire,
    ];
    // A different call is first in each round.
    const order = Array.from({ length: 12 }, (_, i) => moves[(i + round) % moves.length]!);
    const answers = await Promise.all(order.map((move) => move()));
    const decided = await s.service.db.query<{ to_status: string }>(
      `SELECT to_status FROM request_moves WHERE request_id = $1 AND from_status = 'pending'`,
      [payment.id],
    );
    assert.equal(decided.length, 1, 'one decision');
    const { to_status } = decided[0]!;
    seen.add(to_status);
    assert.equal((await transfersOf(s, payment.id)).length, to_status === 'approved' ? 1 : 0);
    const answered = answers.flatMap((answer) => (answer && 'statusCode' in answer ? answer.statusCode : []));
    assert.deepEqual(new Set(answered), new Set([to_status === 'cancelled' ? 200 : 409]));
    if (to_status !== 'approved') assert.equal(await statusOf(s, payment.id), to_status);
  }
  t.diagnostic([...seen].join(', '));
  await s.settled();
  await assertLedgerIsChain(s.service);
});
