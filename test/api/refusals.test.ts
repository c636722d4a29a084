import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import type { AppId, UserId } from '../../src/base/ids.ts';
import { forgetRows } from '../../src/db/keep-until.ts';
import { autoApprove } from '../../src/features/approvals/auto-approve.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { refundRequest } from '../../src/features/payments/refund-request.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import type { Service } from '../../src/service/service.ts';
import { periodAt } from '../../src/wings/economy/base/periods.ts';
import { writeRefusals } from '../../src/wings/economy/features/write-refusals.ts';
import { openRefusalBuffer } from '../../src/wings/economy/store/refusal-buffer.ts';
import { deleteRefusalsOf, KEPT_REFUSALS, refusalsOf, storeRefusals } from '../../src/wings/economy/store/refusals.ts';
import { readRefusalReport } from '../../src/wings/economy/views/read-refusals.ts';
import { approve, askFor, pay } from '../kit/service/history.ts';
import type { Person } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { asApp, asUser } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';

const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

/** What was refused to an app in a period: its kinds, reasons and how often. */
async function refusedTo(service: Service, appId: AppId, kind: 'day' | 'month' | 'year', at = new Date()) {
  const { rows } = await readRefusalReport(service, periodAt(kind, at));
  return rows
    .filter((row) => row.appId === appId)
    .map(({ kind, code, count }) => `${kind} ${code} ${count}`)
    .sort();
}

test('refused payments', async (t) => {
  const s = await sharedService(t);
  const { service } = s;
  const { db } = service;

  await t.test(
    'are counted by what was asked and why, and the player’s own are kept with the reason alone',
    async () => {
      const game = await s.createApp();
      const guest = await s.createGuest(game);
      const player = { userId: guest.userId } as Person;
      const asked = await askFor(s, game, player, 40);
      const refuse = (work: Promise<unknown>, code: string) => assert.rejects(work, { code });

      await refuse(approve(s, asked), 'insufficient-quarters');
      await refuse(approve(s, asked), 'insufficient-quarters');
      const approval = {
        requestId: asked.id,
        clientId: game.id,
        userId: guest.userId,
        address: asAddress(guest.address),
      };
      await refuse(autoApprove(service, asUser(guest.userId, game.id), approval), 'auto-approve-not-enabled');
      await refuse(approve(s, asked, 'mandate'), 'auto-approve-not-granted');
      await refuse(pay(s, game, player, 5), 'insufficient-quarters');
      await refuse(refundRequest(service, asApp(game.id), { requestId: asked.id }), 'not-refundable');
      const tooMuch = { tokens: Number(service.settings.maxAmount) + 1, appId: game.id };
      await refuse(createRequest(service, asUser(guest.userId, game.id), tooMuch), 'amount-too-large');
      await s.issue(guest.userId, 40);
      await approve(s, asked);
      // Whose account it would be is not known.
      const nobody = { from: asAddress(game.address), amount: 1, user: '0'.repeat(28) as UserId };
      await refuse(payUser(service, asApp(game.id), nobody), 'not-found');
      await s.settled();
      await refundRequest(service, asApp(game.id), { requestId: asked.id });
      await refuse(refundRequest(service, asApp(game.id), { requestId: asked.id }), 'refund-too-large');

      const all = [
        ...['approval insufficient-quarters 2', 'auto-approval auto-approve-not-enabled 1'],
        ...['auto-approval auto-approve-not-granted 1', 'payout insufficient-quarters 1', 'refund not-refundable 1'],
        ...['refund refund-too-large 1', 'request amount-too-large 1'],
      ].sort();
      await until(
        'the refusals are written',
        async () => (await refusedTo(service, game.id, 'day')).length === all.length,
      );
      for (const kind of ['day', 'month', 'year'] as const)
        assert.deepEqual(await refusedTo(service, game.id, kind), all);
      const own = (await refusalsOf(db, guest.userId, 20)).map(({ kind, code, times }) => `${kind} ${code} ${times}`);
      // The last refund was refused before it was known whom it would pay.
      assert.deepEqual(
        own.sort(),
        all.filter((one) => one !== 'refund refund-too-large 1'),
      );
      assert.equal((await refusalsOf(db, guest.userId, 2)).length, 2);
      await deleteRefusalsOf(db, guest.userId);
      assert.deepEqual(await refusalsOf(db, guest.userId, 20), []);
    },
  );

  await t.test('that the database did not take are written later', async () => {
    const { id: appId } = await s.createApp();
    const refusals = openRefusalBuffer();
    refusals.note({ kind: 'payout', appId, userId: null }, 'key-limit');
    const broken = { transaction: () => Promise.reject(new Error('no database')) } as unknown as Service['db'];
    await assert.rejects(writeRefusals({ db: broken }, refusals), /no database/);
    await writeRefusals({ db }, refusals);
    await writeRefusals({ db }, refusals);
    assert.deepEqual(await refusedTo(service, appId, 'day'), ['payout key-limit 1']);
  });

  await t.test('of a player are forgotten after 30 days, days after 400, and months never', async () => {
    const game = await s.createApp();
    const { userId } = await s.createGuest(game);
    const one = { appId: game.id, kind: 'payout', code: 'key-limit' } as const;
    await db.transaction((tx) =>
      storeRefusals(tx, {
        counts: [399, 402].map((days) => ({ ...one, day: daysAgo(days), count: 1 })),
        players: [
          { ...one, userId, times: 1, lastAt: daysAgo(31) },
          { ...one, code: 'app-suspended', userId, times: 1, lastAt: daysAgo(29) },
        ],
      }),
    );
    await until('nothing is left to forget', async () => (await forgetRows(db, KEPT_REFUSALS, 10)) === 0);
    assert.deepEqual(
      (await refusalsOf(db, userId, 20)).map(({ code }) => code),
      ['app-suspended'],
    );
    const on = (kind: 'day' | 'month', days: number) => refusedTo(service, game.id, kind, daysAgo(days));
    assert.deepEqual([await on('day', 399), await on('day', 402)], [['payout key-limit 1'], []]);
    assert.notDeepEqual(await on('month', 402), []);
  });
});
