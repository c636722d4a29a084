import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inDatabase, onServer, startTestPostgres, TEMPLATE } from '../kit/service/postgres.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { skipWithout } from '../kit/unit/debian-packages.ts';
import { until } from '../kit/unit/until.ts';
import { openRunbook, WITHIN_MS } from './stage.ts';

test('QuartersPaymentsStalled: without its standby the database commits nothing, and pays when it may', {
  skip: skipWithout('prometheus'),
  timeout: WITHIN_MS,
}, async (t) => {
  const postgres = await startTestPostgres();
  atEnd(t, postgres.stop);
  const s = await openRunbook(t, { AUDIT_EVERY_SECONDS: '0' }, inDatabase(postgres.url, TEMPLATE));
  const db = await s.db();
  const waitFor = async (standby: string) => {
    await onServer(postgres.url, `ALTER SYSTEM SET synchronous_standby_names = '${standby}'`);
    await onServer(postgres.url, 'SELECT pg_reload_conf()');
  };

  await waitFor('gone');
  const paid = s.pay();
  await s.fires('QuartersPaymentsStalled');
  assert.match(await (await fetch(`${s.service().origin}/readyz`)).text(), /"database":"unavailable"/);
  const waiting = await db.query(`SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
  assert.ok(waiting.length > 0, 'the paragraph says how to see what it waits for');

  await waitFor('');
  await s.resolves('QuartersPaymentsStalled');
  assert.ok([200, 503].includes(await paid));
  await until('it pays', async () => (await s.pay()) === 200);
  await s.world.settled();
  assert.match(await s.quarters('audit'), /equal/);
});
