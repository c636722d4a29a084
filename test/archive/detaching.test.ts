import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { refundRequest } from '../../src/features/payments/refund-request.ts';
import { planRepair } from '../../src/features/repair/repair-ledger.ts';
import { openMonthsAbove } from '../../src/ledger/archived-months.ts';
import type { Service } from '../../src/service/service.ts';
import { searchEverything } from '../../src/views/inspection/search.ts';
import { findPayments } from '../../src/views/payments/search-payments.ts';
import { listRequests } from '../../src/views/requests/list-requests.ts';
import { readRequest } from '../../src/views/requests/read-requests.ts';
import { readTransfer, showTransfer } from '../../src/views/transfers/read-transfers.ts';
import { attachMonth } from '../../src/wings/archive/features/attach-month.ts';
import { detachMonth } from '../../src/wings/archive/features/detach-month.ts';
import { endOf } from '../../src/wings/archive/features/plan-months.ts';
import { recountEconomy } from '../../src/wings/economy/features/note-accounts.ts';
import { rollUpBite } from '../../src/wings/economy/features/roll-up.ts';
import { readEconomyCursor } from '../../src/wings/economy/store/cursor.ts';
import { exportPostings } from '../../src/wings/economy/views/export-postings.ts';
import { houseWith } from '../kit/service/house.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { type Accepted, type Scenario, startScenario } from '../kit/service/scenario.ts';
import { asApp } from '../kit/unit/callers.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { insertDetachedMonths } from '../rows/archived-months.ts';
import { changeRequests } from '../rows/requests.ts';
import { forgetEvents } from '../rows/webhooks.ts';
import {
  archiveAll,
  assertAuditEqual,
  FINAL,
  inTime,
  MONTH_ENDS,
  paidMonth,
  rowsOf,
  untilFinal,
  wholeState,
} from './archived.ts';

const report = () => {};

/** Some payments, which are archived. */
async function archived(s: Scenario): Promise<Accepted[]> {
  await s.completed(await s.pay(0, 100), await s.pay(1, 10));
  const paid = [await s.pay(2, 30), await s.spend(0, 60)];
  await s.completed(...paid);
  await refundRequest(s.service, asApp(s.game.id), { requestId: paid[1]!.requestId, amount: 15 });
  await untilFinal(s);
  await archiveAll(s.service);
  await forgetEvents(s.service.db);
  return paid;
}

const detachPaid = async (s: Scenario, folder: string) =>
  detachMonth(s.service, await paidMonth(s.service), folder, report);

describe('an archived month goes to a file', { concurrency: 2, skip: MONTH_ENDS }, () => {
  test('its payments say where they are, every balance is still compared, and they come back as they were', async (t) => {
    const s = await startScenario(t, FINAL);
    const folder = await scratchFolder(t);
    const paid = await archived(s);
    await changeRequests(
      s.service.db,
      { id: paid[0]!.requestId },
      { description: 'one\u2028two\u2029three\r\nfour\u0085' },
    );
    const caller = asApp(s.game.id);
    const state = await wholeState(s.service);
    const answers = await Promise.all(paid.map(({ requestId }) => readRequest(s.service, caller, requestId)));
    while (await rollUpBite(s.service));
    const { month, path, rows, sha256 } = await detachPaid(s, folder);
    await assertAuditEqual(s.service);
    const after = await wholeState(s.service);
    assert.deepEqual(after.balances, state.balances);
    assert.deepEqual(
      after.counts.map((count, i) => state.counts[i]! - count),
      [rows.requests, rows.transfers, rows.transactions, rows.postings].map(Number),
    );
    for (const { requestId, transferId } of paid) {
      const says = { code: 'archived', message: new RegExp(`is archived. The operator has the file of ${month}`) };
      await assert.rejects(readRequest(s.service, caller, requestId), says);
      await assert.rejects(readTransfer(s.service, caller, transferId), says);
      await assert.rejects(refundRequest(s.service, caller, { requestId }), says);
      await assert.rejects(showTransfer(s.service, transferId), says);
      await assert.rejects(findPayments(s.service, s.game.id, { kind: 'id', id: requestId }), says);
      await assert.rejects(searchEverything(s.service, { kind: 'uuid', id: transferId }), says);
    }
    const period = { from: new Date(Date.now() - 1_000), until: inTime() };
    await assert.rejects(exportPostings(s.service, period), { code: 'archived', message: /archive attach/ });
    const query = { statuses: null, createdFrom: null, createdBefore: null, userId: null, limit: 100, before: null };
    const listed = await listRequests(s.service, caller, query);
    assert.deepEqual([listed.requests.length, listed.archivedBefore], [1, endOf(month)], 'the list says where it ends');

    await assert.rejects(
      s.service.db.transaction((tx) => openMonthsAbove(tx, 0n)),
      /has gone back to block 0.*Attach it first/,
    );

    await t.test('a repair begins later, and what the economy has counted is not counted again', async () => {
      await assert.rejects(planRepair(s.service, { differences: [] }, 0n), {
        code: 'archived',
        message: /in files only/,
      });
      const { block } = await readEconomyCursor(s.service.db);
      assert.ok(block);
      await recountEconomy(s.service);
      assert.deepEqual((await readEconomyCursor(s.service.db)).block, block);
    });
    await t.test('payments go on', async () => {
      await s.completed(await s.pay(0, 7));
      await assertAuditEqual(s.service);
    });
    await t.test('the file is JSON Lines with all that the database had, and its checksum is beside it', async () => {
      const lines = gunzipSync(await readFile(path))
        .toString()
        .trim()
        .split('\n');
      const parsed = lines.map((line) => JSON.parse(line));
      assert.deepEqual([parsed[0].format, parsed[0].month], ['quarters.archive.v1', month]);
      assert.equal(parsed.filter(({ table }) => table === 'postings').length, Number(rows.postings));
      const sum = parsed.flatMap(({ balance }) => (balance ? [BigInt(balance.posted)] : []));
      assert.equal(
        sum.reduce((a, b) => a + b),
        0n,
      );
      const manifest = JSON.parse(await readFile(`${path}.json`, 'utf8'));
      assert.deepEqual([manifest.sha256, manifest.rows.transfers], [sha256, Number(rows.transfers)]);
    });
    await t.test('a changed file is refused', async () => {
      const bytes = await readFile(path);
      await writeFile(path, gzipSync(gunzipSync(bytes).toString().replace('"amount":30', '"amount":31')));
      await assert.rejects(attachMonth(s.service, month, folder, report), /do not add up|checksum|at its end/);
      await writeFile(path, bytes.subarray(0, bytes.length - 20));
      await assert.rejects(attachMonth(s.service, month, folder, report), /not a whole file/);
      await writeFile(path, bytes);
    });
    await attachMonth(s.service, month, folder, report);
    const back = await Promise.all(paid.map(({ requestId }) => readRequest(s.service, caller, requestId)));
    assert.deepEqual(back, answers);
    await assertAuditEqual(s.service);
    const [left] = await s.service.db.query('SELECT count(*)::int AS count FROM archived_balances WHERE posted <> 0');
    assert.deepEqual(left, { count: 0 });
    await refundRequest(s.service, caller, { requestId: paid[1]!.requestId });
    await s.calm();
    await assertAuditEqual(s.service);
  });

  test('the ledger does not go back below it: the operator attaches it first, and then all is paid once', async (t) => {
    const s = await startScenario(t, FINAL);
    const folder = await scratchFolder(t);
    await s.completed(await s.pay(0, 500));
    await s.calm();
    const older = await s.faulty.evm.dump();
    const paid = await archived(s);
    const { month } = await detachPaid(s, folder);
    await s.faulty.restartFrom(older);
    await until(
      'it says why it waits',
      async () =>
        s.logged.some(({ message, entry }) => /in a file|to a file/.test(`${message} ${entry.reason ?? entry.err}`)),
      () =>
        s.logged
          .slice(-5)
          .map(({ message, entry }) => `${message} ${entry.reason ?? entry.err}`)
          .join('\n'),
    );
    assert.equal((await rowsOf(s.service, 'transfers')).all, (await rowsOf(s.service, 'transfers')).live);
    await attachMonth(s.service, month, folder, report);
    await s.completed(...paid);
    await s.calm();
    await assertAuditEqual(s.service);
  });

  test('a process that is ended at any statement has dropped nothing, or has the whole file', async (t) => {
    // Nobody but this test counts.
    const s = await startScenario(t, { ...FINAL, house: houseWith('-economy') });
    const folder = await scratchFolder(t);
    await archived(s);
    await rollUpBite(s.service, 1);
    const state = await wholeState(s.service);
    const month = await paidMonth(s.service);
    const killedAfter = async (most: number, work: (service: Service) => Promise<unknown>): Promise<boolean> => {
      class Killed extends Error {}
      let statements = 0;
      const { db } = s.service;
      const die = async <T>(rows: Promise<T>): Promise<T> => {
        const done = await rows;
        if (++statements > most) throw new Killed();
        return done;
      };
      const dying: Service['db'] = {
        ...db,
        query: (text, values) => die(db.query(text, values)) as never,
        transaction: (to) =>
          db.transaction((tx) => to({ ...tx, query: (text, values) => die(tx.query(text, values)) as never })),
      };
      return work({ ...s.service, db: dying }).then(
        () => true,
        (error) => {
          if (!(error instanceof Killed || /connection to the database broke/i.test(`${error}`))) throw error;
          return false;
        },
      );
    };
    for (let most = 1; ; most += 2) {
      const isDone = await killedAfter(most, (service) => detachMonth(service, month, folder, report));
      await assertAuditEqual(s.service);
      if (isDone) break;
      assert.deepEqual(await wholeState(s.service), state, `after ${most} statements`);
      await rm(join(folder, `quarters-${month}.jsonl.gz`), { force: true });
    }
    // The block that was counted is still there, and others are not.
    await assert.rejects(rollUpBite(s.service), /from block \d+ on/);
    for (let most = 1; ; most += 2) {
      const isDone = await killedAfter(most, (service) => attachMonth(service, month, folder, report));
      await assertAuditEqual(s.service);
      if (isDone) break;
    }
    assert.deepEqual(await wholeState(s.service), state);
  });

  test('months go the oldest first, and one that is not archived does not', async (t) => {
    const s = await startScenario(t, { ...FINAL, house: houseWith('-economy') });
    const folder = await scratchFolder(t);
    await s.completed(await s.pay(0, 100));
    await untilFinal(s);
    await archiveAll(s.service);
    const month = await paidMonth(s.service);
    const early = runCommand(s.service, 'archive', 'detach', '--month', month, '--folder', folder, '--yes');
    assert.match((await early).err, /Events of .* are still kept/);
    await forgetEvents(s.service.db);
    const refused = await runCommand(s.service, 'archive', 'detach', '--month', '2024-01', '--folder', folder, '--yes');
    assert.equal(refused.code, 1);
    assert.match(refused.err, /2024-01 is not archived/);
    const done = await runCommand(s.service, 'archive', 'detach', '--month', month, '--folder', folder, '--yes');
    assert.deepEqual([done.code, done.err.includes('quarters audit')], [0, true], done.err);
    assert.match((await runCommand(s.service, 'archive', 'status')).out, new RegExp(`${month} +detached`));
    // Nothing was counted before, and what is left would count as all there was.
    await assert.rejects(rollUpBite(s.service), /from the first block on/);
    const back = await runCommand(s.service, 'archive', 'attach', '--month', month, '--folder', folder);
    assert.deepEqual([back.code, back.out], [0, `${month} is in the database again.\n`], back.err);
    const again = await runCommand(s.service, 'archive', 'detach', '--month', month, '--folder', folder, '--yes');
    assert.match(again.err, /is there already/);
    const logged = await s.service.db.query<{ action: string }>(
      `SELECT action FROM operator_log WHERE action LIKE 'month-%' ORDER BY id`,
    );
    assert.deepEqual(
      logged.map(({ action }) => action),
      ['month-archived', 'month-detached', 'month-attached'],
    );
    const period = { from: new Date(Date.now() - 3_600_000), until: inTime() };
    const pages = await exportPostings(s.service, period, null, 1);
    assert.ok((await pages.next()).value);
    // A month in which nothing was posted, detached after the one before it.
    await insertDetachedMonths(s.service.db, [
      { month: '2020-01-01', lastBlock: 900 },
      { month: '2099-01-01', lastBlock: 1 },
    ]);
    // It may have lost some of its postings meanwhile.
    await assert.rejects(Array.fromAsync(pages), { code: 'archived' });
    await assert.rejects(planRepair(s.service, { differences: [] }, 2n), { code: 'archived', message: /up to 900 / });
  });
});
