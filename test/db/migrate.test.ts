import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openDatabase, type Queries } from '../../src/db/database.ts';
import { migrate, prepareMigrations } from '../../src/db/migrate.ts';
import { requireOwnTables } from '../../src/membership/join.ts';
import { createDatabase } from '../kit/service/database.ts';
import { onServer } from '../kit/service/postgres.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { endBuildingOf } from '../rows/catalogs.ts';

test('processes that start at once migrate one after the other', async (t) => {
  const url = await createDatabase(t);
  const db = openDatabase(url);
  await db.query('DROP SCHEMA public CASCADE');
  await db.query('CREATE SCHEMA public');
  await db.close();
  const applied = await Promise.all([migrate(url), migrate(url), migrate(url)]);
  assert.deepEqual(applied.map((names) => names.length).sort(), [0, 0, applied.flat().length]);
});

/** The newest migration of 1.0.0. */
const OF_1_0_0 = 28;

/** Columns, constraints and indexes, in no order. */
const describe = async ({ query }: Queries): Promise<string[]> =>
  (
    await query<{ one: string }>(
      `SELECT format('%s.%s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod)) AS one
         FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
       UNION ALL SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace
       UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'`,
    )
  )
    .map(({ one }) => one)
    .sort();

test('what was prepared beside 1.0.0 is what its migrations make, and is not made again', async (t) => {
  const [url, ofMigrations] = await Promise.all([createDatabase(t), createDatabase(t)]);
  const [db, other] = [openDatabase(url), openDatabase(ofMigrations)];
  atEnd(t, () => Promise.all([db.close(), other.close()]));
  assert.deepEqual(await prepareMigrations(url), [], 'nothing is left to prepare');
  await onServer(url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  await assert.rejects(prepareMigrations(url), /The database is empty/);
  await migrate(url, OF_1_0_0);
  const steps = ['0043_nonces', '0049_named_by_ids'];
  assert.deepEqual(await prepareMigrations(url), steps);
  const fileOf = async (index: string) =>
    (await db.query<{ file: string }>('SELECT pg_relation_filenode($1::text::regclass)::text AS file', [index]))[0]!
      .file;

  await onServer(url, endBuildingOf('prepared_requests_by_app'));
  await assert.rejects(migrate(url), /has begun is not finished/);
  const ended = await fileOf('prepared_requests_by_app');
  const built = await fileOf('prepared_transfers_by_time');
  assert.deepEqual(await prepareMigrations(url), steps);
  assert.notEqual(await fileOf('prepared_requests_by_app'), ended);

  assert.ok((await migrate(url)).includes('0049_named_by_ids'));
  assert.equal(await fileOf('transfers_by_time'), built);
  assert.deepEqual(await describe(db), await describe(other));
});

test('a role that may not make tables is told the grant, and an empty database is called that', async (t) => {
  const url = await createDatabase(t, 'template0');
  const db = openDatabase(url);
  atEnd(t, () => db.close());
  await assert.rejects(requireOwnTables(db), /^Error: The database is empty\. /);
  const role = `plain ${randomBytes(4).toString('hex')}`;
  await db.query(`CREATE ROLE "${role}" LOGIN PASSWORD 'plain'`);
  await assert.rejects(
    migrate(Object.assign(new URL(url), { username: role, password: 'plain' }).href),
    new RegExp(`may not create tables in the schema public.*run: GRANT CREATE ON SCHEMA public TO "${role}";$`),
  );
  await db.query(`DROP ROLE "${role}"`);
});
