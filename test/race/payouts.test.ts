import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { hashSecret } from '../../src/base/secrets.ts';
import { closeAccount } from '../../src/features/accounts/close-account.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { findUser } from '../../src/identity/users.ts';
import { lockAccounts } from '../../src/ledger/accounts.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { createPerson } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { asApp } from '../kit/unit/callers.ts';
import { revokeSecret } from '../rows/apps.ts';

/**
 * An app pays a person; `meanwhile` happens after the call began and before it is decided. Returns the outcome of the
 * payment.
 */
async function payWhile(t: TestContext, meanwhile: 'closing' | 'revoking') {
  const s = await sharedService(t);
  const { service } = s;
  const app = await s.createApp();
  await s.issue(app.id, 1_000);
  const person = await createPerson(s);
  const keyHash = hashSecret(app.serverKey);
  const payment = { from: asAddress(app.address), amount: 500, user: person.userId };
  const [paying] = await service.db.transaction(async (tx) => {
    await lockAccounts(tx, [payment.from]);
    const begun = Promise.allSettled([payUser(service, { ...asApp(app.id), keyHash }, payment)]);
    await lockWaitersAre(service, 1);
    if (meanwhile === 'closing') {
      assert.ok(await closeAccount(service, (await findUser(service.db, person.userId))!, person.session));
    } else {
      await revokeSecret(service.db, app.id, app.serverKey);
    }
    return [begun];
  });
  const [paid] = await paying!;
  await s.settled();
  await assertLedgerIsChain(service);
  const transfers = await service.db.query('SELECT FROM transfers WHERE request_id IS NOT NULL AND from_address = $1', [
    payment.from,
  ]);
  assert.equal(transfers.length, 0);
  return paid.status === 'rejected' ? paid.reason.code : 'paid';
}

test('a payout to an account closed before its decision is refused', async (t) => {
  assert.equal(await payWhile(t, 'closing'), 'not-found');
});

test('a payout with a key revoked before its decision is refused', async (t) => {
  assert.equal(await payWhile(t, 'revoking'), 'token-invalid');
});
