import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listenToOthers, type Topic } from '../../src/db/announcements.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { startCuttingProxy } from '../kit/unit/cutting-proxy.ts';
import { until } from '../kit/unit/until.ts';

function heardBy(db: Database): Topic[] {
  const heard: Topic[] = [];
  for (const topic of ['transactions', 'mails', 'deliveries'] as const) db.onAnnounced(topic, () => heard.push(topic));
  return heard;
}

test('announcements in a transaction', async (t) => {
  const url = await createDatabase(t);
  const db = openDatabase(url);
  atEnd(t, () => db.close());

  await t.test('an announcement is heard after COMMIT, once per topic', async () => {
    const heard = heardBy(db);
    await db.transaction(async (tx) => {
      tx.announce('mails');
      await tx.query('SELECT 1');
      tx.announce('mails');
      tx.announce('deliveries');
      assert.deepEqual(heard, []);
    });
    assert.deepEqual(heard, ['mails', 'deliveries']);
  });

  await t.test('an announcement is not heard if the transaction is rolled back', async () => {
    const heard = heardBy(db);
    const failing = db.transaction(async (tx) => {
      tx.announce('transactions');
      throw new Error('on purpose');
    });
    await assert.rejects(failing, /on purpose/);
    assert.deepEqual(heard, []);
  });

  await t.test('an announcement is heard if the reply to COMMIT is lost, because it may be committed', async (t) => {
    const proxy = await startCuttingProxy(url);
    const cut = openDatabase(proxy.url);
    atEnd(t, () => proxy.close());
    atEnd(t, () => cut.close());
    const heard = heardBy(cut);
    const unknown = cut.transaction(async (tx) => {
      tx.announce('transactions');
      proxy.cutNextCommit();
    });
    await assert.rejects(unknown, { name: 'CommitUnknown' });
    assert.deepEqual(heard, ['transactions']);
  });
});

test('a process hears notifications of another one, also after its connection broke', async (t) => {
  const url = await createDatabase(t);
  const other = openDatabase(url);
  atEnd(t, () => other.close());
  const heard: Topic[] = [];
  const listening = listenToOthers(url, { announce: (topic) => void heard.push(topic), onNote: () => {} }, 1);
  atEnd(t, () => listening.close());

  // Notifications from before it listens are lost.
  const notifyUntilHeard = (topic: Topic) =>
    until(`${topic} is heard`, async () => {
      await other.notifyOthers([topic]);
      return heard.includes(topic);
    });
  await notifyUntilHeard('transactions');
  const cut = await other.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'quarters notices' AND datname = current_database()`,
  );
  assert.equal(cut.length, 1);
  await notifyUntilHeard('mails');
});
