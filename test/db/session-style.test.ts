import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../src/db/database.ts';
import { SESSION_STYLE } from '../../src/db/session-style.ts';
import { createDatabase } from '../kit/service/database.ts';
import { ODD_STYLE } from '../kit/service/postgres.ts';
import { atEnd } from '../kit/unit/at-end.ts';

const SHOW = Object.keys(SESSION_STYLE)
  .map((name) => `current_setting('${name}') AS "${name}"`)
  .join();

test('a connection reads and writes values in our style, whatever the style of its role', async (t) => {
  const url = await createDatabase(t);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  atEnd(t, () => other.end());
  // The driver itself sets the encoding.
  const { client_encoding: _, ...odd } = ODD_STYLE;
  const { rows } = await other.query(`SELECT ${SHOW}`);
  assert.deepEqual(rows, [{ ...odd, client_encoding: 'UTF8' }], 'the role of these tests is odd');

  const db = openDatabase(url);
  atEnd(t, () => db.close());
  assert.deepEqual(await db.query(`SELECT ${SHOW}`), [SESSION_STYLE]);
  const at = new Date('2026-03-04T05:06:07.089Z');
  assert.deepEqual(
    await db.query(`SELECT $1::timestamptz AS at, $2::bytea AS bytes, '\\x41'::bytea AS literal`, [
      at,
      Buffer.from([0, 92, 255]),
    ]),
    [{ at, bytes: Buffer.from([0, 92, 255]), literal: Buffer.from('A') }],
  );
});
