import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asQuarters } from '../../src/base/quarters.ts';
import { assertInvalid, assertNothingMoves, assertProblem, call } from '../kit/service/call.ts';
import { fundedPayment, newPayment } from '../kit/service/payment.ts';
import { startSecondService } from '../kit/service/second-service.ts';
import { startTestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';

/** As JSON text, because `JSON.stringify` would round or drop some. */
const REFUSED = [
  '0',
  '-0',
  '-1',
  '1.5',
  '"10"',
  'true',
  '[10]',
  '{}',
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740992',
  '9007199254740993',
  '9007199254740990.9999',
  '1.0000000000000000001',
  '0.99999999999999999999',
  '1e16',
];

test('amounts of quarters', async (t) => {
  const tested = await startTestService(t, { env: { MAX_AMOUNT: '1000' } });
  const { app, createApp, createGuest, issue, service, settled } = tested;
  const game = await createApp();
  const guest = await createGuest(game);
  await issue(game.id, 5000);

  const pay = (amount: string) =>
    call(app, `POST /v1/accounts/${game.address}/transfer`, {
      token: game.serverKey,
      text: `{"user":"${guest.userId}"${amount && `,"amount":${amount}`}}`,
    });
  const ask = (tokens: string) =>
    call(app, 'POST /v1/requests', {
      token: guest.accessToken,
      text: `{"appId":"${game.id}"${tokens && `,"tokens":${tokens}`}}`,
    });

  await t.test('an invalid amount is refused with a pointer to it', () =>
    assertNothingMoves(service, async () => {
      for (const amount of REFUSED) {
        const refused = assertInvalid(await pay(amount), '/amount');
        assert.match(
          refused.detail!,
          /^amount must be a whole number of quarters from 1 to 9007199254740991(\.$|: ".*" \w+)/,
        );
        assertInvalid(await ask(amount), '/tokens');
      }
      for (const absent of ['', '""', 'null']) {
        assert.equal(assertInvalid(await pay(absent), '/amount').detail, 'amount is required.');
      }
      assertInvalid(await ask(''), '/tokens');
    }),
  );

  await t.test("an amount above the operator's limit is refused", () =>
    assertNothingMoves(service, async () => {
      for (const amount of ['1001', '9007199254740991']) {
        assertProblem(await pay(amount), 400, 'amount-too-large');
        assertProblem(await ask(amount), 400, 'amount-too-large');
      }
    }),
  );

  await t.test('a request above a limit that was lowered later cannot be approved', async (t) => {
    const enabled = await createApp({ autoApprove: true });
    const { guest: player, decide, id: approved } = await fundedPayment(tested, enabled);
    assert.equal((await decide({ decision: 'approve', mandate: 'on' })).status, 200);
    const { id } = await newPayment(tested, enabled, { guest: player });
    const lowered = await startSecondService(t, tested, { settings: { maxAmount: asQuarters(4) } });
    const approve = (requestId: string) =>
      call(lowered.app, `POST /v1/requests/${requestId}/autoApprove`, {
        token: player.accessToken,
        body: { clientId: enabled.id, userId: player.userId, address: player.address },
      });
    const page = await newPayment({ ...tested, app: lowered.app }, enabled, { guest: player });
    await settled();
    await assertNothingMoves(service, async () => {
      const onPage = await page.decide({ decision: 'approve' });
      assert.equal(onPage.status, 400);
      assert.match(onPage.body, /This payment is above the current limit\. Nothing was taken\./);
      assertProblem(await approve(id), 400, 'amount-too-large');
      assert.equal((await approve(approved)).statusCode, 200, 'what was approved is answered as it was');
    });
  });

  await t.test('a whole number in any JSON spelling is accepted as an amount', async () => {
    for (const amount of ['10', '10.0', '1e1', '1.0E1']) {
      assert.equal((await pay(amount)).statusCode, 200, amount);
      assert.equal((await ask(amount)).json().tokens, 10, amount);
    }
    await settled();
    const balance = await call(app, `GET /v1/accounts/${guest.address}/balance`, { token: guest.accessToken });
    assert.equal(balance.json()[0].quarters, '40');
  });
});

test('a payment without enough quarters is refused and holds nothing', async (t) => {
  const { app, createApp, createGuest, issue, service } = await sharedService(t);
  const game = await createApp();
  const guest = await createGuest(game);
  const pay = (amount: number) =>
    call(app, `POST /v1/accounts/${game.address}/transfer`, {
      token: game.serverKey,
      body: { amount, user: guest.userId },
    });
  await assertNothingMoves(service, async () => {
    assertProblem(await pay(1), 402, 'insufficient-quarters');
  });
  await issue(game.id, 100);
  await assertNothingMoves(service, async () => {
    for (const amount of [101, 9007199254740991]) assertProblem(await pay(amount), 402, 'insufficient-quarters');
  });
});
