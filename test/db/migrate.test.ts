import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { requireOwnTables } from '../../src/membership/join.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';

test('processes that start at once migrate one after the other', async (t) => {
  const url = await createDatabase(t);
  const db = openDatabase(url);
  await db.query('DROP SCHEMA public CASCADE');
  await db.query('CREATE SCHEMA public');
  await db.close();
  const applied = await Promise.all([migrate(url), migrate(url), migrate(url)]);
  assert.deepEqual(applied.map((names) => names.length).sort(), [0, 0, applied.flat().length]);
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
