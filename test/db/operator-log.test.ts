import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { type AppId, newAppId, newUserId, type UserId } from '../../src/base/ids.ts';
import { withContext } from '../../src/base/log.ts';
import { type Database, openDatabase, type Tx } from '../../src/db/database.ts';
import { forgetNamesOf, resolveNames } from '../../src/operator-log/names.ts';
import { recordChange } from '../../src/operator-log/record.ts';
import { chainEntries } from '../../src/wings/operators-log/store/chain.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { type ChainedRow, readLogRows, readLogTables, TAMPERING } from '../rows/operator-log.ts';

async function openLog(t: TestContext): Promise<{ db: Database; other: Database }> {
  const url = await createDatabase(t);
  const [db, other] = [openDatabase(url), openDatabase(url)];
  atEnd(t, async () => void (await Promise.all([db.close(), other.close()])));
  return { db, other };
}

const chain = (db: Database) => db.transaction((tx) => chainEntries(tx, 500));

/** Computes the chain as docs/operate/log.md describes it, without the program's own code. */
function assertChained(rows: readonly ChainedRow[]): void {
  let previous = Buffer.alloc(32);
  for (const [i, { sequence, hash, entry }] of rows.entries()) {
    assert.equal(sequence, BigInt(i + 1));
    const place = Buffer.from((i + 1).toString(16).padStart(16, '0'), 'hex');
    const input = Buffer.concat([
      Buffer.from('quarters.operator-log.v1'),
      Buffer.of(0),
      previous,
      place,
      Buffer.from(entry),
    ]);
    previous = createHash('sha256').update(input).digest();
    assert.deepEqual(hash, previous);
  }
}

test('an entry says who, from where, what, before and after, in sorted names and with pseudonyms', async (t) => {
  const { db } = await openLog(t);
  const [operator, owner, appId] = [newUserId(), newUserId(), newAppId()];
  const change = { action: 'app-changed', subject: { kind: 'app', id: appId } } as const;
  const context = { requestId: 'r1', client: '203.0.113.7', userId: operator, actor: 'operator' } as const;
  await withContext(context, () =>
    db.transaction((tx) =>
      recordChange(tx, {
        ...change,
        before: { owner: null },
        after: { owner: { user: owner }, caps: [1n, undefined] },
      }),
    ),
  );
  await db.transaction((tx) => recordChange(tx, change));
  await withContext({ actor: 'operator', osUser: 'root', command: 'apps verify' }, () =>
    db.transaction((tx) => recordChange(tx, change)),
  );
  await withContext({ client: '203.0.113.8', appId, keyId: 'a1b2' }, () =>
    db.transaction((tx) => recordChange(tx, change)),
  );
  await chain(db);
  const rows = await readLogRows(db);
  assertChained(rows);
  const [byPerson, byService, byShell, byApp] = rows.map(({ entry }) => JSON.parse(entry));
  assert.deepEqual(await named(db, [byPerson.actor.id, byPerson.after.owner.user, byPerson.from.client]), [
    { userId: operator, client: '' },
    { userId: owner, client: '' },
    { userId: operator, client: '203.0.113.7' },
  ]);
  assert.equal(
    rows[0]!.entry,
    `{"action":"app-changed","actor":{"as":"operator","id":"${byPerson.actor.id}","kind":"user"},` +
      `"after":{"caps":["1",null],"owner":{"user":"${byPerson.after.owner.user}"}},"at":"${byPerson.at}","before":{"owner":null},` +
      `"from":{"client":"${byPerson.from.client}","request":"r1"},"subject":{"id":"${appId}","kind":"app"},"v":1}`,
  );
  assert.deepEqual([byService.actor, byService.from], [{ kind: 'service', id: 'service' }, undefined]);
  assert.deepEqual(byShell.actor, { as: 'operator', kind: 'shell', id: 'root' });
  assert.deepEqual(byShell.from, { command: 'apps verify' });
  assert.deepEqual(byApp.actor, { kind: 'app', id: appId, key: 'a1b2' });
});

test('a change with more facts than an entry holds is recorded with their beginnings, whatever characters they have', async (t) => {
  const { db } = await openLog(t);
  const id = newAppId();
  // An emoji is two units of UTF-16, and the cut comes between them.
  const longest = (place: number) => `https://game.example/${'/'.repeat(place % 2)}${'🎲'.repeat(900)}`;
  const addresses = Array.from({ length: 20 }, (_, i) => longest(i));
  const facts = { name: 'Dice', redirectUris: addresses, frameAncestors: addresses, resultOrigins: addresses };
  await db.transaction((tx) =>
    recordChange(tx, { action: 'app-changed', subject: { kind: 'app', id }, before: facts, after: facts }),
  );
  await chain(db);
  const [row] = await readLogRows(db);
  const { before, after } = JSON.parse(row!.entry);
  assert.deepEqual(before, after);
  assert.equal(before.name, 'Dice');
  assert.match(before.redirectUris[0], /^https:.*…$/);
});

async function named(db: Database, names: readonly string[]) {
  const known = await resolveNames(db, names);
  return names.map((name) => known.get(name));
}

test('forgetting a user leaves the entries as they are, and nothing that leads to the user or their address', async (t) => {
  const { db } = await openLog(t);
  const [userId, friend] = [newUserId(), newUserId()];
  const record = (id: UserId, client: string) =>
    withContext({ client }, () =>
      db.transaction((tx) =>
        recordChange(tx, {
          action: 'user-frozen',
          subject: { kind: 'user', id },
          by: id,
          reason: `Ada wrote from ${client}`,
        }),
      ),
    );
  await record(userId, '203.0.113.7');
  await record(friend, '203.0.113.7');
  await chain(db);
  const before = await readLogRows(db);
  await db.transaction((tx) => forgetNamesOf(tx, [userId]));
  assert.deepEqual(await readLogRows(db), before);
  assertChained(before);
  const rows = await readLogTables(db);
  assert.ok(rows.every((row) => !row.includes(userId)));
  // The friend's own pseudonyms and note are still there.
  const left = rows.filter((row) => row.includes('203.0.113.7') || row.includes(friend));
  assert.ok(left.length === 3 && left.every((row) => row.includes(friend)));
});

test('concurrent changes in two processes are chained once each, without a gap, and those rolled back are not', async (t) => {
  const { db, other } = await openLog(t);
  const appId = newAppId();
  const change = (at: Database, place: number) =>
    at.transaction(async (tx) => {
      await recordChange(tx, { action: 'key-issued', subject: { kind: 'app', id: appId }, after: { place } });
      if (place % 5 === 0) throw new Error('rolled back');
    });
  const chaining = async (at: Database) => {
    for (let i = 0; i < 20; i++) await chain(at);
  };
  await Promise.all([
    ...Array.from({ length: 100 }, (_, i) => change(i % 2 ? db : other, i).catch(() => {})),
    chaining(db),
    chaining(other),
  ]);
  await chain(db);
  const rows = await readLogRows(db);
  assertChained(rows);
  const places = rows.map(({ entry }) => JSON.parse(entry).after.place as number).sort((a, b) => a - b);
  assert.deepEqual(
    places,
    Array.from({ length: 100 }, (_, i) => i).filter((i) => i % 5 !== 0),
  );
});

test('a change that follows another COMMIT comes later in the log, although its process chains first', async (t) => {
  const { db, other } = await openLog(t);
  const record = (at: Database, word: string) =>
    at.transaction((tx) => recordChange(tx, { action: 'app-verified', subject: { kind: 'app', id: word as AppId } }));
  await record(db, 'first');
  await record(other, 'second');
  await chain(other);
  await record(db, 'third');
  await chain(db);
  assert.deepEqual(
    (await readLogRows(db)).map(({ entry }) => JSON.parse(entry).subject.id),
    ['first', 'second', 'third'],
  );
});

test('a change waits for no other that is under way, of the same user from the same address', async (t) => {
  const { db, other } = await openLog(t);
  const id = newUserId();
  const record = (tx: Tx) =>
    withContext({ client: '203.0.113.7' }, () =>
      recordChange(tx, { action: 'email-changed', subject: { kind: 'user', id }, by: id }),
    );
  await db.transaction(async (tx) => {
    await record(tx);
    // Would wait for the first transaction, which waits for this one.
    await other.transaction(record);
    await chain(other);
  });
  await chain(db);
  const rows = await readLogRows(db);
  assertChained(rows);
  const names = rows.map(({ entry }) => JSON.parse(entry).subject.id as string);
  assert.deepEqual(await named(db, names), Array(2).fill({ userId: id, client: '' }));
});

test('the database refuses to change, delete or empty the log', async (t) => {
  const { db } = await openLog(t);
  const record = () =>
    db.transaction((tx) => recordChange(tx, { action: 'app-verified', subject: { kind: 'app', id: newAppId() } }));
  await record();
  await chain(db);
  await record();
  for (const statement of TAMPERING) {
    await assert.rejects(db.query(statement), ({ code, message }: { code: string; message: string }) => {
      assert.match(message, /only be added to|does not change/, statement);
      return code === '23001';
    });
  }
  assert.equal((await readLogRows(db)).length, 2);
});
