import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CONFIRMED } from '../../src/db/commits.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { openReplica, type Replica } from '../../src/db/reads.ts';
import { openGate } from '../kit/service/crash-gate.ts';
import { startOwnPostgres } from '../kit/service/own-postgres.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';
import { insertNotes, makeNotes } from '../rows/notes.ts';

const ids = async (queries: Pick<Database, 'query'>) =>
  (await queries.query<{ id: bigint }>('SELECT id FROM notes ORDER BY id')).map(({ id }) => Number(id));
/** The server that answers, by its port. */
const AT = 'SELECT inet_server_port() AS port';

test('a read replica', async (t) => {
  const primary = await startOwnPostgres(t);
  const local = { query: primary.sql };
  await makeNotes(local);
  await insertNotes(local, 1);
  const standby = await primary.copy();
  const pause = (of = standby) => of.sql('SELECT pg_wal_replay_pause()');
  const resume = (of = standby) => of.sql('SELECT pg_wal_replay_resume()');

  /** Only a test of lagging has the program's own limit: a busy machine may exceed it. */
  function open(
    t: TestContext,
    url = standby.url,
    primaryUrl = primary.url,
    limit: { mostLagMs?: number } = { mostLagMs: 60_000 },
  ) {
    const changes: (string | null)[] = [];
    const db = openDatabase(primaryUrl, { onError: () => {} });
    const replica = openReplica(db, url, { ...limit, onChange: ({ reason }) => void changes.push(reason) });
    atEnd(t, async () => {
      await replica.close();
      await db.close();
    });
    return { db, replica, reads: replica.reads, changes };
  }
  let written = 0;
  const portOf = async ({ query }: Pick<Database, 'query'>) => (await query<{ port: number }>(AT))[0]!.port;
  const isUsed = (replica: Replica) => until('it is in use', async () => replica.state().isInUse);
  const isLeft = (replica: Replica) => until('it is not in use', async () => !replica.state().isInUse);

  await t.test('is read from: statements, look-ups and snapshots', async (t) => {
    const { reads, replica, changes } = open(t);
    assert.equal(await portOf(reads), standby.port);
    assert.equal(await reads.snapshot(portOf), standby.port);
    const found = await reads.lookUp(async (db, [key]) => new Map([[key!, await portOf(db)]]), 'any');
    assert.equal(found, standby.port);
    const { isInUse, reason, lagMs, answered, left } = replica.state();
    assert.deepEqual([isInUse, reason, answered, left, changes], [true, null, 3, 0, [null]]);
    assert.ok(lagMs !== null && lagMs >= 0);
  });

  await t.test('needs no role that sees more than its own', async (t) => {
    await primary.sql(`CREATE ROLE plain LOGIN PASSWORD 'plain'`);
    const [from, of] = [standby.url, primary.url].map(
      (url) => Object.assign(new URL(url), { username: 'plain', password: 'plain' }).href,
    );
    const { reads } = open(t, from, of);
    assert.equal(await portOf(reads), standby.port);
  });

  await t.test('leaves to the primary what writes, and what is acted on', async (t) => {
    const { reads } = open(t);
    const rows = await reads.query(`SELECT inet_server_port() AS port, ${CONFIRMED}`);
    assert.deepEqual(rows, [{ port: primary.port, confirmed: true }]);
  });

  await t.test('shows what was written before, through whichever process, or waits for it', async (t) => {
    const [one, other] = [open(t), open(t)];
    for (let id = 100; id < 130; id++) {
      await insertNotes(one.db, id);
      for (const { reads } of [one, other]) {
        assert.ok((await ids(reads)).includes(id));
        assert.ok((await reads.snapshot(ids)).includes(id));
      }
    }
    await pause();
    await insertNotes(one.db, 130);
    const read = ids(other.reads);
    await resume();
    assert.ok((await read).includes(130));
    assert.equal(other.replica.state().left, 0);
  });

  await t.test('is not behind because the log ends within a record', async (t) => {
    const { db, reads, replica } = open(t);
    const LOG = `SELECT (pg_current_wal_flush_lsn() - '0/0')::int % 8192 AS rest`;
    await db.transaction(async (tx) => {
      await until('pages are flushed, and not the last record', async () => {
        await insertNotes(tx, ...Array.from({ length: 500 }, (_, i) => 1_000_000 + 1_000 * written++ + i));
        const [{ rest }] = (await primary.sql<{ rest: number }>(LOG)) as [{ rest: number }];
        return rest === 0;
      });
      assert.equal(await portOf(reads), standby.port);
    });
    assert.equal(replica.state().left, 0);
  });

  await t.test('that lags means the primary, until it has caught up for a while', async (t) => {
    const { db, reads, replica, changes } = open(t, standby.url, primary.url, {});
    await isUsed(replica);
    await pause();
    await insertNotes(db, 2);
    assert.ok((await ids(reads)).includes(2), 'the read waited for the replica, and then asked the primary');
    assert.equal((await ids({ query: standby.sql })).includes(2), false);
    await isLeft(replica);
    await until('the lag grows', async () => replica.state().lagMs! > 1_500);
    assert.match(replica.state().reason!, /^it is [\d.]+ seconds behind$/);
    assert.equal(await portOf(reads), primary.port);
    await resume();
    await isUsed(replica);
    await until('it is read from', async () => (await portOf(reads)) === standby.port);
    assert.equal(changes.at(-1), null);
  });

  await t.test('reads again on the primary what replaying has ended', async (t) => {
    const { reads, replica } = open(t);
    await standby.sql(`ALTER SYSTEM SET max_standby_streaming_delay = 0`);
    await standby.sql('SELECT pg_reload_conf()');
    const ports: number[] = [];
    await reads.snapshot(async (tx) => {
      ports.push(await portOf(tx));
      await ids(tx);
      if (ports.length > 1) return;
      // Its lock is replayed, and this snapshot has read the table.
      await primary.sql('ALTER TABLE notes ADD COLUMN more text');
      await until('it is ended', () => ids(tx).then(() => false));
    });
    assert.deepEqual(ports, [standby.port, primary.port]);
    assert.equal(replica.state().isInUse, true, 'one read says nothing of the replica');
  });

  /** A way to the standby that can be cut, silenced and led elsewhere, and a read on it that does not end. */
  async function openWay(t: TestContext) {
    const gate = await openGate(standby.port);
    atEnd(t, () => gate.close());
    const opened = open(t, Object.assign(new URL(standby.url), { port: `${gate.port}` }).href);
    await opened.replica.firstLook;
    const reading = portOf({
      query: (text) => opened.reads.query(`${text} FROM pg_sleep(CASE WHEN pg_is_in_recovery() THEN 60 ELSE 0 END)`),
    });
    await until('it reads', async () => {
      return (await standby.sql(`SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`)).length > 0;
    });
    return { ...opened, gate, reading };
  }

  await t.test('that is killed while it reads means the primary, said once, and is used again', async (t) => {
    const { reads, replica, changes, gate, reading } = await openWay(t);
    await standby.kill();
    assert.equal(await reading, primary.port);
    assert.equal(await portOf(reads), primary.port);
    await isLeft(replica);
    assert.equal(replica.state().lagMs, null);
    await standby.start();
    gate.leadTo(standby.port);
    await isUsed(replica);
    assert.equal(await portOf(reads), standby.port);
    assert.deepEqual([changes.length, changes[0], changes[2]], [3, null, null]);
  });

  await t.test('that is killed while a read waits for it means the primary', async (t) => {
    const { db, reads, replica } = open(t);
    await isUsed(replica);
    await pause();
    await insertNotes(db, 4);
    const reading = ids(reads);
    await until('it waits', async () => {
      return (
        (
          await standby.sql(
            `SELECT FROM pg_stat_activity WHERE query LIKE '%received_tli%' AND pid <> pg_backend_pid()`,
          )
        ).length > 1
      );
    });
    await standby.kill();
    assert.ok((await reading).includes(4));
    await standby.start();
  });

  await t.test('that falls silent while it reads is given up within seconds', async (t) => {
    const { reads, replica, gate, reading } = await openWay(t);
    gate.fallSilent();
    assert.equal(await reading, primary.port);
    await isLeft(replica);
    assert.equal(await portOf(reads), primary.port);
  });

  await t.test('is a standby of this very database', async (t) => {
    const itself = open(t, primary.url);
    await itself.replica.firstLook;
    assert.deepEqual(itself.changes, ['it is no standby']);
    assert.equal(await portOf(itself.reads), primary.port);

    const stranger = await startOwnPostgres(t);
    const foreign = open(t, standby.url, stranger.url);
    await foreign.replica.firstLook;
    assert.deepEqual(foreign.changes, ['it has another database cluster than DATABASE_URL']);
    assert.equal(await portOf(foreign.reads), stranger.port);
  });

  await t.test('that follows no longer, or is promoted itself, is not read from', async (t) => {
    const next = await primary.copy();
    // What it sends to both, it sends before it ends.
    await primary.stop();
    await next.promote();
    const { db, reads, replica, changes } = open(t, standby.url, next.url);
    await replica.firstLook;
    assert.deepEqual(changes, ['it does not follow the timeline of the primary']);
    assert.equal(await portOf(reads), next.port);

    const { hostname, port, username, password } = new URL(next.url);
    await standby.sql(
      `ALTER SYSTEM SET primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password}'`,
    );
    await standby.sql('SELECT pg_reload_conf()');
    await isUsed(replica);
    await insertNotes(db, 3);
    assert.ok((await ids(reads)).includes(3));
    assert.equal(await portOf(reads), standby.port);

    // Its connections stay.
    await standby.promote();
    await until('it takes writes', async () => {
      return (await standby.sql('SELECT WHERE NOT pg_is_in_recovery()')).length > 0;
    });
    assert.equal(await portOf(reads), next.port);
    await isLeft(replica);
    assert.equal(replica.state().reason, 'it is no standby');
  });
});
