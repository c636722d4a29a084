import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import pg from 'pg';
import type { RequestId } from '../../src/base/ids.ts';
import { refundRequest } from '../../src/features/payments/refund-request.ts';
import type { Service } from '../../src/service/service.ts';
import { wholeActivity } from '../../src/views/accounts/read-activity.ts';
import { inspectPayment } from '../../src/views/payments/inspect-payment.ts';
import { findPayments } from '../../src/views/payments/search-payments.ts';
import { listRequests } from '../../src/views/requests/list-requests.ts';
import { readRequest } from '../../src/views/requests/read-requests.ts';
import { searchTransfers } from '../../src/views/transfers/find-transfers.ts';
import { listTransfers, readTransfer, showTransfer } from '../../src/views/transfers/read-transfers.ts';
import { planMonths } from '../../src/wings/archive/features/plan-months.ts';
import { createTables, keepShort } from '../../src/wings/archive/store/month-tables.ts';
import { beginMonth } from '../../src/wings/archive/store/months.ts';
import { FIRST_TIMED_ID, moveRequests } from '../../src/wings/archive/store/move-rows.ts';
import { exportPostings } from '../../src/wings/economy/views/export-postings.ts';
import { inspectAddress } from '../../src/wings/operators-console/views/inspect-address.ts';
import { inspectTransaction } from '../../src/wings/operators-console/views/inspect-transaction.ts';
import { inspectTransfer } from '../../src/wings/operators-console/views/inspect-transfer.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { type Accepted, type Scenario, startScenario } from '../kit/service/scenario.ts';
import { asApp } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';
import { changeMonths } from '../rows/archived-months.ts';
import { archiveAll, assertAuditEqual, FINAL, inTime, rowsOf, untilFinal, wholeState } from './archived.ts';

const refund = (s: Scenario, { requestId }: Pick<Accepted, 'requestId'>, amount?: number) =>
  refundRequest(s.service, asApp(s.game.id), { requestId, amount });

async function all<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  return (await Array.fromAsync(pages)).flat();
}

const NO_FILTER = { statuses: null, createdFrom: null, createdBefore: null };

/** What callers, players and operators read of old payments. */
async function readEverything(s: Scenario, paid: readonly Accepted[]) {
  const { service, game, guests } = s;
  const caller = asApp(game.id);
  const query = { ...NO_FILTER, userId: null, limit: 100 };
  const period = { from: new Date(0), until: inTime() };
  return {
    requests: await Promise.all(paid.map(({ requestId }) => readRequest(service, caller, requestId))),
    transfers: await Promise.all(paid.map(({ transferId }) => readTransfer(service, caller, transferId))),
    listed: await listRequests(service, caller, { ...query, before: null }),
    listedTransfers: await listTransfers(service, caller, { ...query, requestId: null, direction: null, after: null }),
    shown: await Promise.all(paid.map(({ txHash }) => showTransfer(service, txHash))),
    found: await searchTransfers(service, { ...NO_FILTER, appId: null, userId: null, after: null, limit: 100 }),
    activity: await all(wholeActivity(service, { id: guests[0]!.userId })),
    payments: await Promise.all(paid.map(({ requestId }) => inspectPayment(service, game.id, requestId))),
    searched: await Promise.all(paid.map(({ transferId: id }) => findPayments(service, game.id, { kind: 'id', id }))),
    inspected: await Promise.all(paid.map(({ transferId }) => inspectTransfer(service, transferId))),
    transactions: await Promise.all(paid.map(({ txHash }) => inspectTransaction(service, txHash))),
    address: await inspectAddress(service, guests[0]!.address),
    postings: await all(await exportPostings(service, period)),
  };
}

describe('payments of past months are moved', { concurrency: 2 }, () => {
  test('they leave the live tables, and whoever reads them sees what they saw before', async (t) => {
    const s = await startScenario(t, FINAL);
    const paid: Accepted[] = [];
    for (let i = 0; i < 3; i++) paid.push(await s.pay(0, 100), await s.pay(1, 10));
    await s.completed(...paid);
    paid.push(await s.spend(0, 60));
    await s.completed(...paid);
    await refund(s, paid.at(-1)!, 20);
    await untilFinal(s);
    const [before, state] = [await readEverything(s, paid), await wholeState(s.service)];
    const [moved] = await archiveAll(s.service);
    assert.ok(moved!.isWhole);
    assert.deepEqual(await readEverything(s, paid), before);
    assert.deepEqual(await wholeState(s.service), state);
    // What is left: the newest payment, its block, the first one, and what has no time in its id.
    assert.deepEqual(await Promise.all(['requests', 'transfers'].map((table) => rowsOf(s.service, table))), [
      { live: 1, all: 9 },
      { live: 1, all: 10 },
    ]);
    await assertAuditEqual(s.service);
    await t.test('and once more there is nothing to move', async () => {
      assert.deepEqual(await archiveAll(s.service), []);
    });
    await t.test(
      'an old payment is refunded, never by more than is left, and its refund is archived later',
      async () => {
        const payment = paid.at(-1)!;
        await assert.rejects(refund(s, payment, 41), { code: 'refund-too-large' });
        const { requestId } = await refund(s, payment);
        await s.calm();
        assert.equal((await readRequest(s.service, asApp(s.game.id), payment.requestId)).refunded, 60n);
        await assert.rejects(refund(s, payment), { code: 'refund-too-large' });
        assert.equal((await readRequest(s.service, asApp(s.game.id), requestId)).status, 'completed');
      },
    );
    await assertAuditEqual(s.service);
  });

  test('a refund that waits for the payment while it is moved finds it afterwards', async (t) => {
    const s = await startScenario(t, FINAL);
    await s.completed(await s.pay(0, 100));
    const payment = await s.spend(0, 60);
    await s.completed(payment);
    await untilFinal(s);
    const { db } = s.service;
    const [planned] = await planMonths(s.service, null, inTime());
    await db.transaction(async (tx) => {
      await beginMonth(tx, planned!.month, planned!.lastBlock);
      await createTables(tx, planned!.month, planned!.lastBlock, null);
    });
    const refunding = Promise.withResolvers<Awaited<ReturnType<typeof refund>>>();
    await db.transaction(async (tx) => {
      const { moved } = await moveRequests(tx, planned!, { after: FIRST_TIMED_ID, most: 100, refunds: false });
      assert.ok(moved > 1);
      refund(s, payment).then(refunding.resolve, refunding.reject);
      await lockWaitersAre(s.service, 1);
    });
    const { requestId } = await refunding.promise;
    await s.calm();
    assert.equal((await readRequest(s.service, asApp(s.game.id), requestId)).status, 'completed');
    await t.test('and goes to no earlier month than the payment, which would be a file before it', async () => {
      await db.transaction((tx) => createTables(tx, '2020-01', planned!.lastBlock, null));
      const movedTo = async (month: string) => {
        const bounds = { ...planned!, month, lastBlock: 1_000_000n };
        const all = { after: FIRST_TIMED_ID, most: 100, refunds: true };
        return (await db.transaction((tx) => moveRequests(tx, bounds, all))).moved;
      };
      assert.equal(await movedTo('2020-01'), 0);
      assert.equal(await movedTo(planned!.month), 2);
    });
  });

  test('rows that somebody has locked stay, and nobody waits for them', async (t) => {
    const s = await startScenario(t, FINAL);
    const paid = [await s.pay(0, 100), await s.pay(1, 50)];
    await s.completed(...paid);
    await untilFinal(s);
    await s.service.db.transaction(async ({ query }) => {
      await query('SELECT FROM requests WHERE id = $1 FOR NO KEY UPDATE', [paid[0]!.requestId]);
      assert.ok((await archiveAll(s.service))[0]!.isWhole);
    });
    const live = await s.service.db.query<{ id: RequestId }>('SELECT id FROM ONLY requests');
    assert.ok(live.some(({ id }) => id === paid[0]!.requestId));
    assert.ok(!live.some(({ id }) => id === paid[1]!.requestId));
    await assertAuditEqual(s.service);
  });

  test('each step that locks rows of payments gives up after 50 ms, and waits for no disk and no standby', async (t) => {
    const s = await startScenario(t, FINAL);
    await s.completed(await s.pay(0, 100));
    await untilFinal(s);
    const seen: string[][] = [];
    const { db } = s.service;
    const watching: Service['db'] = {
      ...db,
      transaction: (work) =>
        db.transaction((tx) => {
          const statements: string[] = [];
          seen.push(statements);
          return work({
            ...tx,
            query: (text, values) => {
              statements.push(text);
              return tx.query(text, values);
            },
          });
        }),
    };
    await archiveAll({ ...s.service, db: watching });
    const moving = seen.filter((statements) => statements.some((text) => /SKIP LOCKED/.test(text)));
    assert.ok(moving.length > 4);
    for (const [first, month, move, ...others] of moving) {
      assert.match(first!, /lock_timeout.*statement_timeout.*synchronous_commit/);
      assert.match(month!, /FROM archived_months/);
      assert.match(move!, /SKIP LOCKED/);
      assert.equal(others.length, 0);
    }
    await db.transaction(async (tx) => {
      await keepShort(tx);
      const [set] = await tx.query(
        `SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement,
                current_setting('synchronous_commit') AS commit`,
      );
      assert.deepEqual(set, { lock: '50ms', statement: '50ms', commit: 'off' });
    });
  });

  test('a chain that goes back below what is archived brings it back, and pays it once', async (t) => {
    const s = await startScenario(t, FINAL);
    const early = await s.pay(0, 500);
    await s.completed(early);
    await s.calm();
    const older = await s.faulty.evm.dump();
    const paid = [await s.pay(1, 30), await s.spend(0, 70)];
    await s.completed(...paid);
    await refund(s, paid[1]!, 20);
    await untilFinal(s);
    await archiveAll(s.service);
    assert.equal((await rowsOf(s.service, 'transfers')).live, 1);
    await s.faulty.restartFrom(older);
    await until('they are live again', async () => (await rowsOf(s.service, 'transfers')).live > paid.length);
    await s.completed(...paid);
    await s.calm();
    assert.ok(s.logged.some(({ message }) => message.includes('deeper than FINAL_AFTER')));
    await assertAuditEqual(s.service);
    assert.equal((await readRequest(s.service, asApp(s.game.id), paid[1]!.requestId)).refunded, 20n);
  });

  test('the tables of a month, and their indexes, are in the tablespace that is named', async (t) => {
    const s = await startScenario(t, FINAL);
    const operator = new pg.Client({ connectionString: s.databaseUrl, options: '-c allow_in_place_tablespaces=on' });
    await operator.connect();
    const name = `archive_${randomBytes(4).toString('hex')}`;
    await operator.query(`CREATE TABLESPACE ${name} LOCATION ''`);
    const found = await s.service.db
      .transaction(async (tx) => {
        await createTables(tx, '2020-01', 5n, name);
        const [places] = await tx.query<{ all: number; there: number }>(
          `SELECT count(*)::int AS "all", count(spcname)::int AS there
             FROM pg_class LEFT JOIN pg_tablespace ON pg_tablespace.oid = reltablespace AND spcname = $1 WHERE relname LIKE 'archived%2020_01%'`,
          [name],
        );
        // Nothing of it stays.
        throw Object.assign(new Error('done'), { places });
      })
      .catch((error) => error.places);
    await operator.query(`DROP TABLESPACE ${name}`);
    await operator.end();
    assert.ok(found.all > 12);
    assert.equal(found.there, found.all);
  });

  test('a month is not moved before its end and 31 days', async (t) => {
    const s = await startScenario(t, FINAL);
    await s.completed(await s.pay(0, 1));
    const month = new Date().toISOString().slice(0, 7);
    await assert.rejects(planMonths(s.service, month), { code: 'invalid-input', message: /31 days after its end/ });
    assert.deepEqual(await planMonths(s.service, null), []);
  });

  test('a process that is ended at any statement has moved each row whole or not at all, and the next one goes on', async (t) => {
    const s = await startScenario(t, FINAL);
    const paid = [await s.pay(0, 100), await s.pay(1, 10)];
    await s.completed(...paid);
    paid.push(await s.spend(0, 60));
    await s.completed(...paid);
    await refund(s, paid[2]!, 5);
    await untilFinal(s);
    const state = await wholeState(s.service);
    const { db } = s.service;
    class Killed extends Error {}
    for (let most = 0; ; most++) {
      let statements = 0;
      const dying: Service['db'] = {
        ...db,
        transaction: (work) =>
          db.transaction((tx) =>
            work({
              ...tx,
              async query(text, values) {
                const rows = await tx.query(text, values);
                if (++statements > most) throw new Killed();
                return rows as never;
              },
            }),
          ),
      };
      const isDone = await archiveAll({ ...s.service, db: dying }).then(
        () => true,
        (error) => {
          if (!(error instanceof Killed)) throw error;
          return false;
        },
      );
      assert.deepEqual(await wholeState(s.service), state, `after ${most} statements`);
      if (isDone) break;
      assert.ok(most < 200);
      // Some have moved for good: what is left needs fewer statements, so each kill is at another one.
      if (most % 5 === 4) await changeMonths(db, {}, { movedAt: null });
    }
    await assertAuditEqual(s.service);
    assert.equal((await rowsOf(s.service, 'transfers')).live, 1);
  });

  test('payments, refunds and reading go on while months are moved', async (t) => {
    const s = await startScenario(t, { ...FINAL, emptyBlocks: true });
    const payments: Accepted[] = [];
    for (let i = 0; i < 3; i++) {
      await s.completed(await s.pay(i, 1_000));
      payments.push(await s.spend(i, 600));
    }
    await s.completed(...payments);
    await untilFinal(s);
    const ending = new AbortController();
    const moving = (async () => {
      let rounds = 0;
      for (; !ending.signal.aborted || rounds < 3; rounds++) {
        await changeMonths(s.service.db, {}, { movedAt: null });
        await archiveAll(s.service);
        await assertAuditEqual(s.service);
      }
      return rounds;
    })();
    for (let i = 0; i < 12; i++) {
      const payment = payments[i % 3]!;
      const before = (await readRequest(s.service, asApp(s.game.id), payment.requestId)).refunded;
      const [given] = await Promise.all([refund(s, payment, 10), s.pay(i % 3, 5)]);
      assert.equal(given.amount, 10n);
      assert.equal((await readRequest(s.service, asApp(s.game.id), payment.requestId)).refunded, before + 10n);
    }
    ending.abort();
    assert.ok((await moving) >= 3);
    await s.calm();
    await assertAuditEqual(s.service);
    for (const { requestId } of payments) {
      assert.equal((await readRequest(s.service, asApp(s.game.id), requestId)).refunded, 40n);
    }
  });
});

test('the command says what can be moved, what has, and what stays for ever', async (t) => {
  const s = await startScenario(t, FINAL);
  await s.completed(await s.pay(0, 1));
  await untilFinal(s);
  const none = await runCommand(s.service, 'archive', 'move', '--yes');
  assert.deepEqual([none.code, none.out], [0, 'There is nothing to archive yet.\n']);
  await archiveAll(s.service);
  const { months, kept } = JSON.parse((await runCommand(s.service, 'archive', 'status', '--json')).out);
  assert.deepEqual([months.length, months[0].state, months[0].requests > 0], [1, 'attached', true]);
  assert.ok(kept.untimedTransfers >= 0);
  const text = await runCommand(s.service, 'archive', 'status');
  assert.match(text.out, /MONTH +STATE[\s\S]*attached[\s\S]*nothing is paid twice/);
});
