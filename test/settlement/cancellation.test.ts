import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { listRelayers } from '../../src/chain/relayers.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import type { Accepted } from '../../src/service/instruction.ts';
import { attemptsFor } from '../../src/settlement/tables/transaction-attempts.ts';
import { PAUSE, UNPAUSE } from '../kit/service/admin.ts';
import { assertHoldsAreTransfers, assertLedgerIsChain } from '../kit/service/audit.ts';
import { cancelTransfer } from '../kit/service/operator-acts.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { asApp } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';

/**
 * Calls the token as its admin, the operator's relayer. Its nonce is put back, so that nothing else of it is disturbed.
 */
async function asAdmin(s: TestService, data: string): Promise<void> {
  const operator = (await listRelayers(s.service.db)).find(({ purpose }) => purpose === 'operator')!;
  await s.evm.rpc('anvil_impersonateAccount', [operator.address]);
  const nonce = await s.evm.rpc('eth_getTransactionCount', [operator.address, 'latest']);
  const call = { from: operator.address, to: s.service.chain.contracts.token, data };
  const hash = await s.evm.rpc('eth_sendTransaction', [call]);
  await until('it is mined', async () => (await s.evm.rpc('eth_getTransactionReceipt', [hash])) !== null);
  await s.evm.rpc('anvil_setNonce', [operator.address, nonce]);
}

/** An app that holds 100 quarters and pays them to a guest. */
async function openShop(t: TestContext) {
  const s = await startTestService(t);
  const app = await s.createApp();
  await s.issue(app.id, 100);
  const { userId } = await s.createGuest(app);
  const { db } = s.service;
  return {
    s,
    pay: (amount: number) => payUser(s.service, asApp(app.id), { from: asAddress(app.address), amount, user: userId }),
    held: async () =>
      (await db.query<{ held: bigint }>('SELECT held FROM accounts WHERE app_id = $1', [app.id]))[0]?.held,
    posted: async () =>
      (await db.query<{ posted: bigint }>('SELECT posted FROM accounts WHERE user_id = $1', [userId]))[0]?.posted,
    /** The status of the transfer, and of its request. */
    statuses: async ({ transferId }: Accepted) =>
      (
        await db.query<{ status: string }>(
          `SELECT status FROM transfers WHERE id = $1
           UNION ALL SELECT status FROM requests WHERE id = (SELECT request_id FROM transfers WHERE id = $1)`,
          [transferId],
        )
      ).map(({ status }) => status),
  };
}

test('a transfer that the paused token refuses is paid later by the same authorization', async (t) => {
  const { s, pay, held } = await openShop(t);
  await asAdmin(s, PAUSE);
  const { transferId } = await pay(40);
  const isRefused = async () => (await attemptsFor(s.service.db, transferId)).some(({ status }) => status === 'mined');
  await until('it was refused', isRefused);
  assert.equal(await held(), 40n);
  await asAdmin(s, UNPAUSE);
  await s.settled();
  assert.equal(await held(), 0n);
  await assertLedgerIsChain(s.service);
});

test('a cancelled transfer fails and releases its hold only when the chain shows the cancellation', async (t) => {
  const { s, pay, held, statuses } = await openShop(t);
  await asAdmin(s, PAUSE);
  const decided = await pay(40);
  await cancelTransfer(s.service, decided.transferId);
  await assertHoldsAreTransfers(s.service);
  await s.settled();
  assert.deepEqual(await statuses(decided), ['failed', 'failed']);
  assert.equal(await held(), 0n);

  await asAdmin(s, UNPAUSE);
  // Nobody can pay the cancelled transfer any more, so its quarters can be spent again.
  await pay(100);
  await s.settled();
  await assertLedgerIsChain(s.service);
  await assert.rejects(cancelTransfer(s.service, decided.transferId), { code: 'request-decided' });
});

test('of a payment and its cancellation, the one that is mined first counts', async (t) => {
  const { s, pay, held, posted, statuses } = await openShop(t);
  const decided = await pay(40);
  await cancelTransfer(s.service, decided.transferId).catch((error) => assert.equal(error.code, 'request-decided'));
  await s.settled();
  const [status] = await statuses(decided);
  assert.deepEqual(await statuses(decided), status === 'completed' ? ['completed', 'completed'] : ['failed', 'failed']);
  assert.equal(await posted(), status === 'completed' ? 40n : 0n);
  assert.equal(await held(), 0n);
  await assertLedgerIsChain(s.service);
});

test('a cancellation that comes too late is refused and changes nothing', async (t) => {
  const { s, pay, posted, statuses } = await openShop(t);
  const decided = await pay(40);
  await s.settled();
  await assert.rejects(cancelTransfer(s.service, decided.transferId), { code: 'request-decided' });
  await s.settled();
  assert.deepEqual(await statuses(decided), ['completed', 'completed']);
  assert.equal(await posted(), 40n);
});
