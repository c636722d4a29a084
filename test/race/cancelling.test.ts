import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expireRequests } from '../../src/jobs/chore-loops.ts';
import { after } from '../../src/requests/states.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { call } from '../kit/service/call.ts';
import { fundedPayment, statusOf, transfersOf } from '../kit/service/payment.ts';
import { sharedGame } from '../kit/service/player.ts';
import { letRequestExpire } from '../rows/requests.ts';
import { readTransitions } from '../rows/transitions.ts';

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
    // An expiry needs no HTTP and nearly always wins, so every other round has none.
    const moves = [
      cancel,
      () => payment.decide({ page_token, decision: 'approve' }),
      () => payment.decide({ page_token, decision: 'decline' }),
      ...(round % 2 === 0 ? [expire] : []),
    ];
    // A different call is first in each round.
    const order = Array.from({ length: 12 }, (_, i) => moves[(i + round) % moves.length]!);
    const answers = await Promise.all(order.map((move) => move()));
    const made = await readTransitions(s.service.db, payment.id);
    const decided = made.filter(({ event }) => event !== 'create' && after('pending', event) !== null);
    assert.equal(decided.length, 1, 'one decision');
    const { to } = decided[0]!;
    seen.add(to);
    assert.equal((await transfersOf(s, payment.id)).length, to === 'approved' ? 1 : 0);
    const answered = answers.flatMap((answer) => (answer && 'statusCode' in answer ? answer.statusCode : []));
    assert.deepEqual(new Set(answered), new Set([to === 'cancelled' ? 200 : 409]));
    if (to !== 'approved') assert.equal(await statusOf(s, payment.id), to);
  }
  t.diagnostic([...seen].join(', '));
  await s.settled();
  await assertLedgerIsChain(s.service);
});
