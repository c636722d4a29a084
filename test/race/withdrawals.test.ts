import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { newTransferId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { acceptSuspension } from '../../src/features/repair/accept-suspension.ts';
import { listWithdrawalAddresses, stopWithdrawalAddress } from '../../src/identity/withdrawal-addresses.ts';
import { recoverAccounts } from '../../src/ledger/accounts.ts';
import { suspend } from '../../src/ledger/suspension.ts';
import { readWithdrawn, recoverWithdrawals } from '../../src/ledger/withdrawals.ts';
import { assertHoldsAreTransfers, assertLedgerIsChain } from '../kit/service/audit.ts';
import { approve, askFor } from '../kit/service/history.ts';
import { startSecondService } from '../kit/service/second-service.ts';
import { startTestService } from '../kit/service/service.ts';
import { outsideAddress, readyWithdrawer } from '../kit/service/withdrawer.ts';
import { ageWithdrawals } from '../rows/withdrawals.ts';
import { goesByTheOrder, locking } from './by-the-order.ts';

const OWN = 60;
const ALL = 100;
const ENV = {
  WITHDRAWALS: 'on',
  FINAL_AFTER: '1',
  WITHDRAWAL_USER_DAY_LIMIT: `${OWN}`,
  WITHDRAWAL_DAY_LIMIT: `${ALL}`,
};

/** What each came to: how often it was accepted, and refused for which reason. */
async function countOutcomes(acts: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const one of await Promise.allSettled(acts)) {
    const outcome = one.status === 'fulfilled' ? 'accepted' : (one.reason.faults?.[0]?.reason?.code ?? one.reason.code);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

test('withdrawals in two processes', async (t) => {
  const s = await startTestService(t, { env: ENV });
  const { service } = s;
  const other = (await startSecondService(t, s)).service;
  const processes = [service, other];
  const inTurn = (i: number) => ({ service: processes[i % 2]! });

  await t.test('keep the limit of a person', async () => {
    const { user, to, take } = await readyWithdrawer(s, 1_000);
    const outcomes = await countOutcomes(Array.from({ length: 20 }, (_, i) => take(7, to, inTurn(i))));
    assert.deepEqual(outcomes, { accepted: 8, 'withdrawal-above-day': 12 });
    await ageWithdrawals(service.db, user.id, '25 hours');
  });

  await t.test('keep the limit of all', async () => {
    const people = await Promise.all([1, 2, 3, 4].map(() => readyWithdrawer(s, 1_000)));
    const outcomes = await countOutcomes(
      Array.from({ length: 20 }, (_, i) => people[i % 4]!.take(9, people[i % 4]!.to, inTurn(Math.floor(i / 4)))),
    );
    assert.deepEqual(outcomes, { accepted: 11, 'withdrawal-above-all': 9 });
    assert.equal((await readWithdrawn(service.db, [])).all, 99n);
    for (const { user } of people) await ageWithdrawals(service.db, user.id, '25 hours');
  });

  await t.test('and payments of the same player spend nothing twice', async () => {
    const game = await s.createApp();
    const { person, user, to, take } = await readyWithdrawer(s, 50);
    const requests = await Promise.all(Array.from({ length: 8 }, () => askFor(s, game, person, 5)));
    const acts = requests.flatMap((request, i) => [approve(s, request), take(5, to, inTurn(i))]);
    const outcomes = await countOutcomes(acts);
    assert.equal(outcomes.accepted, 10, JSON.stringify(outcomes));
    await ageWithdrawals(service.db, user.id, '25 hours');
  });

  await t.test('after an address was stopped, nothing goes there', async () => {
    const { user, to, take } = await readyWithdrawer(s, 50);
    const acts = Array.from({ length: 10 }, (_, i) => take(1, to, inTurn(i)));
    await stopWithdrawalAddress(service.db, { userId: user.id, address: to });
    const before = (await readWithdrawn(service.db, [user.id])).ofUsers.get(user.id) ?? 0n;
    await Promise.allSettled(acts);
    assert.equal((await readWithdrawn(service.db, [user.id])).ofUsers.get(user.id) ?? 0n, before);
  });

  await t.test('lock the address before the account', async () => {
    const { person, user, to, take } = await readyWithdrawer(s, 10);
    const [first, second] = [
      locking('withdrawal_addresses', 'user_id', user.id),
      locking('accounts', 'address', person.address),
    ];
    await goesByTheOrder(service.db, first, second, () => take(1, to));
  });

  await t.test('found by a restore count for all, also of somebody who is not known again', async () => {
    const before = await readWithdrawn(service.db, []);
    const [id, from] = [newTransferId(), outsideAddress()];
    await service.db.transaction(async (tx) => {
      await recoverAccounts(tx, [{ address: from, keyId: randomBytes(16), at: new Date() }]);
      const transfer = { id, from, amount: asQuarters(3), at: new Date() };
      for (let i = 0; i < 2; i++) await recoverWithdrawals(tx, [transfer]);
    });
    assert.equal((await readWithdrawn(service.db, [])).all - before.all, 3n);
  });

  await t.test('lose their addresses when the operator accepts an older database', async () => {
    const { user } = await readyWithdrawer(s, 10);
    await suspend(service.db, { relayers: [], authorizations: [], authorizationsInAll: 1 });
    await acceptSuspension(service);
    assert.deepEqual(await listWithdrawalAddresses(service.db, user.id), []);
  });

  await s.settled();
  await assertLedgerIsChain(service);
  await assertHoldsAreTransfers(service);
});
