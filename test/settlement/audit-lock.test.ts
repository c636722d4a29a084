import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CommitUnknown, openDatabase } from '../../src/db/database.ts';
import { type AuditLock, auditingAlone, lockAudit } from '../../src/ledger/audit-lock.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';

const SIGN_OF_LIFE_MS = 20;
const BROKEN = /The connection to the database broke\. What was done until then is kept, .* run it again\./;

async function twoProcesses(t: TestContext) {
  const url = await createDatabase(t);
  const open = () => {
    const db = openDatabase(url, { onError: () => {} });
    atEnd(t, () => db.close());
    return db;
  };
  const [own, other] = [open(), open()];
  const holders = async () => {
    const rows = await other.query<{ pid: number }>(
      `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return rows.map(({ pid }) => pid);
  };
  /** Breaks the connection that holds the lock. */
  const cut = async () => {
    const [pid] = await holders();
    await other.query('SELECT pg_terminate_backend($1)', [pid]);
    return pid;
  };
  return { own, other, holders, cut };
}

const says = (check: () => void): boolean => {
  try {
    check();
    return false;
  } catch {
    return true;
  }
};

test('work whose lock lost its connection takes the lock again, ends, and knows that it was lost', async (t) => {
  const { own, other, holders, cut } = await twoProcesses(t);
  const work = async (lock: AuditLock) => {
    lock.requireUnbroken();
    const before = await cut();
    await until('the lock is held again', async () => (await holders()).some((pid) => pid !== before));
    lock.requireHeld();
    assert.throws(() => lock.requireUnbroken(), BROKEN);
    assert.equal(await auditingAlone(other, async () => 'in between'), null);
    return 'done';
  };
  assert.equal(await auditingAlone(own, work, SIGN_OF_LIFE_MS), 'done');
  assert.equal(await auditingAlone(other, async () => 'afterwards'), 'afterwards');
});

test('work whose lock another process has taken is told to end, and says that what was done is kept', async (t) => {
  const { own, other, cut } = await twoProcesses(t);
  const release = Promise.withResolvers<void>();
  const work = async (lock: AuditLock) => {
    const taken = Promise.withResolvers<void>();
    await cut();
    const taking = other.transaction(async (tx) => {
      await until('the lock is free', () => lockAudit(tx));
      taken.resolve();
      await release.promise;
    });
    await taken.promise;
    await until('the loss is noticed', () => says(lock.requireHeld));
    release.resolve();
    await taking;
    lock.requireHeld();
  };
  await assert.rejects(auditingAlone(own, work, SIGN_OF_LIFE_MS), BROKEN);
});

test('a COMMIT of the work whose answer is lost is told as a connection that broke', async (t) => {
  const { own } = await twoProcesses(t);
  const lost = () => Promise.reject(new CommitUnknown(new Error('lost')));
  await assert.rejects(auditingAlone(own, lost), BROKEN);
});
