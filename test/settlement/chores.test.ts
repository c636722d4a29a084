import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '../../src/config/read-settings.ts';
import { openDatabase } from '../../src/db/database.ts';
import { choreLoops, choresOf } from '../../src/jobs/chore-loops.ts';
import { houseOf } from '../../src/service/house.ts';
import type { LogEntry, Service, Settlement } from '../../src/service/service.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';
import { insertForgottenRows } from '../rows/passing.ts';

test('a failing chore does not stop the others, and is logged once', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  await db.query('CREATE SEQUENCE failures');
  await db.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM nextval('failures'); RAISE 'broken on purpose'; END $$`);
  await db.query('CREATE TRIGGER broken BEFORE DELETE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION fail()');
  for (const table of ['idempotency_keys', 'attempts', 'passkey_challenges', 'oauth_records'] as const) {
    await insertForgottenRows(db, table);
  }

  const settlement = { strandedSuspected: false } as Settlement;
  const warnings: LogEntry[] = [];
  const log = { info() {}, warn: (entry: LogEntry) => void warnings.push(entry), error() {} };
  const readiness = { compared: 'done', trusted: false, suspended: false };
  const service = {
    house: houseOf([]),
    db,
    settlement,
    log,
    loopFaults: new Map(),
    readiness,
    settings: readSettings({}),
  };
  const whole = service as unknown as Service;
  const loops = choreLoops(whole, await choresOf(whole), 0);
  atEnd(t, () => Promise.all(loops.map((loop) => loop.stop())));

  for (const table of ['attempts', 'passkey_challenges', 'oauth_records']) {
    await until(`${table} is empty`, async () => (await db.query(`SELECT FROM ${table}`)).length === 0);
  }
  await until('stranded transfers are looked for', () => settlement.strandedSuspected);
  await until('it has failed again and again', async () => {
    const [row] = await db.query<{ last_value: bigint }>('SELECT last_value FROM failures');
    return row!.last_value >= 4n;
  });
  assert.deepEqual(
    warnings.map(({ loop }) => loop),
    ['forget idempotency keys'],
  );
  await db.query('DROP TRIGGER broken ON idempotency_keys');
  await until('it is done', async () => (await db.query('SELECT FROM idempotency_keys')).length === 0);
});
