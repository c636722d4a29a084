import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createDatabase } from '../support/database.ts';

test('processes that start at once migrate one after the other', async (t) => {
  const url = await createDatabase(t);
  const db = openDatabase(url);
  await db.query('DROP SCHEMA public CASCADE');
  await db.query('CREATE SCHEMA public');
  await db.close();
  const applied = await Promise.all([migrate(url), migrate(url), migrate(url)]);
  assert.deepEqual(applied.map((names) => names.length).sort(), [0, 0, applied.flat().length]);
});
