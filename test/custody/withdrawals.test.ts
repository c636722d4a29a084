import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress, toChecksum } from '../../src/base/address.ts';
import { newTransferId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { issueQuarters } from '../../src/features/payments/issue-quarters.ts';
import { readWithdrawn } from '../../src/ledger/withdrawals.ts';
import { readActivity } from '../../src/views/accounts/read-activity.ts';
import { exportPostings } from '../../src/wings/economy/views/export-postings.ts';
import { assertHoldsAreTransfers, assertLedgerIsChain } from '../kit/service/audit.ts';
import { ranBefore } from '../kit/service/ran-before.ts';
import { readyWithdrawer } from '../kit/service/withdrawer.ts';
import { readyAddresses } from '../rows/withdrawals.ts';
import { isReady, isSuspended } from './drill.ts';
import { restored } from './restored.ts';

const OUTSIDE = asAddress(`0x${'0b'.repeat(20)}`);

test('a withdrawal that an older backup had lost is known again, counts for the limits, and is not paid twice', async (t) => {
  const { start, copyDatabase } = await ranBefore(t, { WITHDRAWALS: 'on', FINAL_AFTER: '1' });
  const first = await start();
  await isReady(first);
  const { user, to, add, take } = await readyWithdrawer(first, 100);
  await first.stop();
  const copy = await copyDatabase();

  const second = await start();
  await isReady(second);
  const form = newTransferId();
  const { txHash } = await take(30, to, { form, service: second.service });
  // The operator issues to an address outside, which is no withdrawal.
  await issueQuarters(second.service, { recipient: OUTSIDE, amount: asQuarters(40) });
  await second.settled();
  await second.stop();

  const s = await start(copy);
  await isSuspended(s);
  await assert.rejects(take(30, to, { form, service: s.service }), { code: 'payments-suspended' });
  const { payments, quarters, toOthers, differences } = await restored(s);
  assert.deepEqual([payments, quarters, toOthers, differences], [2, 30 + 40, 2, 0]);
  await isReady(s);

  const { all, ofUsers } = await readWithdrawn(s.service.db, [user.id]);
  assert.deepEqual([all, ofUsers], [30n, new Map([[user.id, 30n]])]);
  const again = await take(30, to, { form, service: s.service });
  assert.deepEqual([again.txHash, again.replayed], [txHash, true]);
  await assert.rejects(take(31, to, { form, service: s.service }), { code: 'invalid-input' });
  // Since the backup somebody may have stopped it.
  await assert.rejects(take(20, to, { service: s.service }), { code: 'invalid-input' });
  await add(toChecksum(to), s.service);
  await readyAddresses(s.service.db, user.id);
  await take(20, to, { service: s.service });
  await s.settled();
  const { activities } = await readActivity(s.service, user, 10);
  assert.deepEqual(
    activities.map(({ kind, amount }) => [kind, Number(amount)]),
    [
      ['outside', 20],
      ['outside', 30],
      ['outside', 100],
    ],
  );
  const kinds: string[] = [];
  for await (const page of await exportPostings(s.service, {
    from: new Date(0),
    until: new Date(Date.now() + 3_600_000),
  })) {
    kinds.push(...page.filter((posting) => posting.to === to).map(({ kind }) => kind));
  }
  assert.deepEqual(kinds, ['withdrawal', 'withdrawal']);
  await assertLedgerIsChain(s.service);
  await assertHoldsAreTransfers(s.service);
});
