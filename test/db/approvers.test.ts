import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppId } from '../../src/base/ids.ts';
import { openDatabase, type Query } from '../../src/db/database.ts';
import { listUserIds } from '../../src/identity/users.ts';
import { findApprovers } from '../../src/requests/approvers.ts';
import { atEnd } from '../support/at-end.ts';
import { createDatabase } from '../support/database.ts';

const APP = 'A'.repeat(20) as AppId;
const ADDRESS = `0x${'11'.repeat(20)}`;
const USERS = 1_000;
const REQUESTS_EACH = 30;

type Plan = { 'QUERY PLAN': string };

test('who approved is found among some users at a time, by their own requests alone', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  await db.query(`INSERT INTO apps (id, name) VALUES ($1, 'Old game')`, [APP]);
  await db.query(
    `INSERT INTO users (id, kind, display_name, guest_of)
     SELECT lpad(n::text, 28, '0'), 'guest', 'Guest', $1 FROM generate_series(1, ${USERS}) AS n`,
    [APP],
  );
  await db.query(
    `INSERT INTO requests (id, app_id, user_id, source, from_address, to_address, amount, status, expires_at)
     SELECT gen_random_uuid(), $1, lpad((n % ${USERS} + 1)::text, 28, '0'), 'user', $2, $2, 1, 'completed', now()
       FROM generate_series(1, ${USERS * REQUESTS_EACH}) AS n`,
    [APP, ADDRESS],
  );
  // Every second user has approved all of theirs.
  await db.query(
    `INSERT INTO request_moves (request_id, event, from_status, to_status, actor)
     SELECT id, 'approve', 'pending', 'approved', 'user:' || user_id FROM requests WHERE right(user_id, 1)::int % 2 = 0`,
  );
  await db.query('ANALYZE');

  const plans: string[] = [];
  const spied: Query = async (text, values) => {
    const plan = await db.query<Plan>(`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${text}`, values);
    plans.push(plan.map((line) => line['QUERY PLAN']).join('\n'));
    return db.query(text, values);
  };
  let found = 0;
  for (let after = ''; ; ) {
    const users = await listUserIds(db, after, 50);
    if (users.length === 0) break;
    after = users.at(-1)!;
    const before = new Date(Date.now() + 60_000);
    found += (await findApprovers({ query: spied }, { appId: APP, before, users })).length;
  }
  assert.equal(found, USERS / 2);
  assert.equal(plans.length, USERS / 50);
  for (const plan of plans) {
    assert.match(plan, /requests_by_user/);
    assert.doesNotMatch(plan, /Seq Scan|requests_by_app/);
  }
});
