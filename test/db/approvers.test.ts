import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppId, newRequestId } from '../../src/base/ids.ts';
import { openDatabase, type Query } from '../../src/db/database.ts';
import { listUserIds } from '../../src/identity/users.ts';
import { findApprovers } from '../../src/requests/transitions.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { insertAppRow } from '../rows/apps.ts';
import { insertApprovals, insertRequestRows } from '../rows/requests.ts';
import { insertGuestRows } from '../rows/users.ts';

const APP = 'A'.repeat(20) as AppId;
const USERS = 1_000;
const REQUESTS_EACH = 30;

type Plan = { 'QUERY PLAN': string };

test('approvers are found within one batch of users, by their own requests alone', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  await insertAppRow(db, APP);
  const userIds = Array.from({ length: USERS }, (_, n) => `${n}`.padStart(28, '0'));
  await insertGuestRows(db, APP, userIds);
  const requests = Array.from({ length: USERS * REQUESTS_EACH }, (_, n) => ({
    id: newRequestId(),
    appId: APP,
    userId: userIds[n % USERS]!,
    status: 'completed' as const,
  }));
  await insertRequestRows(db, requests);
  // Every second user has approved all their requests.
  await insertApprovals(
    db,
    requests.filter((_, n) => n % 2 === 0),
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
