import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertInvalid, assertNothingMoves, assertProblem, call } from '../kit/service/call.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { MISTYPED } from '../kit/unit/mistyped.ts';

test('addresses and recipients', async (t) => {
  const { app, createApp, createGuest, issue, service, settled } = await sharedService(t);
  const game = await createApp();
  const guest = await createGuest(game);
  const other = await createGuest(game);
  const [account] = (await call(app, 'GET /v1/accounts', { token: guest.accessToken })).json();
  const address: string = account.address;
  await issue(game.id, 1000);
  const pay = (body: object, from: string = game.address) =>
    call(app, `POST /v1/accounts/${from}/transfer`, { token: game.serverKey, body: { amount: 1, ...body } });

  const malformed = [
    address.slice(0, -1),
    `${address}0`,
    address.slice(2),
    `0x${'g'.repeat(40)}`,
    MISTYPED,
    '0x',
    'x'.repeat(200),
    `0X${address.slice(2)}`,
  ];

  await t.test('a malformed address is refused', () =>
    assertNothingMoves(service, async () => {
      for (const wrong of malformed) {
        for (const what of ['balance', 'rewards']) {
          const answer = await call(app, `GET /v1/accounts/${wrong}/${what}`, { token: guest.accessToken });
          assertInvalid(answer, 'path/address');
        }
        assertInvalid(await pay({ user: guest.userId }, wrong), 'path/address');
        assertInvalid(await pay({ address: wrong }), '/address');
      }
      for (const user of ['x'.repeat(29), guest.userId.slice(1), `${guest.userId.slice(1)}\u0000`, 28]) {
        assertInvalid(await pay({ user }), '/user');
      }
    }),
  );

  await t.test('an unknown address, or an account that is not a user’s, is refused', () =>
    assertNothingMoves(service, async () => {
      const treasury = await service.db.query<{ address: string }>(
        "SELECT address FROM accounts WHERE kind = 'treasury'",
      );
      for (const unknown of [`0x${'12'.repeat(20)}`, game.address, treasury[0]!.address, `0x${'0'.repeat(40)}`]) {
        assertProblem(await pay({ address: unknown }), 404, 'not-found');
      }
      assertProblem(await pay({ user: 'x'.repeat(28) }), 404, 'not-found');
    }),
  );

  await t.test('a payment without a recipient is refused', () =>
    assertNothingMoves(service, async () => {
      for (const none of [{}, { address: '' }, { address: null, user: null }, { address: null, user: '' }]) {
        assertInvalid(await pay(none), '');
      }
    }),
  );

  await t.test('a user and an address of different accounts are refused', () =>
    assertNothingMoves(service, async () => {
      const answer = await pay({ user: other.userId, address });
      assertProblem(answer, 400, 'recipient-mismatch');
      assertProblem(await pay({ user: guest.userId, address: game.address }), 400, 'recipient-mismatch');
    }),
  );

  await t.test('any letter case is accepted, and user and address together if they agree', async () => {
    const recipients = [
      { address },
      { address: address.toLowerCase() },
      { address: `0x${address.slice(2).toUpperCase()}` },
      { user: guest.userId },
      { user: guest.userId, address },
    ];
    for (const recipient of recipients) {
      assert.equal((await pay(recipient, game.address.toLowerCase())).statusCode, 200, JSON.stringify(recipient));
    }
    await settled();
    const balance = await call(app, `GET /v1/accounts/${address.toLowerCase()}/balance`, { token: guest.accessToken });
    assert.equal(balance.json()[0].quarters, String(recipients.length));
  });
});
