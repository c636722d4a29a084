import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RELEASE } from '../../src/config/release.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { joinProcesses, readLevel } from '../../src/membership/join.ts';
import { enterDatabase, migrateAlone } from '../../src/membership/membership.ts';
import { listProcesses, newProcess, renewWorking } from '../../src/membership/processes.ts';
import { connect } from '../../src/process/connect.ts';
import { createDatabase } from '../kit/service/database.ts';
import { startTestService } from '../kit/service/service.ts';
import { atEnd, type Ending } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';
import { insertFormerProcess } from '../rows/former.ts';
import { createOlderDatabase } from '../rows/older-schema.ts';
import { setCompatibility } from '../rows/processes.ts';
import { ago } from '../rows/times.ts';
import { changeProcesses, forgetProcesses } from '../rows/transfers.ts';

const NEXT = { version: '9.0.0', compatibility: RELEASE.compatibility + 1 };

async function openOwn(t: Ending): Promise<{ url: string; db: Database }> {
  const url = await createDatabase(t);
  const db = openDatabase(url);
  atEnd(t, () => db.close());
  return { url, db };
}

test('the level of the tables is that of this program', async (t) => {
  const { db } = await openOwn(t);
  assert.equal(await readLevel(db), RELEASE.compatibility);
});

test('a process enters once a killed one of another level is forgotten, and not while one runs', async (t) => {
  const { url, db } = await openOwn(t);
  const { self, leave } = await enterDatabase(url);
  const other = newProcess(NEXT);
  await assert.rejects(joinProcesses(db, other), {
    name: 'IncompatibleRelease',
    message: new RegExp(
      `^Version 9\\.0\\.0 cannot run beside .*: ${RELEASE.version} on .* \\(process ${process.pid}, since 20`,
    ),
  });
  // A release of the same level may run beside it, and the schema may be updated.
  const same = await enterDatabase(url, () => {}, newProcess({ ...RELEASE, version: '1.99.0' }));
  assert.deepEqual(await migrateAlone(url), []);
  assert.deepEqual((await listProcesses(db)).map(({ version }) => version).sort(), [RELEASE.version, '1.99.0'].sort());
  await same.leave();
  await leave();

  // Killed: nothing renews it, and nobody has removed it.
  await joinProcesses(db, self);
  await changeProcesses(db, {}, { seenAt: ago('4 seconds') });
  await joinProcesses(db, other);
  assert.deepEqual(
    (await listProcesses(db)).map(({ id }) => id),
    [other.id],
  );
});

test('a process of before the first release is waited for if it was killed, and cannot start afterwards', async (t) => {
  const url = await createOlderDatabase(t, '0028');
  const db = openDatabase(url);
  atEnd(t, () => db.close());
  // By its clock it is seen again and again for three seconds more.
  await insertFormerProcess(db, -3_000);
  await assert.rejects(migrateAlone(url), /An earlier version still runs on this database\. Stop all/);
  await insertFormerProcess(db, 4_500);
  assert.ok((await migrateAlone(url)).includes('0028_processes'));
  await assert.rejects(insertFormerProcess(db, 0), /null value in column/);
});

test('a process that was silent while another level started ends', async (t) => {
  const { url, db } = await openOwn(t);
  const overtaken = Promise.withResolvers<Error>();
  const { self, leave } = await enterDatabase(url, overtaken.resolve);
  atEnd(t, leave);
  // As the start of the other level leaves it after the silence. Its own renewing keeps the other one alive meanwhile.
  await changeProcesses(db, { id: self.id }, { compatibility: NEXT.compatibility, id: newProcess().id });
  const living = setInterval(() => changeProcesses(db, {}, { seenAt: ago('0 seconds') }).catch(() => {}), 300);
  atEnd(t, () => clearInterval(living));
  assert.match((await overtaken.promise).message, /cannot run beside/);
  clearInterval(living);
});

test('a service that the others have forgotten enters again, and is told if it may not', async (t) => {
  const s = await startTestService(t);
  const { db, self } = s.service;
  const ownIds = async () => (await listProcesses(db)).filter(({ working }) => working).map(({ id }) => id);
  await forgetProcesses(db);
  await until('the service has entered again', async () => (await ownIds()).includes(self.id));
  assert.equal(await renewWorking(db, newProcess().id, true, {}), null);
});

test('neither a process nor a command of an earlier release works on the tables of a later one', async (t) => {
  const s = await startTestService(t);
  const settings = { ...s.service.settings, databaseUrl: s.databaseUrl, chainRpcUrls: [s.evm.url] };
  await s.stop();
  const db = openDatabase(s.databaseUrl);
  atEnd(t, () => db.close());
  await setCompatibility(db, NEXT.compatibility);
  const later =
    /^The database belongs to a later release: its compatibility level is \d+, and that of version .* is \d+\./;
  await assert.rejects(enterDatabase(s.databaseUrl), { message: later });
  await assert.rejects(connect(settings, s.service.log, s.service.house), { message: later });
  assert.deepEqual(await listProcesses(db), []);

  await setCompatibility(db, 0);
  await assert.rejects(connect(settings, s.service.log, s.service.house), /The database belongs to an earlier release/);
});
