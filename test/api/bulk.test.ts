import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asQuarters } from '../../src/base/quarters.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { assertInvalid, assertNothingMoves, assertProblem, call } from '../kit/service/call.ts';
import { startHeldChain } from '../kit/service/held-chain.ts';
import { startTestService } from '../kit/service/service.ts';

type Line = { requestId?: string; txId?: string; reference?: string; error?: { code: string; status: number } };

test('an app pays many players in one call', async (t) => {
  const s = await startTestService(t, { env: { MAX_AMOUNT: '5000' } });
  const { app, service } = s;
  const game = await s.createApp();
  const guests = [await s.createGuest(game), await s.createGuest(game), await s.createGuest(game)];
  const [ada, bob, cleo] = guests as [(typeof guests)[0], (typeof guests)[0], (typeof guests)[0]];
  await s.issue(game.id, 2_000);
  const pay = (transfers: unknown, headers = {}, token = game.serverKey, from: string = game.address) =>
    call(app, `POST /v1/accounts/${from}/transfers`, { token, headers, body: { transfers } });
  const linesOf = (answer: Awaited<ReturnType<typeof pay>>): Line[] => {
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json().transfers;
  };
  const codes = (lines: readonly Line[]) => lines.map(({ error, txId }) => error?.code ?? (txId && 'paid'));
  const balance = async ({ accessToken, address }: typeof ada) =>
    Number((await call(app, `GET /v1/accounts/${address}/balance`, { token: accessToken })).json()[0].quarters);

  await t.test('each line is paid independently, by user or address, with the caller’s reference', async () => {
    const lines = linesOf(
      await pay([
        { amount: 10, user: ada.userId, reference: 'first' },
        { amount: 20, address: bob.address.toLowerCase() },
        { amount: 3, user: ada.userId, address: ada.address, reference: '' },
      ]),
    );
    assert.deepEqual(
      lines.map((line) => Object.keys(line)),
      [
        ['requestId', 'txId', 'reference'],
        ['requestId', 'txId'],
        ['requestId', 'txId'],
      ],
    );
    assert.equal(lines[0]!.reference, 'first');
    assert.equal(new Set(lines.map(({ txId }) => txId)).size, 3);
    await s.settled();
    assert.deepEqual([await balance(ada), await balance(bob)], [13, 20]);
    const read = await call(app, `GET /v1/requests/${lines[1]!.requestId}`, { token: game.serverKey });
    assert.deepEqual([read.json().txId, read.json().status, read.json().tokens], [lines[1]!.txId, 'completed', 20]);
  });

  await t.test('a refused line stops no other line and leaves its quarters to later ones', async () => {
    const lines = linesOf(
      await pay([
        { amount: 1, user: 'x'.repeat(28) },
        { amount: 1_900, user: ada.userId },
        { amount: 1, user: ada.userId, address: bob.address },
        { amount: 100, user: bob.userId },
        { amount: 5_001, user: bob.userId },
        { amount: 67, user: bob.userId },
        { amount: 1, address: game.address },
        { amount: 1, user: cleo.userId },
      ]),
    );
    assert.deepEqual(codes(lines), [
      'not-found',
      'paid',
      'recipient-mismatch',
      'insufficient-quarters',
      'amount-too-large',
      'paid',
      'not-found',
      'insufficient-quarters',
    ]);
    const { error } = lines[3]!;
    assert.deepEqual(Object.keys(error!), ['type', 'title', 'status', 'detail', 'code', 'message']);
    assert.equal(error!.status, 402);
    await s.settled();
    assert.deepEqual([await balance(ada), await balance(bob), await balance(cleo)], [1_913, 87, 0]);
  });

  await t.test('a malformed call pays nothing', () =>
    assertNothingMoves(service, async () => {
      const good = { amount: 1, user: ada.userId };
      assertInvalid(await pay(undefined), '/transfers');
      for (const transfers of [[], {}, null, Array.from({ length: 1_001 }, () => good)]) {
        assertInvalid(await pay(transfers), '/transfers');
      }
      assertInvalid(await pay([good, { amount: 1 }]), '/transfers/1');
      assertInvalid(
        await pay([good, { ...good, amount: 0 }, { user: ada.userId }]),
        '/transfers/1/amount',
        '/transfers/2/amount',
      );
      assertInvalid(await pay([{ ...good, user: 'x' }, good, { amount: 1, address: '0x1' }]), '/transfers/0/user');
      assertInvalid(await pay([good, { amount: 1, address: '0x1' }]), '/transfers/1/address');
      for (const [value, because] of [
        ['1,000', /"1,000" has a thousands separator: write 1000/],
        ['1E+05', /"1E\+05" was shortened by a spreadsheet/],
        ['5', /"5" is text: leave the quotes out/],
        [1.5, /"1\.5" has decimals, but quarters are whole/],
      ] as const) {
        assert.match(assertInvalid(await pay([{ ...good, amount: value }]), '/transfers/0/amount').message, because);
      }
      const unprefixed = await pay([{ amount: 1, address: ada.address.slice(2) }]);
      assert.match(assertInvalid(unprefixed, '/transfers/0/address').message, /lacks its beginning: write 0x/);
      assertInvalid(await pay([{ ...good, reference: 'x'.repeat(101) }]), '/transfers/0/reference');
      const line = assertInvalid(await pay([7]), '/transfers/0');
      assert.match(line.message, /^transfers\[0\] must be /);
      assert.equal((await pay(Array.from({ length: 900 }, () => 7))).json().errors.length, 50);
      assertProblem(await pay([{ ...good, reference: 'x'.repeat(262_144) }]), 413, 'body-too-large');
    }),
  );

  const other = await s.createApp();
  await t.test('a call for another account, or with a key without the scope pay, is refused', () =>
    assertNothingMoves(service, async () => {
      const good = [{ amount: 1, user: ada.userId }];
      assertProblem(await pay(good, {}, other.serverKey), 404, 'not-found');
      assertProblem(await pay(good, {}, game.serverKey, ada.address), 404, 'not-found');
      assertProblem(await pay(good, {}, ada.accessToken), 403, 'credential-not-allowed');
      assertInvalid(await pay(good, {}, game.serverKey, '0x1'), 'path/address');
    }),
  );

  await t.test("the key's daily limit counts each line", async () => {
    await s.issue(game.id, 100);
    const capped = await issueKey(service, OPERATOR, game.id, {
      kind: 'server',
      scopes: ['pay'],
      payPerDay: asQuarters(10),
    });
    const amounts = [6, 5, 3, 1, 1];
    const lines = linesOf(
      await pay(
        amounts.map((amount) => ({ amount, user: cleo.userId })),
        {},
        capped,
      ),
    );
    assert.deepEqual(codes(lines), ['paid', 'key-limit', 'paid', 'paid', 'key-limit']);
    await s.settled();
    assert.equal(await balance(cleo), 10);
  });

  await t.test('a call beyond the backlog limit is refused before anything is paid', async () => {
    const { settlement, settings } = service;
    // The job keeps counting, but its count is ignored.
    Object.defineProperty(settlement, 'backlog', { get: () => settings.maxBacklog, set() {}, configurable: true });
    try {
      await assertNothingMoves(service, async () => {
        assertProblem(await pay([{ amount: 1, user: ada.userId }]), 503, 'overloaded');
      });
    } finally {
      Object.defineProperty(settlement, 'backlog', { value: 0, writable: true, configurable: true });
    }
  });

  await t.test('a repeated call with an Idempotency-Key repeats paid outcomes and retries the rest', async () => {
    const [{ free }] = (await service.db.query<{ free: bigint }>(
      'SELECT posted - held AS free FROM accounts WHERE app_id = $1',
      [game.id],
    )) as [{ free: bigint }];
    const lines = [
      { amount: Number(free), user: cleo.userId },
      { amount: 9, user: bob.userId },
    ];
    const key = { 'idempotency-key': 'prizes 1' };
    const first = await pay(lines, key);
    assert.deepEqual(codes(linesOf(first)), ['paid', 'insufficient-quarters']);
    assert.equal(first.headers['idempotent-replayed'], undefined);
    await s.issue(game.id, 100);
    const second = await pay(lines, key);
    assert.deepEqual(codes(linesOf(second)), ['paid', 'paid']);
    assert.equal(second.headers['idempotent-replayed'], 'true');
    assert.deepEqual(linesOf(second)[0], linesOf(first)[0]);
    assert.deepEqual((await pay(lines, key)).json(), second.json());
    await s.settled();
    await assertNothingMoves(service, async () => {
      for (const other of [lines.slice(1), [...lines, { amount: 1, user: bob.userId }], lines.toReversed()]) {
        assertProblem(await pay(other, key), 422, 'idempotency-mismatch');
      }
    });
    await assertLedgerIsChain(service);
  });

  await t.test('a key under which every line was refused can be used with another body', async () => {
    const poor = await s.createApp();
    const pay = (amounts: readonly number[]) =>
      call(app, `POST /v1/accounts/${poor.address}/transfers`, {
        token: poor.serverKey,
        headers: { 'idempotency-key': 'prizes 2' },
        body: { transfers: amounts.map((amount) => ({ amount, user: ada.userId })) },
      });
    assert.deepEqual(codes(linesOf(await pay([7, 8]))), ['insufficient-quarters', 'insufficient-quarters']);
    await s.issue(poor.id, 10);
    const paid = await pay([6, 9]);
    assert.deepEqual(codes(linesOf(paid)), ['paid', 'insufficient-quarters']);
    assert.equal(paid.headers['idempotent-replayed'], undefined);
    assertProblem(await pay([7, 8]), 422, 'idempotency-mismatch');
  });

  await t.test('two bodies at once under one key: only the lines of one are paid', async () => {
    const rich = await s.createApp();
    await s.issue(rich.id, 1_000);
    for (let round = 0; round < 3; round++) {
      const send = (amount: number) =>
        call(app, `POST /v1/accounts/${rich.address}/transfers`, {
          token: rich.serverKey,
          headers: { 'idempotency-key': `prizes 3 ${round}` },
          body: { transfers: Array.from({ length: 5 }, () => ({ amount, user: ada.userId })) },
        });
      const answers = await Promise.all([1, 2, 1, 2].map(send));
      assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 200, 422, 422]);
    }
    await s.settled();
    await assertLedgerIsChain(service);
  });

  await t.test('calls at the same moment cannot overshoot the backlog', async (t) => {
    const chain = await startHeldChain(t);
    const held = await startTestService(t, { env: { MAX_BACKLOG: '30' }, chain });
    const game = await held.createApp();
    await held.issue(game.id, 1_000);
    const { userId } = await held.createGuest(game);
    // Accepted transfers stay open.
    await chain.hold();
    const send = () =>
      call(held.app, `POST /v1/accounts/${game.address}/transfers`, {
        token: game.serverKey,
        body: { transfers: Array.from({ length: 20 }, () => ({ amount: 1, user: userId })) },
      });
    const answers = await Promise.all(Array.from({ length: 10 }, send));
    const lines = answers.flatMap((answer): string[] =>
      answer.statusCode === 200 ? codes(answer.json().transfers).map(String) : [answer.json().code],
    );
    assert.deepEqual(new Set(lines), new Set(['paid', 'overloaded']));
    const paid = lines.filter((line) => line === 'paid').length;
    assert.ok(paid > 0 && paid <= 30, `${paid} were paid`);
    chain.release();
    await held.settled();
    await assertLedgerIsChain(held.service);
  });
});
