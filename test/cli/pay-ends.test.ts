import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Problem } from '../../src/base/problems.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { CommitsWait, CommitUnknown } from '../../src/db/database.ts';
import type { Service } from '../../src/service/service.ts';
import { openAdmission } from '../../src/settlement/accept/admission.ts';
import { stoppedText } from '../../src/wings/pay-files/cli/pay-advice.ts';
import { beginBatch } from '../../src/wings/pay-files/features/begin-batch.ts';
import { planBatch } from '../../src/wings/pay-files/features/pay-batch.ts';
import { type BatchOutcome, payRows } from '../../src/wings/pay-files/features/pay-rows.ts';
import { type PaymentFile, readPaymentFile } from '../../src/wings/pay-files/features/payment-file.ts';
import { readCsv } from '../../src/wings/pay-files/features/read-csv.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';

/** The statement by which a run sees whether there is room for more. */
const COUNTS_OPEN = /AS consumed,/;

test('how a file of payments ends, and what to do then', async (t) => {
  const s = await sharedService(t);
  const { db } = s.service;
  const folder = await scratchFolder(t);
  let files = 0;
  const write = async (...lines: string[]) => {
    const path = join(folder, `players-${++files}.csv`);
    await writeFile(path, ['recipient,quarters', ...lines].join('\n'));
    return path;
  };
  const payWith = async (service: Service, ...args: string[]) => {
    const { code, out, err } = await runCommand(service, 'pay', ...args, '--json');
    return { code, err, ...(out === '' ? {} : JSON.parse(out)) };
  };
  const pay = (...args: string[]) => payWith(s.service, ...args, '--yes');
  const addresses = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, i) => `0x${prefix}${`${i}`.padStart(40 - prefix.length, '0')}`);
  const transfersTo = async (to: readonly string[]) => {
    const rows = await db.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM transfers WHERE to_address = ANY($1) GROUP BY to_address',
      [to],
    );
    return { recipients: rows.length, most: Math.max(0, ...rows.map(({ count }) => count)) };
  };
  const statusesIn = async (path: string) =>
    readCsv(await readFile(path, 'utf8'))
      .records.slice(1)
      .map(({ fields }) => fields[3]!);
  const planOf = async (name: string, to: readonly string[]) => {
    const rows = Buffer.from(`recipient,quarters\n${to.map((address) => `${address},1\n`).join('')}`);
    const { file } = readPaymentFile(rows, s.service.chain.chainId) as { file: PaymentFile };
    return planBatch(s.service, file, { name });
  };
  /** Pays rows in a service that is changed for it. */
  const payIn = async (change: Partial<Service>, name: string, to: readonly string[], patienceMs?: number) => {
    const plan = await planOf(name, to);
    const batch = await beginBatch(s.service, plan);
    const { signal } = new AbortController();
    return payRows({ ...s.service, ...change }, plan, batch, {
      signal,
      report() {},
      ...(patienceMs !== undefined && { patienceMs }),
    });
  };
  const statusesOf = ({ outcomes }: BatchOutcome) => [...new Set(outcomes.map(({ status }) => status))];
  /** A database that fails instead of each statement that `fails` chooses. */
  const failing = (fails: (text: string) => Error | null): Service['db'] => ({
    ...db,
    async query(text: string, ...rest: []) {
      const error = fails(text);
      if (error) throw error;
      return db.query(text, ...rest);
    },
  });
  const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

  await t.test(
    'an error of the program while rows are paid ends with a result file, and the next run pays the rest',
    async () => {
      const to = addresses('c1', 900);
      const file = await write(...to.map((address) => `${address},1`));
      let counts = 0;
      const broken = failing((text) =>
        COUNTS_OPEN.test(text) && ++counts > 1 ? new TypeError('a fault of ours') : null,
      );
      const first = await payWith({ ...s.service, db: broken }, '--file', file, '--yes');
      assert.deepEqual([first.code, first.stopped, first.paid, first.unpaid], [4, 'internal', 400, 500]);
      assert.match(
        first.err,
        /Stopped: a fault of ours\. .*The rows that are left are not paid yet\. When that is settled, run the same command again/,
      );
      const statuses = await statusesIn(first.resultFile);
      assert.equal(statuses.filter((status) => status === 'paid').length, 400);
      assert.equal((await transfersTo(to)).recipients, 400);
      const again = await pay('--file', file);
      assert.deepEqual([again.code, again.paid, again.paidNow], [0, 900, 500]);
      assert.deepEqual(await transfersTo(to), { recipients: 900, most: 1 });
    },
  );

  await t.test(
    'a database that is away for a moment is waited for, and one that stays away leaves rows unpaid',
    async () => {
      const to = addresses('c2', 3);
      let failures = 0;
      const awhile = failing((text) => (COUNTS_OPEN.test(text) && ++failures <= 2 ? refused() : null));
      assert.deepEqual(statusesOf(await payIn({ db: awhile }, 'away for a moment', to)), ['paid']);
      const others = addresses('c3', 3);
      const away = await payIn({ db: failing(() => refused()) }, 'away', others, 0);
      assert.deepEqual([statusesOf(away), (away.stopped as Problem).code], [['unpaid'], 'database-unavailable']);
      assert.match(stoppedText(away, 'f.csv'), /not paid yet\. To continue, run the same command again/);
      assert.deepEqual(statusesOf(await payIn({}, 'away', others)), ['paid']);
    },
  );

  for (const code of ['overloaded', 'app-backlog-full', 'quarters-unconfirmed', 'payments-suspended'] as const) {
    await t.test(`a run that gets nothing but ${code} leaves its rows unpaid, and calls none refused`, async () => {
      const to = addresses(`c4${code.length}`, 3);
      const admission = {
        ...s.service.admission,
        enter: () => {
          throw new Problem(code, 'Try again in a moment.');
        },
      };
      const outcome = await payIn({ admission }, code, to, 0);
      assert.deepEqual([statusesOf(outcome), (outcome.stopped as Problem).code], [['unpaid'], code]);
      assert.match(stoppedText(outcome, 'f.csv'), /not paid yet\. .*run the same command again/);
      assert.deepEqual(statusesOf(await payIn({}, code, to)), ['paid']);
    });
  }

  await t.test('a row whose COMMIT had no answer is unknown, and the next run finds that it was paid', async () => {
    const to = addresses('c5', 2);
    let commits = 0;
    const transaction: Service['db']['transaction'] = async (work) => {
      if (++commits > 1) throw new CommitsWait();
      await db.transaction(work);
      throw new CommitUnknown(new Error('gone'));
    };
    const lost = await payIn({ db: { ...db, transaction } }, 'no answer', to, 0);
    assert.deepEqual([statusesOf(lost), (lost.stopped as Problem).code], [['unknown'], 'outcome-unknown']);
    assert.match(
      stoppedText(lost, 'f.csv'),
      /For 2 rows it is not known yet whether they are paid\. To continue, run the same/,
    );
    const found = await payIn({}, 'no answer', to);
    assert.deepEqual(
      found.outcomes.map(({ status, isPaidNow }) => [status, isPaidNow]),
      [
        ['paid', false],
        ['paid', false],
      ],
    );
    assert.deepEqual(await transfersTo(to), { recipients: 2, most: 1 });
  });

  await t.test('a row that turns out to be paid before is not counted as paid now', async () => {
    const to = addresses('c6', 2);
    const plan = await planOf('replayed', to);
    const batch = await beginBatch(s.service, plan);
    const { signal } = new AbortController();
    const paidNow = async () =>
      (await payRows(s.service, plan, batch, { signal, report() {} })).outcomes.map(({ status, isPaidNow }) => [
        status,
        isPaidNow,
      ]);
    assert.deepEqual(await paidNow(), [
      ['paid', true],
      ['paid', true],
    ]);
    assert.deepEqual(await paidNow(), [
      ['paid', false],
      ['paid', false],
    ]);
  });

  await t.test('an interrupted run says which rows are left', async () => {
    const plan = await planOf('interrupted', addresses('c7', 2));
    const batch = await beginBatch(s.service, plan);
    const outcome = await payRows(s.service, plan, batch, { signal: AbortSignal.abort(), report() {} });
    assert.deepEqual([statusesOf(outcome), outcome.stopped], [['unpaid'], 'interrupted']);
    assert.match(
      stoppedText(outcome, 'f.csv'),
      /^Interrupted\. To continue, run the same command again: .* File: f\.csv$/,
    );
  });

  await t.test('a file without a --batch name is corrected under the name that the message prints', async () => {
    const to = addresses('c8', 2);
    const file = await write(`${to[0]},10`, 'nobody,10');
    const first = await pay('--file', file);
    assert.deepEqual([first.code, first.paid], [4, 1]);
    const [, name] =
      /1 row was refused\. Correct them in the file and run the same command with --batch ([0-9a-f]{64}):/.exec(
        first.err,
      )!;
    await writeFile(file, `recipient,quarters\n${to[0]},10\n${to[1]},10\n`);
    const again = await pay('--file', file, '--batch', name!);
    assert.deepEqual([again.code, again.paid, again.paidNow], [0, 2, 1]);
    assert.deepEqual(await transfersTo(to), { recipients: 2, most: 1 });
  });

  await t.test(
    'a file with more rows than MAX_BACKLOG is paid in one run, as no loop counts for a command',
    async () => {
      const settlement = { ...s.service.settlement };
      const limits = { maxBacklog: 2_500, maxBacklogPerApp: 2_500, transfersPerTransaction: 1 };
      const change = { settlement, admission: openAdmission(limits, settlement) };
      assert.deepEqual(statusesOf(await payIn(change, 'a long one', addresses('ca', 2_600), 1_000)), ['paid']);
    },
  );

  await t.test('a file in which nothing could be paid is corrected by the same command', async () => {
    const file = await write('nobody,10');
    assert.match((await pay('--file', file)).err, /Correct the file, and run the same command again\./);
    const [to] = addresses('c9', 1);
    await writeFile(file, `recipient,quarters\n${to},10\n`);
    assert.equal((await pay('--file', file)).code, 0);
  });

  await t.test(
    'an amount above the limit of an app is refused before anything is paid, and corrected in the same batch',
    async (t) => {
      const app = await s.createApp();
      const [one, other] = [await s.createGuest(app), await s.createGuest(app)];
      await s.issue(app.id, 5_000);
      t.mock.property(s.service, 'settings', { ...s.service.settings, maxAmount: asQuarters(1_000) });
      const args = ['--from', app.id, '--batch', 'too large'];
      const first = await pay('--file', await write(`${one.userId},10`, `${other.userId},2000`), ...args);
      assert.deepEqual(
        [first.code, first.paid, first.refused[0].reason],
        [4, 1, 'At most 1000 quarters can be moved at once.'],
      );
      assert.match(first.err, /Correct them in the file and run the same command again:/);
      const corrected = await pay('--file', await write(`${one.userId},10`, `${other.userId},1000`), ...args);
      assert.deepEqual([corrected.code, corrected.paid, corrected.paidNow], [0, 2, 1]);
    },
  );

  await t.test('rows of which only --pay-changed can pay any are not called faults', async () => {
    const to = addresses('d1', 2);
    assert.equal((await pay('--file', await write(`${to[0]},10`), '--batch', 'only changed')).code, 0);
    const changed = await write(`${to[0]},11`);
    const first = await pay('--file', changed, '--batch', 'only changed');
    assert.match(
      first.err,
      /1 row was refused\. Take them out of the file, or add --pay-changed to pay them too, and run the same command again/,
    );
    assert.equal((await pay('--file', changed, '--batch', 'only changed', '--pay-changed')).code, 0);
    const both = await pay('--file', await write(`${to[0]},12`, 'nobody,1', `${to[1]},1`), '--batch', 'only changed');
    assert.match(
      both.err,
      /2 rows were refused\. Correct them in the file .* Where the reason says so, --pay-changed pays a row too\./,
    );
  });

  await t.test('without a terminal, rows that another batch has paid ask for --yes and a name at once', async () => {
    const to = addresses('d2', 3);
    assert.equal((await pay('--file', await write(`${to[0]},10`, `${to[1]},10`), '--batch', "Ada's first")).code, 0);
    const file = await write(...to.map((address) => `${address},10`));
    const asked = await payWith(s.service, '--file', file);
    assert.deepEqual([asked.code, asked.paid], [2, undefined]);
    assert.match(
      asked.err,
      /To pay only what is missing, add --yes and --batch 'Ada'\\\\''s first'\. .*, add --yes and a --batch name of its own\./,
    );
    const paid = await pay('--file', file, '--batch', "Ada's first");
    assert.deepEqual([paid.code, paid.paid, paid.paidNow], [0, 3, 1]);
    assert.deepEqual(await transfersTo(to), { recipients: 3, most: 1 });
  });

  await t.test('a batch is named for the rest of a file only if it pays the rest and nothing twice', async () => {
    const to = addresses('d3', 3);
    const [first, second, third] = to.map((address) => `${address},10`) as [string, string, string];
    assert.equal((await pay('--file', await write(first), '--batch', 'part one')).code, 0);
    assert.equal((await pay('--file', await write(second), '--batch', 'part two')).code, 0);
    const refused = await pay('--file', await write(first, second, third));
    assert.equal(refused.code, 1);
    assert.ok(!/--batch part/.test(refused.err), refused.err);
    assert.match(
      refused.err,
      /To pay only what is missing, take the rows that were paid out of the file: no single batch of this payer has all of them\./,
    );
    assert.equal((await pay('--file', await write(third))).code, 0);
    assert.deepEqual(await transfersTo(to), { recipients: 3, most: 1 });

    const app = await s.createApp();
    const guest = await s.createGuest(app);
    await s.issue(app.id, 100);
    const row = `${guest.userId},10`;
    assert.equal((await pay('--file', await write(row), '--batch', 'by the app', '--from', app.id)).code, 0);
    const byTreasury = await pay('--file', await write(row, `${addresses('d4', 1)},10`));
    assert.match(
      byTreasury.err,
      /as the batch by the app\..*Nothing was paid\. To pay only what is missing, take the rows/,
    );
  });

  await t.test('a batch of another payer says what to add or to leave out', async () => {
    const app = await s.createApp();
    const guest = await s.createGuest(app);
    await s.issue(app.id, 100);
    const file = await write(`${guest.userId},10`);
    assert.equal((await pay('--file', file, '--batch', 'whose app', '--from', app.id)).code, 0);
    const without = await pay('--file', file, '--batch', 'whose app');
    assert.match(without.err, new RegExp(`is paid by the app ${app.id}\\. To continue it, add --from ${app.id}\\.`));
    const [to] = addresses('d5', 1);
    const other = await write(`${to},10`);
    assert.equal((await pay('--file', other, '--batch', 'whose treasury')).code, 0);
    const withApp = await pay('--file', other, '--batch', 'whose treasury', '--from', app.id);
    assert.match(withApp.err, /is paid by the treasury\. To continue it, leave out --from\./);
  });

  await t.test(
    'a result file that cannot be written is noticed before, and what became of the rows is printed in any case',
    async () => {
      const to = addresses('d6', 1);
      const file = await write(`${to},10`);
      const nowhere = await pay('--file', file, '--result', join(folder, 'no such folder', 'result.csv'));
      assert.deepEqual([nowhere.code, nowhere.paid], [1, undefined]);
      assert.match(
        nowhere.err,
        /The result file cannot be written: .* Nothing was paid\. Say where it may be with --result\./,
      );
      const taken = join(folder, 'a folder');
      await mkdir(join(taken, 'with something in it'), { recursive: true });
      const paid = await pay('--file', file, '--result', taken);
      assert.deepEqual([paid.code, paid.paid, paid.resultFile], [0, 1, null]);
      assert.match(paid.err, /The result file could not be written: .* The same command writes it again\./);
      const again = await pay('--file', file);
      assert.deepEqual([again.paidNow, await statusesIn(again.resultFile)], [0, ['paid']]);
      assert.deepEqual(
        (await readdir(folder)).filter((name) => name.endsWith('.part')),
        [],
      );
    },
  );
});
