import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asQuarters } from '../../src/base/quarters.ts';
import { issueQuarters } from '../../src/features/payments/issue-quarters.ts';
import { connect } from '../../src/process/connect.ts';
import { startTestService } from '../kit/service/service.ts';
import { until } from '../kit/unit/until.ts';

/** Longer than any test waits, so work that needs a wake-up and gets none is never done. */
const NEVER = '600000';

test('a service that polls its chain only when woken settles a payment', async (t) => {
  const s = await startTestService(t, { env: { CHAIN_IDLE_POLL_MS: NEVER } });
  await until('nothing is left to do', () => s.service.settlement.backlog === 0);
  const app = await s.createApp();
  await s.issue(app.id, 10);
});

test('a command wakes the services on its database to send its transfer', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  let heard = 0;
  s.service.db.onAnnounced('transactions', () => heard++);
  await until('the service hears others', async () => {
    const listening = await s.service.db.query(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'quarters notices' AND query LIKE 'LISTEN%'`,
    );
    return listening.length === 1;
  });

  const settings = { ...s.service.settings, databaseUrl: s.databaseUrl, chainRpcUrls: [s.evm.url] };
  const command = await connect(settings, s.service.log, s.service.house);
  await issueQuarters(command.service, { recipient: app.id, amount: asQuarters(10) });
  assert.equal(heard, 0);
  await command.close();
  await until('the service is notified', () => heard > 0);
  await s.settled();
});
