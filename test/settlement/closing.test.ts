import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import type { TransferId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { closeAccount, emptyClosedAccounts } from '../../src/features/accounts/close-account.ts';
import { findUser } from '../../src/identity/users.ts';
import { findTreasury, lookUpAccount } from '../../src/ledger/accounts.ts';
import { accountsToEmpty } from '../../src/ledger/closed-accounts.ts';
import { unclaimedRewards } from '../../src/ledger/rewards.ts';
import { asAdmin, PAUSE, UNPAUSE } from '../kit/service/admin.ts';
import { assertHoldsAreTransfers, assertLedgerIsChain } from '../kit/service/audit.ts';
import { approve, askFor } from '../kit/service/history.ts';
import { lockWaiters, lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { cancelTransfer, grantReward } from '../kit/service/operator-acts.ts';
import { createPerson, type Person } from '../kit/service/people.ts';
import { startScenario } from '../kit/service/scenario.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { until } from '../kit/unit/until.ts';

const close = async ({ service }: TestService, person: Person) =>
  assert.equal(await closeAccount(service, (await findUser(service.db, person.userId))!, person.session), true);

const posted = async ({ service }: TestService, { address }: Person) =>
  (await lookUpAccount(service.db, asAddress(address)))!.posted;

const heldByTreasury = async ({ service }: TestService) => (await findTreasury(service.db)).held;

const nothingToEmpty = ({ service }: TestService) =>
  until('no closed account is left to empty', async () => {
    await emptyClosedAccounts(service);
    return (await accountsToEmpty(service.db, 10)).length === 0;
  });

const transfersFrom = ({ service }: TestService, { address }: Person) =>
  service.db.query<{ id: TransferId; amount: bigint; status: string }>(
    'SELECT id, amount, status FROM transfers WHERE from_address = $1 ORDER BY created_at',
    [address],
  );

describe('closed accounts', { concurrency: 3 }, () => {
  test('a closed account is emptied whenever it receives something, and only then', async (t) => {
    const s = await startTestService(t);
    const { db } = s.service;
    const [ada, bob] = [await createPerson(s), await createPerson(s)];
    await s.issue(ada.userId, 70);
    const treasury = (await findTreasury(db)).posted;
    await close(s, ada);
    await close(s, bob);
    await s.settled();
    await nothingToEmpty(s);
    assert.deepEqual([await posted(s, ada), (await findTreasury(db)).posted], [0n, treasury + 70n]);

    const asked: string[] = [];
    const query: typeof db.query = (...statement) => {
      asked.push(statement[0]);
      return db.query(...statement);
    };
    const transaction: typeof db.transaction = () => assert.fail('nothing is to be changed');
    assert.equal(await emptyClosedAccounts({ ...s.service, db: { ...db, query, transaction } }), false);
    assert.equal(asked.length, 1, 'an idle round is one statement');

    await s.issue(bob.address, 30);
    await until('the quarters have come back', async () => (await transfersFrom(s, bob)).length === 1);
    await s.settled();
    await nothingToEmpty(s);
    assert.deepEqual([await posted(s, bob), (await findTreasury(db)).posted], [0n, treasury + 70n]);
    assert.equal((await transfersFrom(s, ada)).length, 1);
    await assertLedgerIsChain(s.service);
  });

  test('a cancellation returns quarters to a closed account: they are emptied, and the reward is dropped', async (t) => {
    const s = await startScenario(t);
    const ada = await createPerson(s);
    await s.issue(ada.userId, 50);
    await grantReward(s.service, { user: ada.userId, amount: asQuarters(30) });
    await asAdmin(s, PAUSE);
    const { transferId } = await approve(s, await askFor(s, s.game, ada, 30));
    await close(s, ada);
    const closing = (await transfersFrom(s, ada)).at(-1)!;
    assert.equal(closing.amount, 50n, 'the reward pays the whole request');

    const failed = async (id: TransferId) => {
      const [row] = await s.service.db.query<{ status: string }>('SELECT status FROM transfers WHERE id = $1', [id]);
      return row!.status === 'failed';
    };
    for (const id of [closing.id, transferId]) {
      await nothingToEmpty(s);
      await cancelTransfer(s.service, id);
      await until('it has failed', () => failed(id));
    }
    await until('the returned reward is ended', async () => {
      return (await unclaimedRewards(s.service.db, ada.userId)) === 0n && (await heldByTreasury(s)) === 0n;
    });
    await asAdmin(s, UNPAUSE);
    await until('all quarters came back', async () => (await posted(s, ada)) === 0n);
    await s.calm();
    await nothingToEmpty(s);
    await assertHoldsAreTransfers(s.service);
    await assertLedgerIsChain(s.service);
  });

  test('a reward granted to a closed account is dropped', async (t) => {
    const s = await startTestService(t);
    const { db } = s.service;
    const { address: treasury } = await findTreasury(db);
    for (const isFirst of [true, false]) {
      // The accounts are locked in the order of their addresses.
      let ada = await createPerson(s);
      while (ada.address < treasury !== isFirst) ada = await createPerson(s);
      let closing: Promise<unknown> | undefined;
      let granting: Promise<unknown> | undefined;
      let isClosed = false;
      await db.transaction(async (tx) => {
        await tx.query('SELECT FROM accounts WHERE address = $1 FOR NO KEY UPDATE', [treasury]);
        granting = grantReward(s.service, { user: ada.userId, amount: asQuarters(5) }).catch((error: unknown) => error);
        await lockWaitersAre(s.service, 1);
        closing = close(s, ada).then(() => {
          isClosed = true;
        });
        // Depending on the addresses, the grant already holds the person's account, or the account is closed before the
        // grant looks.
        await until('it is closed, or waits', async () => isClosed || (await lockWaiters(s.service)) === 2);
        if (isClosed) await nothingToEmpty(s);
      });
      await Promise.all([granting, closing]);
      await nothingToEmpty(s);
      assert.deepEqual([await unclaimedRewards(db, ada.userId), await heldByTreasury(s)], [0n, 0n], `${isFirst}`);
    }
    await assertHoldsAreTransfers(s.service);
  });
});
