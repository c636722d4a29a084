import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fundedPayment, newPayment, statusOf, transfersOf } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { readTransitions } from '../rows/transitions.ts';

test('concurrent decisions about requests', async (t) => {
  const service = await sharedService(t);
  const app = await service.createApp({ redirectUris: ['https://game.example/'] });

  await t.test('of 20 concurrent forms exactly one decides, and all get the same answer', async () => {
    for (let round = 0; round < 5; round++) {
      const payment = await fundedPayment(service, app, 10);
      const page_token = await payment.formToken();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          payment.decide({ page_token, decision: (i + round) % 2 ? 'approve' : 'decline' }),
        ),
      );
      const [location, ...others] = new Set(answers.map((answer) => `${answer.status} ${answer.location}`));
      assert.deepEqual(others, []);
      const transfers = await transfersOf(service, payment.id);
      const status = await statusOf(service, payment.id);
      if (status === 'declined') {
        assert.equal(transfers.length, 0);
        assert.equal(location, `303 https://game.example/?cancel=true&requestId=${payment.id}`);
      } else {
        assert.equal(transfers.length, 1);
        assert.equal(location, `303 https://game.example/?txId=${transfers[0]}&requestId=${payment.id}`);
      }
      const made = await readTransitions(service.service.db, payment.id);
      assert.equal(made.filter(({ event }) => event === 'approve' || event === 'decline').length, 1);
    }
  });

  await t.test('of two concurrent approvals that each need the whole balance, one is paid', async () => {
    const first = await fundedPayment(service, app, 10);
    const second = await newPayment(service, app, { guest: first.guest });
    const answers = await Promise.all([first, second].map((payment) => payment.decide({ decision: 'approve' })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 402]);
  });
});
