import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { listRelayers } from '../../src/chain/relayers.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { lockFollowing } from '../../src/ledger/blocks.ts';
import { replaceLowest } from '../../src/settlement/replace.ts';
import { findTransfers } from '../../src/settlement/tables/transfers.ts';
import { startTestService } from '../kit/service/service.ts';
import { asApp } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';

test('each transaction that waits for a higher fee than is allowed is logged once, also after an earlier one was mined', async (t) => {
  const s = await startTestService(t);
  const { db, settings } = s.service;
  const app = await s.createApp();
  await s.issue(app.id, 100);
  await s.settled();
  const relayer = (await listRelayers(db)).find(({ purpose }) => purpose === 'settlement')!;
  const { userId } = await s.createGuest(app);
  const logged: unknown[] = [];
  const log = { ...s.service.log, warn: (entry: { nonce?: number }) => void logged.push(entry.nonce) };
  const atCeiling = { ...s.service, log, settings: { ...settings, maxFeePerGasGwei: 0 } };
  for (const runs of [1, 2]) {
    await db.transaction(async (following) => {
      await until('nobody follows', () => lockFollowing(following));
      const { transferId } = await payUser(s.service, asApp(app.id), {
        from: asAddress(app.address),
        amount: 5,
        user: userId,
      });
      await until('it is sent', async () => (await findTransfers(db, [transferId]))[0]!.status === 'submitted');
      for (const times of [1, 2]) assert.deepEqual(await replaceLowest(atCeiling, relayer), [], `time ${times}`);
      assert.equal(logged.length, runs);
    });
    await s.settled();
  }
  assert.equal(new Set(logged).size, 2, 'each names its nonce');
});
