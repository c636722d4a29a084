import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { startFaultyChain } from '../kit/service/chain-faults.ts';
import { startTestService } from '../kit/service/service.ts';
import { asApp } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';

test('the audit raises no false alarm during repeated reorganisations under load', async (t) => {
  const chain = await startFaultyChain(t);
  const s = await startTestService(t, { chain: { evm: chain.evm, rpcUrls: [chain.evm.url] } });
  const app = await s.createApp();
  await s.issue(app.id, 100_000);
  const user = (await s.createGuest(app)).userId;
  const payment = { from: asAddress(app.address), amount: 1, user };
  let running = true;
  const payer = (async () => {
    // While the app's deposit is orphaned, payments are rightly refused.
    while (running) await payUser(s.service, asApp(app.id), payment).catch(() => {});
  })();
  try {
    for (let round = 0; round < 2; round++) {
      // The node's own reorganisation must not overlap with mining, or its chain would have holes.
      await chain.stopMining();
      const [{ differences }] = await Promise.all([
        auditLedger(s.service),
        chain.reorganise(2).then(() => chain.startMining()),
      ]);
      assert.deepEqual(differences, []);
      const { block } = await auditLedger(s.service);
      await until('the chain goes on', async () => (await auditLedger(s.service)).block > block);
    }
  } finally {
    running = false;
    await payer;
  }
  await s.settled();
  assert.deepEqual((await auditLedger(s.service)).differences, []);
});
