import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { hashSecret } from '../../src/base/secrets.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { payoutInstruction } from '../../src/features/payments/pay-user.ts';
import { idempotencyKey } from '../../src/idempotency/keys.ts';
import { lockAccounts } from '../../src/ledger/accounts.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { asApp } from '../kit/unit/callers.ts';
import { changeAppKeys, letDayPass, revokeSecret } from '../rows/apps.ts';

test('a server key pays out no more per day than its limit', async (t) => {
  const s = await sharedService(t);
  const app = await s.createApp();
  await s.issue(app.id, 1_000);
  const guest = await s.createGuest(app);
  const newKey = (cap: number) =>
    issueKey(s.service, OPERATOR, app.id, { kind: 'server', scopes: ['pay'], payPerDay: asQuarters(cap) });
  const revoke = (key: string) => revokeSecret(s.service.db, app.id, key);
  const spent = async (key: string) => {
    const [row] = await s.service.db.query<{ paid_today: bigint }>('SELECT paid_today FROM app_keys WHERE hash = $1', [
      hashSecret(key),
    ]);
    return Number(row?.paid_today);
  };
  const pay = async (key: string, amount: number, idempotencyKey?: string) => {
    const response = await s.app.inject({
      method: 'POST',
      url: `/v1/accounts/${app.address}/transfer`,
      headers: {
        authorization: `Bearer ${key}`,
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      payload: { amount, user: guest.userId },
    });
    return { status: response.statusCode, code: response.json().code };
  };
  const countPaid = async () => {
    const [row] = await s.service.db.query<{ count: bigint }>('SELECT count(*) FROM requests');
    return Number(row?.count);
  };

  await t.test('twenty concurrent payments against a limit for seven: exactly seven are paid', async () => {
    const key = await newKey(75);
    const answers = await Promise.all(Array.from({ length: 20 }, () => pay(key, 10)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 7);
    assert.equal(answers.filter(({ status, code }) => status === 403 && code === 'key-limit').length, 13);
    assert.equal(await spent(key), 70);
    assert.equal((await pay(key, 5)).status, 200);
    assert.equal((await pay(key, 1)).code, 'key-limit');
    await s.settled();
    await revoke(key);
  });

  await t.test('refused and repeated calls do not count', async () => {
    const key = await newKey(900);
    const before = await countPaid();
    // More than the account holds is 402, and the limit does not change.
    assert.equal((await pay(key, 899 + 26)).code, 'key-limit');
    await changeAppKeys(s.service.db, { hash: hashSecret(key) }, { payPerDay: 5000 });
    assert.equal((await pay(key, 4_999)).code, 'insufficient-quarters');
    assert.equal(await spent(key), 0);

    const answers = await Promise.all(Array.from({ length: 20 }, () => pay(key, 10, 'order 1')));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal((await pay(key, 10, 'order 1')).status, 200);
    assert.equal((await pay(key, 11, 'order 1')).code, 'idempotency-mismatch');
    assert.equal(await spent(key), 10);
    assert.equal(await countPaid(), before + 1);
    await s.settled();
    await revoke(key);
  });

  await t.test('fifty equal calls that just fit the limit are one payment and fifty equal answers', async () => {
    const key = await newKey(10);
    const answers = await Promise.all(Array.from({ length: 50 }, () => pay(key, 10, 'order 2')));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(await spent(key), 10);
    assert.equal((await pay(key, 1)).code, 'key-limit');
    assert.equal((await pay(key, 10, 'order 2')).status, 200);
    await s.settled();
    await revoke(key);
  });

  await t.test('equal calls of two keys are each checked against their own limit', async () => {
    const small = await newKey(5);
    const from = asAddress(app.address);
    const decide = (key: string, cap: number | null, amount: number, idempotencyName?: string) => {
      const caller = { ...asApp(app.id), keyHash: hashSecret(key), payPerDay: cap === null ? null : asQuarters(cap) };
      const to = { userId: guest.userId, address: guest.address };
      const idempotency =
        idempotencyName === undefined ? undefined : idempotencyKey(['key cap'], idempotencyName, `${amount}`);
      return s.service
        .accept(payoutInstruction(s.service, caller, { from, to, amount: asQuarters(amount), idempotency }))
        .then(
          ({ replayed }) => (replayed ? 'replayed' : 'paid'),
          ({ code }: { code: string }) => code,
        );
    };
    const outcomes = await s.service.db.transaction(async (tx) => {
      await lockAccounts(tx, [from]);
      const first = decide(app.serverKey, null, 1);
      await lockWaitersAre(s.service, 1);
      // Accepted together, in this order, once the first one is.
      const together = [decide(small, 5, 10, 'k'), decide(app.serverKey, null, 10, 'k'), decide(small, 5, 10, 'k')];
      return [first, ...together];
    });
    assert.deepEqual(await Promise.all(outcomes), ['paid', 'key-limit', 'paid', 'replayed']);
    assert.equal(await spent(small), 0);
    await s.settled();
    await revoke(small);
  });

  await t.test('the limit starts again each day, and a key without a limit has none', async () => {
    const key = await newKey(10);
    assert.equal((await pay(key, 10)).status, 200);
    assert.equal((await pay(key, 10)).code, 'key-limit');
    await letDayPass(s.service.db, app.id);
    assert.equal((await pay(key, 10)).status, 200);
    assert.equal(await spent(key), 10);
    assert.equal((await pay(app.serverKey, 100)).status, 200);
    assert.equal(await spent(app.serverKey), 0);
    await s.settled();
    await assertLedgerIsChain(s.service);
  });
});
