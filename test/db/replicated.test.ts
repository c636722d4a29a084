import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CONFIRMED } from '../../src/db/commits.ts';
import {
  CommitsWait,
  CommitUnknown,
  type Database,
  isUnavailable,
  openDatabase,
  sqlState,
} from '../../src/db/database.ts';
import { databaseFault } from '../../src/db/database-fault.ts';
import { readReplication } from '../../src/db/replication.ts';
import { openGate } from '../kit/service/crash-gate.ts';
import { startOwnPostgres, WAITING } from '../kit/service/own-postgres.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';
import { insertNotes, makeNotes } from '../rows/notes.ts';

const NOBODY = 'a_standby_that_is_away';
const FIND = `SELECT id, ${CONFIRMED} FROM notes WHERE id = $1`;

/** How a promise ended, once it has. */
function watch(work: Promise<unknown>) {
  const seen: { ended?: unknown } = {};
  const ended = work.then(
    (value) => Object.assign(seen, { ended: value }),
    (error: unknown) => Object.assign(seen, { ended: error }),
  );
  return Object.assign(seen, { done: ended.then(() => seen.ended) });
}

test('a database that waits for a standby', async (t) => {
  const server = await startOwnPostgres(t);
  const local = { query: server.sql };
  await makeNotes(local);
  await server.waitFor(NOBODY);

  const open = (t: TestContext, options?: Parameters<typeof openDatabase>[1]): Database => {
    const db = openDatabase(server.url, options);
    atEnd(t, () => db.close());
    return db;
  };
  const waits = () => until('a COMMIT waits for a standby', async () => (await server.sql(WAITING)).length > 0);
  const cancelWaits = () => server.sql(`SELECT pg_cancel_backend(pid) FROM (${WAITING}) AS waiting`);
  /** Lets every COMMIT through, and makes the next ones wait again. */
  const standbyAnswers = () => server.waitFor('');

  await t.test('a COMMIT whose wait was cancelled has an unknown outcome, in a transaction and alone', async (t) => {
    // It says so with a warning.
    await server.sql('ALTER ROLE CURRENT_USER SET client_min_messages = error');
    const db = open(t);
    for (const write of [() => db.transaction((tx) => insertNotes(tx, 1)), () => insertNotes(db, 2)]) {
      const written = watch(write());
      await waits();
      await cancelWaits();
      assert.ok((await written.done) instanceof CommitUnknown);
    }
    await server.sql('ALTER ROLE CURRENT_USER RESET client_min_messages');
  });

  await t.test('rows that no standby has are read with a confirmation only when one has them', async (t) => {
    const db = open(t);
    await insertNotes(local, 5);
    assert.deepEqual(await db.query(FIND, [4]), [], 'what is not there needs no confirmation');
    assert.equal((await db.query('SELECT id FROM notes WHERE id = 5')).length, 1);

    const alone = watch(db.query(FIND, [5]));
    const inTransaction = watch(db.transaction(({ query }) => query(FIND, [5])));
    await until('both wait', async () => (await server.sql(WAITING)).length === 2);
    assert.deepEqual([alone.ended, inTransaction.ended], [undefined, undefined]);
    await standbyAnswers();
    for (const read of [alone, inTransaction]) assert.deepEqual(await read.done, [{ id: 5n, confirmed: true }]);
    await server.waitFor(NOBODY);
  });

  await t.test(
    'a confirmed read whose wait was cancelled is unavailable, and its outcome is not unknown',
    async (t) => {
      const db = open(t);
      const read = watch(db.query(FIND, [5]));
      await waits();
      await cancelWaits();
      assert.deepEqual([isUnavailable(await read.done), read.ended instanceof CommitUnknown], [true, false]);
    },
  );

  await t.test('a confirmed read waits no longer than a COMMIT, and others are refused then', async (t) => {
    const faults: Error[] = [];
    const db = open(t, { commitsWithinMs: 500, onWriteFault: (error) => void faults.push(error) });
    await assert.rejects(db.query(FIND, [5]), isUnavailable);
    await until('it is said', () => faults.length > 0);
    assert.deepEqual(
      faults.map(({ name }) => name),
      ['CommitsWait'],
    );
    await assert.rejects(db.query(FIND, [5]), CommitsWait);
    await assert.rejects(insertNotes(db, 6), CommitsWait);
    assert.equal((await db.query('SELECT id FROM notes WHERE id = 5')).length, 1);
    await standbyAnswers();
    await server.waitFor(NOBODY);
  });

  await t.test(
    'while COMMITs wait, others are refused without a connection, and reads and later COMMITs succeed',
    async (t) => {
      const faults: Error[] = [];
      const db = open(t, { commitsWithinMs: 500, onWriteFault: (error) => void faults.push(error) });
      const write = (id: number) => db.transaction((tx) => insertNotes(tx, id));
      const failing = (work: Promise<unknown>) =>
        work.then(
          () => assert.fail('it was written'),
          (error: unknown) => error,
        );
      assert.ok((await failing(write(10))) instanceof CommitUnknown);
      for (let id = 11; id < 60; id++) {
        const error = await failing(id % 2 ? write(id) : insertNotes(db, id));
        assert.deepEqual([error instanceof CommitsWait, isUnavailable(error)], [true, true]);
      }
      await assert.rejects(db.assertWritable(), CommitsWait);
      await until('it is said', () => faults.length > 0);
      assert.deepEqual(
        faults.map(({ name }) => name),
        ['CommitsWait'],
      );
      const [held] = await server.sql<{ count: string }>(`SELECT count(*) FROM (${WAITING}) AS waiting`);
      assert.ok(Number(held!.count) <= 3, `${held!.count} connections of the server wait`);
      await db.query('SELECT id FROM notes');

      await standbyAnswers();
      await until('writes are taken', async () => {
        return db.assertWritable().then(
          () => true,
          () => false,
        );
      });
      // On a busy machine it may take longer than the limit of this test.
      await until('a COMMIT is answered', () =>
        write(60).then(
          () => true,
          (error) => sqlState(error) === '23505',
        ),
      );
      const ids = (await server.sql<{ id: string }>('SELECT id FROM notes WHERE id >= 10 ORDER BY id')).map(
        ({ id }) => id,
      );
      assert.deepEqual(ids, ['10', '60']);
      await server.waitFor(NOBODY);
    },
  );

  await t.test('a COMMIT that is slow without a standby is no fault of writing', async (t) => {
    await standbyAnswers();
    await server.sql(
      `CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(2); RETURN NULL; END'`,
    );
    await server.sql(
      'CREATE CONSTRAINT TRIGGER lingering AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION linger()',
    );
    const seen: string[] = [];
    const db = open(t, {
      commitsWithinMs: 500,
      onWriteFault: ({ message }) => void seen.push(message),
      onSlowCommit: () => void seen.push('slow'),
    });
    await assert.rejects(
      db.transaction((tx) => insertNotes(tx, 70)),
      CommitUnknown,
    );
    await until('it is said', () => seen.length > 0);
    assert.deepEqual(seen, ['slow']);
    await server.sql('DROP TRIGGER lingering ON notes');
    await server.waitFor(NOBODY);
  });

  await t.test('how a server is replicated can be read by any role', async (t) => {
    await server.sql(`CREATE ROLE plain LOGIN PASSWORD 'plain'`);
    const url = Object.assign(new URL(server.url), { username: 'plain', password: 'plain' }).href;
    const db = openDatabase(url);
    atEnd(t, () => db.close());
    assert.deepEqual(await readReplication(db), {
      isStandby: false,
      synchronousCommit: 'on',
      synchronousStandbyNames: NOBODY,
      timeline: 1,
      standbys: [],
      fsync: false,
      fullPageWrites: false,
      walLevel: 'replica',
      maxConnections: 300,
    });
  });

  await t.test('a role that may not wait for a standby is refused in one sentence', async () => {
    const url = Object.assign(new URL(server.url), { username: 'plain', password: 'plain' }).href;
    assert.equal(await databaseFault(url), null);
    await server.sql('REVOKE EXECUTE ON FUNCTION pg_logical_emit_message(bool, text, text, bool) FROM PUBLIC');
    assert.match((await databaseFault(url)) ?? '', /^the role plain .* may not run pg_logical_emit_message/);
  });

  await t.test('a server with an earlier state of its disk is known from one that restarted', async (t) => {
    const gate = await openGate(server.port);
    atEnd(t, () => gate.close());
    const db = openDatabase(Object.assign(new URL(server.url), { port: `${gate.port}` }).href);
    atEnd(t, () => db.close());
    let changes = 0;
    db.onServerChange(() => changes++);
    const answers = async () => {
      gate.leadTo(server.port);
      await until('the database answers', () =>
        db.query('SELECT 1').then(
          () => true,
          () => false,
        ),
      );
      return changes;
    };
    assert.equal(await answers(), 0);
    const restore = await server.saveDisk();
    assert.equal(await answers(), 0);
    await insertNotes(local, ...Array.from({ length: 5_000 }, (_, i) => 100 + i));
    await server.kill();
    await server.start();
    assert.equal(await answers(), 0);
    await restore();
    assert.equal(await answers(), 1);
  });
});
