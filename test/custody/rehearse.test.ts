import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/database.ts';
import { readSuspension } from '../../src/ledger/suspension.ts';
import { call } from '../kit/service/call.ts';
import { runCommandProcess } from '../kit/service/crash-service.ts';
import { createDatabase } from '../kit/service/database.ts';
import { ranBefore } from '../kit/service/ran-before.ts';
import { until } from '../kit/unit/until.ts';
import { ask, balancesOf, besideIt, isReady } from './drill.ts';

const REHEARSE = ['restore', '--rehearse', '--yes', '--json'];

/** What the command prints, without lines of progress or of the log. */
const reportIn = (said: string) => JSON.parse(/^\{\n[\s\S]*?\n\}$/m.exec(said)?.[0] ?? said);

test('a rehearsal on a copy says what a restore would find, while the service goes on, and sends nothing', async (t) => {
  const { start, copyDatabase, faulty, game } = await ranBefore(t);
  const copy = await copyDatabase();
  const untouched = await createDatabase(t, new URL(copy).pathname.slice(1));
  const s = await start();
  await isReady(s);
  const guest = await s.createGuest(game);
  const pay = (key: string, amount: number) =>
    ask(s, game, `POST /v1/accounts/${game.address}/transfer`, { amount, user: guest.userId }, key);
  await Promise.all([pay('k1', 11), pay('k2', 12)]);
  await s.settled();
  const before = await balancesOf(s);
  const rehearse = (databaseUrl: string) =>
    runCommandProcess(REHEARSE, besideIt(t, { service: s.service, databaseUrl }, faulty.proxy.url));

  assert.match(
    await rehearse(s.databaseUrl),
    /A service works on this database: process \d+ on .*restore the backup into/,
  );
  assert.deepEqual(await balancesOf(s), before);
  let sent = 0;
  faulty.proxy.pool = () => {
    sent++;
    return null;
  };
  const said = await rehearse(copy);
  const report = reportIn(said);
  assert.deepEqual(
    [report.rehearsal, report.isOlder, report.payments, report.quarters, report.accounts, report.differences],
    [true, true, 2, 23, 1, 0],
    said,
  );
  assert.ok(report.seconds.search > 0 && report.seconds.audit > 0);
  assert.equal(sent, 0);

  const db = openDatabase(copy);
  const counts = await db.query<{ count: bigint }>(
    `SELECT count(*) AS count FROM processes UNION ALL SELECT count(*) FROM relayers WHERE lease_expires_at > now()`,
  );
  assert.deepEqual(
    counts.map(({ count }) => count),
    [0n, 0n],
  );
  assert.ok(await readSuspension(db), 'a service that is started on the copy by mistake accepts no payment');
  await db.close();

  // The real service has noticed nothing, and a copy that lacks nothing says so.
  assert.equal((await call(s.app, 'GET /readyz')).statusCode, 200);
  await pay('k3', 13);
  await s.settled();
  assert.equal((await balancesOf(s)).get(guest.address.toLowerCase()), 36n);
  await s.stop();
  const fresh = await createDatabase(t, new URL(s.databaseUrl).pathname.slice(1));
  const newest = await rehearse(fresh);
  const none = reportIn(newest);
  assert.deepEqual([none.isOlder, none.payments, none.differences], [false, 0, 0], newest);

  // The real restore of the same backup finds the same.
  const restored = await start(untouched);
  await until('it is suspended', () => restored.service.readiness.suspended);
  const real = await runCommandProcess(['restore', '--yes', '--json'], besideIt(t, restored, faulty.proxy.url));
  assert.equal(reportIn(real).payments, 3);
});
