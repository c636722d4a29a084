import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demoApp } from '../../local/demo-app.ts';
import { repeatStep } from '../../local/repeat-step.ts';
import { openDatabase } from '../../src/db/database.ts';
import { readApps } from '../../src/identity/apps.ts';
import { lookUpAccountOfApp } from '../../src/ledger/accounts.ts';
import { atEnd } from '../support/at-end.ts';
import { assertLedgerIsChain } from '../support/audit.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { startTestService } from '../support/service.ts';

test('a first start that loses the replies to its COMMITs creates one demo app, funds it once, and its key works', async (t) => {
  const s = await startTestService(t, { env: { DEMO_APP: 'on' } });
  const proxy = await startCuttingProxy(s.databaseUrl);
  const db = openDatabase(proxy.url);
  atEnd(t, async () => {
    await db.close();
    proxy.close();
  });
  // The replies for the app, for one of its keys, and for one more transaction are lost.
  const step = () => {
    if (proxy.cuts < 3) proxy.cutNextCommit();
    return demoApp({ ...s.service, db });
  };
  const demo = await repeatStep(step, { log: s.service.log, ended: new AbortController().signal });
  assert.equal(proxy.cuts, 3);
  await s.settled();

  assert.deepEqual(
    (await readApps(s.service.db)).map(({ id, picture }) => [id, picture !== null]),
    [[demo?.id, true]],
  );
  assert.equal((await lookUpAccountOfApp(s.service.db, demo!.id))?.posted, 1_000_000n);
  await assertLedgerIsChain(s.service);
  const headers = { authorization: `Bearer ${demo?.serverKey}` };
  assert.equal((await s.app.inject({ url: `/v1/accounts/${demo?.address}/balance`, headers })).statusCode, 200);
});
