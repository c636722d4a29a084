import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitUnknown, type Database, gaveUpWaiting, isUnavailable, openDatabase } from '../../src/db/database.ts';
import { lacksResources } from '../../src/db/failures.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { startCuttingProxy } from '../kit/unit/cutting-proxy.ts';
import { decideFate, type Fate, makeFates } from '../rows/at-commit.ts';

const failing = (work: Promise<unknown>) =>
  work.then(
    () => assert.fail('the work did not fail'),
    (error: Error & { code?: string }) => error,
  );

/** Returns the server's error for a statement that raises this. */
const raised = (db: Database, state: string) =>
  failing(db.query(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${state}', MESSAGE = 'on purpose'; END $$`));

test('a temporary database failure is distinguished from a faulty statement', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  const now = ['08006', '25006', '40001', '40P01', '53100', '53200', '53300', '55P03', '57014', '57P01', '58030'];
  for (const state of now) assert.equal(isUnavailable(await raised(db, state)), true, state);
  for (const state of ['22012', '23505', '25P02', '42601', '42501', 'XX000', 'P0001']) {
    assert.equal(isUnavailable(await raised(db, state)), false, state);
  }
  assert.equal(isUnavailable(new Error('on purpose')), false);
  assert.equal(isUnavailable(undefined), false);

  // The error of PostgreSQL 18 for a file that may not grow (a quota or a limit of the process).
  const overQuota = { code: 'XX000', severity: 'ERROR', file: 'md.c', routine: 'mdzeroextend' };
  assert.equal(isUnavailable(Object.assign(new Error('could not extend file'), overQuota)), true);
  assert.equal(lacksResources(new CommitUnknown(await raised(db, '53100'))), true);
  assert.equal(lacksResources(await raised(db, '55P03')), false);

  const nobody = Object.assign(new URL(await createDatabase(t)), { username: 'nobody_we_know' }).href;
  const stranger = openDatabase(nobody);
  atEnd(t, () => stranger.close());
  assert.equal(isUnavailable(await failing(stranger.query('SELECT 1'))), true, 'no session, whatever the reason');
});

test('a wait for a lock ends long before the statement timeout', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  const [limits] = await db.query<{ lock: number; statement: number }>(
    `SELECT (extract(epoch FROM current_setting('lock_timeout')::interval))::int AS lock,
            (extract(epoch FROM current_setting('statement_timeout')::interval))::int AS statement`,
  );
  assert.ok(limits!.lock > 0 && limits!.lock < limits!.statement / 2, JSON.stringify(limits));

  const lock = 'LOCK TABLE idempotency_keys IN EXCLUSIVE MODE';
  await db.transaction(async (holder) => {
    await holder.query(lock);
    const waiting = db.transaction(async ({ query }) => {
      await query(`SET LOCAL lock_timeout = '1ms'`);
      await query(lock);
    });
    const error = await failing(waiting);
    assert.deepEqual([gaveUpWaiting(error), isUnavailable(error)], [true, true]);
  });
});

test('outcomes of COMMIT', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  await makeFates(db);
  const committing = (fate: Fate) => failing(db.transaction((tx) => decideFate(tx, fate)));

  await t.test('a refused COMMIT has committed nothing', async () => {
    for (const state of ['23514', '53100', '55P03']) {
      assert.equal((await committing(state)).code, state);
    }
  });

  await t.test('a COMMIT that ends the session or leaves its outcome open may have committed', async () => {
    for (const fate of ['the session ends', '40003', '08007', '57P01']) {
      assert.ok((await committing(fate)) instanceof CommitUnknown, fate);
    }
  });

  await t.test(
    'a statement outside a transaction that lost to others runs again, until it is written once',
    async () => {
      await decideFate(db, 'lost twice');
      assert.deepEqual(await db.query('SELECT fate FROM fates'), [{ fate: 'lost twice' }]);
      assert.equal((await failing(decideFate(db, '40001'))).code, '40001', 'not for ever');
    },
  );

  await t.test('a COMMIT that rolls back is an error', async () => {
    const work = db.transaction(async ({ query }) => {
      await query('CREATE TABLE gone ()');
      await query('SELECT 1 / 0').catch(() => {});
    });
    await assert.rejects(work, /rolled back/);
    assert.deepEqual(await db.query(`SELECT to_regclass('gone') AS gone`), [{ gone: null }]);
  });

  await t.test('a lost COMMIT of a snapshot leaves nothing unknown', async () => {
    const proxy = await startCuttingProxy(await createDatabase(t));
    const cut = openDatabase(proxy.url);
    atEnd(t, () => proxy.close());
    atEnd(t, () => cut.close());
    const error = await failing(
      cut.snapshot(async ({ query }) => {
        await query('SELECT 1');
        proxy.cutNextCommit();
      }),
    );
    assert.deepEqual([error instanceof CommitUnknown, isUnavailable(error), proxy.cuts], [false, true, 1]);
  });
});

test('of statements that are sent together, the one that failed by itself is the error, and none runs after the end', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  /** Rejects later than statements behind it that only find the transaction aborted. */
  const late = async (statement: Promise<unknown>) => {
    await statement.catch(() => new Promise((resolve) => setImmediate(resolve)));
    await statement;
  };
  const together = db.transaction(({ query }) => Promise.all([late(query('SELECT 1 / 0')), query('SELECT 1')]));
  assert.equal((await failing(together)).code, '22012');

  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let straggler: Promise<unknown> = Promise.resolve();
  const work = db.transaction(async ({ query }) => {
    straggler = ended.then(() => query('CREATE TABLE too_late ()'));
    throw new Error('on purpose');
  });
  await assert.rejects(work, /on purpose/);
  end();
  await assert.rejects(straggler, /The transaction has ended/);
});
