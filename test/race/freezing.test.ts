import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, asAddress } from '../../src/base/address.ts';
import { Problem } from '../../src/base/problems.ts';
import { autoApprove } from '../../src/features/approvals/auto-approve.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { lookUpLivingApp } from '../../src/identity/apps.ts';
import { lockAccounts } from '../../src/ledger/accounts.ts';
import type { Service } from '../../src/service/service.ts';
import { mandateOffer } from '../../src/views/approvals/confirmation.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { fundedPayment, type Payment, statusOf } from '../kit/service/payment.ts';
import { startSecondService } from '../kit/service/second-service.ts';
import { startTestService, type TestApp, type TestService } from '../kit/service/service.ts';
import { freeze, resume, suspend, unfreeze } from '../kit/service/stopping.ts';
import { asApp, asUser } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';
import { statesOf } from '../rows/transitions.ts';

const PLAYERS = 6;
const ROUNDS = 4;

/** `done`, or the code of the refusal. */
async function outcomeOf(act: Promise<unknown>): Promise<string> {
  try {
    await act;
    return 'done';
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

async function acceptedFrom({ service }: TestService, addresses: readonly Address[]): Promise<number> {
  const [row] = await service.db.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM transfers WHERE from_address = ANY($1)',
    [addresses],
  );
  return row!.count;
}

/** Players who may pay `game` under a mandate, each with one pending payment. */
async function players(s: TestService, game: TestApp): Promise<Payment[]> {
  const payments = await Promise.all(Array.from({ length: PLAYERS }, () => fundedPayment(s, game)));
  for (const { guest } of payments) {
    await grantMandate(s.service.db, { userId: guest.userId, appId: game.id, ...mandateOffer(s.service) });
  }
  return payments;
}

function approve(by: Service, game: TestApp, { id, guest: { userId, address } }: Payment): Promise<unknown> {
  return autoApprove(by, asUser(userId, game.id), { requestId: id, clientId: game.id, userId, address });
}

test('in every order, nothing is accepted once a freeze or a suspension has returned, by any process', async (t) => {
  const s = await startTestService(t);
  const { service } = s;
  const services = [service, (await startSecondService(t, s)).service];
  const processOf = (i: number) => services[i % services.length]!;
  const game = await s.createApp({ autoApprove: true });
  const stops = {
    'account-frozen': {
      stop: (payments: Payment[]) => Promise.all(payments.map(({ guest }, i) => freeze(processOf(i), guest.userId))),
      lift: (payments: Payment[]) => Promise.all(payments.map(({ guest }) => unfreeze(service, guest.userId))),
    },
    'app-suspended': { stop: () => suspend(services[1]!, game.id), lift: () => resume(service, game.id) },
  };
  const seen = new Set<string>();
  for (const [code, { stop, lift }] of Object.entries(stops)) {
    for (let round = 0; round < ROUNDS; round++) {
      const payments = await players(s, game);
      const addresses = payments.map(({ guest }) => guest.address);
      const [outcomes, accepted] = await Promise.all([
        Promise.all(payments.map((payment, i) => outcomeOf(approve(processOf(i), game, payment)))),
        // Later in each round, so that some come first.
        (async () => {
          for (let wait = 0; wait < round; wait++) await acceptedFrom(s, addresses);
          await stop(payments);
          return acceptedFrom(s, addresses);
        })(),
      ]);
      assert.equal(await acceptedFrom(s, addresses), accepted);
      assert.ok(
        outcomes.every((outcome) => outcome === 'done' || outcome === code),
        String(outcomes),
      );
      assert.equal(outcomes.filter((outcome) => outcome === 'done').length, accepted);
      for (const outcome of outcomes) seen.add(`${code} ${outcome}`);
      // An approval that is repeated gets the answer it had, and a refused one has left the request pending.
      const again = await Promise.all(payments.map((payment) => outcomeOf(approve(service, game, payment))));
      assert.deepEqual(again, outcomes);
      await lift(payments);
      await Promise.all(payments.map((payment) => approve(service, game, payment)));
    }
  }
  t.diagnostic([...seen].join(', '));
  await s.settled();
  await assertLedgerIsChain(service);
});

test('a suspension returns after the approvals being decided, which are paid, even again after a reorganisation', async (t) => {
  const s = await startTestService(t);
  const { service } = s;
  const { db } = service;
  const game = await s.createApp({ autoApprove: true });
  const [first, second] = await players(s, game);
  let hasReturned = false;
  const [approving, suspending] = await db.transaction(async (tx) => {
    // The last lock of accepting: the approval has looked at the app's account by then.
    await tx.query('SELECT FROM relayers FOR UPDATE');
    const begun = outcomeOf(approve(service, game, first!));
    await lockWaitersAre(service, 1);
    const stopping = suspend(service, game.id).then(() => {
      hasReturned = true;
    });
    await until('it is committed', async () => (await lookUpLivingApp(db, game.id))?.suspendedAt !== null);
    // It would have returned by now, if it waited for nothing.
    for (let look = 0; look < 5; look++) await db.query('SELECT 1');
    assert.equal(hasReturned, false);
    assert.equal(await statusOf(s, first!.id), 'pending');
    return [begun, stopping];
  });
  await suspending;
  assert.equal(await statusOf(s, first!.id), 'approved');
  assert.equal(await approving, 'done');
  assert.equal(await outcomeOf(approve(service, game, second!)), 'app-suspended');
  await freeze(service, first!.guest.userId);
  await s.settled();
  await s.evm.rpc('anvil_reorg', [1, []]);
  const states = ['approved', 'submitted', 'completed', 'submitted', 'completed'];
  await until(
    'it is paid again',
    async () => (await statesOf(service.db, first!.id)).slice(1).join() === states.join(),
    () => statesOf(service.db, first!.id),
  );
  await s.settled();
  await assertLedgerIsChain(service);
});

test('a payout and a new request that wait while their app is suspended are refused', async (t) => {
  const s = await startTestService(t);
  const { service } = s;
  const game = await s.createApp();
  await s.issue(game.id, 100);
  const guest = await s.createGuest(game);
  const from = asAddress(game.address);
  const outcomes = await service.db.transaction(async (tx) => {
    await lockAccounts(tx, [from]);
    // The suspension queues for the account first. The payout, which came through the door before, finds it frozen.
    const suspending = outcomeOf(suspend(service, game.id));
    await lockWaitersAre(service, 1);
    const paying = outcomeOf(payUser(service, asApp(game.id), { from, amount: 5, user: guest.userId }));
    await lockWaitersAre(service, 2);
    return [suspending, paying];
  });
  assert.deepEqual(await Promise.all(outcomes), ['done', 'app-suspended']);
  const asked = createRequest(service, asUser(guest.userId, game.id), { tokens: 1, appId: game.id });
  assert.equal(await outcomeOf(asked), 'app-suspended');
  assert.equal(await acceptedFrom(s, [from]), 0);
  await s.settled();
  await assertLedgerIsChain(service);
});
