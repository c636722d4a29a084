import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppId, newRequestId, newTransferId, newUserId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { openDatabase, type Query } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { findAppsByName } from '../../src/identity/app-directory.ts';
import { readSeenPage, storeSeen } from '../../src/identity/seen-players.ts';
import { findGuestsByName, findUsersByPart, readUserPage } from '../../src/identity/user-directory.ts';
import { readAllTransfers } from '../../src/settlement/tables/transfer-list.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { insertAppRow } from '../rows/apps.ts';
import { insertRequestRows } from '../rows/requests.ts';
import { insertTransferRows } from '../rows/transfers.ts';
import { insertFullUserRows, insertGuestRows } from '../rows/users.ts';

const APP = 'A'.repeat(20) as AppId;
const PEOPLE = 8_000;
const PAYMENTS = 4_000;

type Plan = { 'QUERY PLAN': string };

test('players, guests, apps and payments are found by an index, however a statement is prepared', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  await insertAppRow(db, APP);
  const guests = Array.from({ length: PEOPLE }, () => newUserId());
  const full = Array.from({ length: PEOPLE }, (_, n) => {
    const id = newUserId();
    return { id, displayName: `Ada ${id.slice(0, 8)}`, email: `${n}@mail.example` };
  });
  await insertFullUserRows(db, full);
  await insertGuestRows(db, APP, guests);
  await db.transaction((tx) => storeSeen(tx, guests));
  const payments = Array.from({ length: PAYMENTS }, (_, n) => ({ id: newRequestId(), amount: n + 1 }));
  await insertRequestRows(
    db,
    payments.map(({ id, amount }) => ({ id, amount, appId: APP, userId: full[0]!.id, status: 'completed' as const })),
  );
  const between = { fromAddress: `0x${'1'.repeat(40)}`, toAddress: `0x${'2'.repeat(40)}` };
  await insertTransferRows(
    db,
    payments.map(({ id, amount }) => ({ ...between, id: newTransferId(), requestId: id, amount })),
  );
  await db.query('ANALYZE');

  /** The plans of what a search runs, as for values that are not known: so PostgreSQL plans a statement that runs often. */
  const plansOf = async (search: (spied: { query: Query }) => Promise<unknown>): Promise<string> => {
    const plans: string[] = [];
    const query: Query = async (text, values) => {
      await db.transaction(async (tx) => {
        await tx.query('SET LOCAL plan_cache_mode = force_generic_plan');
        const plan = await tx.query<Plan>(`EXPLAIN (COSTS OFF) ${text}`, values);
        plans.push(plan.map((line) => line['QUERY PLAN']).join('\n'));
      });
      return db.query(text, values);
    };
    await search({ query });
    return plans.join('\n\n');
  };
  const [ada] = full;
  const part = ada!.displayName.slice(6, 11);
  assert.deepEqual(
    (await findUsersByPart(db, part, 21)).map(({ id }) => id),
    [ada!.id],
  );
  let statements = 0;
  const counted: Query = (text, values) => {
    statements++;
    return db.query(text, values);
  };
  assert.equal((await findUsersByPart({ query: counted }, 'mail.ex', 21)).length, 21);
  assert.equal(statements, 1, 'what many have is found among the newest full users, however many guests came since');
  const none = { statuses: null, createdFrom: null, createdBefore: null };
  const byAmount = { ...none, amount: asQuarters(17), text: null };
  assert.deepEqual(
    (await readAllTransfers(db, null, byAmount, 9)).transfers.map(({ requestId }) => requestId),
    [payments[16]!.id],
  );
  const searches: [plan: string, indexes: readonly string[]][] = [
    [await plansOf((spied) => findUsersByPart(spied, part, 21)), ['users_by_becoming_full', 'full_users_by_part']],
    [await plansOf((spied) => findGuestsByName(spied, 'guest k7', 21)), ['guests_by_name']],
    [await plansOf((spied) => findAppsByName(spied, 'test', 21)), []],
    [await plansOf((spied) => readUserPage(spied, full[9]!.id, 51)), ['users_by_age', 'users_pkey']],
    [
      await plansOf((spied) => readSeenPage(spied, { day: '2029-11-29', userId: guests[9]! }, 51)),
      ['seen_players_by_day'],
    ],
    [await plansOf((spied) => readAllTransfers(spied, null, byAmount, 51)), ['transfers_by_time', 'requests_pkey']],
  ];
  for (const [plan, indexes] of searches) {
    for (const index of indexes) assert.ok(plan.includes(index), `${index} in\n${plan}`);
    assert.doesNotMatch(plan, /Seq Scan on (?:users|transfers|requests|seen_players)/, plan);
  }
});

test('names are found without their case in a database whose locale knows only that of A to Z', async (t) => {
  const url = await createDatabase(t, `template0 LOCALE_PROVIDER libc LOCALE 'C'`);
  await migrate(url);
  const db = openDatabase(url);
  atEnd(t, () => db.close());
  const [ctype] = await db.query<{ folded: string }>(`SELECT lower('ОЛЬГА') AS folded`);
  assert.equal(ctype!.folded, 'ОЛЬГА');
  const names = ['Ольга Ёлкина', 'Łukasz Ångström', 'ΑΘΗΝΑ', 'ՀԱՅԿ'];
  const people = names.map((displayName, n) => ({ id: newUserId(), displayName, email: `${n}@mail.example` }));
  await insertFullUserRows(db, people);
  for (const { id, displayName } of people) {
    for (const typed of [displayName.toLowerCase(), displayName.toUpperCase()]) {
      const found = await findUsersByPart(db, typed, 21);
      assert.deepEqual(
        found.map((user) => user.id),
        [id],
        typed,
      );
    }
  }
});

test('no index of parts orders them as the operating system does', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  const indexes = await db.query<{ indexdef: string; collation: string | null }>(
    `SELECT indexdef, (SELECT collname FROM pg_collation c WHERE c.oid = i.indcollation[0]) AS collation
       FROM pg_indexes JOIN pg_index i ON i.indexrelid = format('%I.%I', schemaname, indexname)::regclass
      WHERE schemaname = current_schema() AND indexdef LIKE '% USING gin %'`,
  );
  assert.ok(indexes.length > 1);
  for (const { indexdef, collation } of indexes) assert.ok([null, 'C'].includes(collation), indexdef);
});

test('what a payment changes is in no index that finds players', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  const indexes = await db.query<{ indexdef: string }>(
    `SELECT indexdef FROM pg_indexes WHERE tablename = 'accounts' AND schemaname = current_schema()`,
  );
  assert.ok(indexes.length > 5);
  for (const { indexdef } of indexes) assert.doesNotMatch(indexdef, /\b(?:posted|held)\b/);
});
