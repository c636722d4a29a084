import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { asQuarters } from '../../src/base/quarters.ts';
import { approveAction } from '../../src/features/operator-actions/approve-action.ts';
import { endSuspension, forgetKnownBlock, readSuspension, suspend } from '../../src/ledger/suspension.ts';
import { type ActionId, findAction } from '../../src/operator-actions/operator-actions.ts';
import { beginBatch } from '../../src/wings/pay-files/features/begin-batch.ts';
import { planBatch } from '../../src/wings/pay-files/features/pay-batch.ts';
import { payRows } from '../../src/wings/pay-files/features/pay-rows.ts';
import { type PaymentFile, readPaymentFile } from '../../src/wings/pay-files/features/payment-file.ts';
import { readCsv } from '../../src/wings/pay-files/features/read-csv.ts';
import { createPerson } from '../kit/service/people.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { changeBatches } from '../rows/pay-batches.ts';

test('a file of payments', async (t) => {
  const s = await sharedService(t);
  const { db } = s.service;
  const folder = await scratchFolder(t);
  let files = 0;
  const write = async (...lines: string[]) => {
    const path = join(folder, `players-${++files}.csv`);
    await writeFile(path, lines.join('\r\n'));
    return path;
  };
  const run = (...args: string[]) => runCommand(s.service, 'pay', ...args);
  /** Pays without asking. The errors of `--json` are on stderr. */
  const pay = async (...args: string[]) => {
    const { code, out, err } = await run(...args, '--yes', '--json');
    return { code, err, ...(out === '' ? {} : JSON.parse(out)) };
  };
  /** Numbered addresses of nobody. They differ in each test. */
  const addresses = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, i) => `0x${prefix}${`${i}`.padStart(40 - prefix.length, '0')}`);
  /** How many transfers each address got. */
  const transfersTo = async (to: readonly string[]) => {
    const rows = await db.query<{ count: number; sum: bigint }>(
      'SELECT count(*)::int AS count, sum(amount)::bigint FROM transfers WHERE to_address = ANY($1) GROUP BY to_address',
      [to],
    );
    return { recipients: rows.length, most: Math.max(0, ...rows.map(({ count }) => count)) };
  };
  const app = await s.createApp();
  const guest = await s.createGuest(app);

  await t.test('every faulty line is named and nothing is paid', async () => {
    const file = await write(
      'recipient,quarters,note',
      `${guest.userId},5,fine`,
      `${guest.userId},"1,000",`,
      `${guest.userId},6`,
      `${guest.userId},5,"two\nlines"`,
      ',5,',
      `${guest.userId},5,no "quotes"`,
      `${guest.userId},007,`,
    );
    const { code, out, err } = await run('--file', file, '--yes');
    assert.deepEqual([code, out], [2, '']);
    assert.deepEqual(
      err.split('\n').map((line) => /^Line \d+/.exec(line)?.[0] ?? line),
      ['Line 3', 'Line 5', 'Line 7', 'Line 8', 'Line 9', 'Nothing was paid.', ''],
    );
    assert.deepEqual(await transfersTo([guest.address]), { recipients: 0, most: 0 });
    for (const [header, because] of [
      ['recipient;points', /no column for quarters, but "recipient", "points"/],
      ['recipient,note', /no column for quarters/],
      ['', /no header/],
    ] as const) {
      const wrong = await run('--file', await write(header), '--yes');
      assert.equal(wrong.code, 2);
      assert.match(wrong.err, because);
    }
  });

  await t.test(
    'a row on another chain refuses the file before anything is paid, and each such line is named',
    async () => {
      const [here, there] = addresses('e0', 2);
      const { chainId } = s.service.chain;
      const file = await write(
        'recipient,quarters',
        `ethereum:${here}@${chainId},5`,
        `eth:${there},5`,
        `${there}@10,5`,
      );
      for (const how of ['--dry-run', '--yes']) {
        const { code, out, err } = await run('--file', file, how);
        assert.deepEqual([code, out], [2, '']);
        assert.match(
          err,
          /^Line 3: recipient "eth:0x\w+" is an address on Ethereum \(1\), and quarters are on chain \d+:/m,
        );
        assert.match(err, /^Line 4: recipient "0x\w+@10" is an address on OP Mainnet \(10\)/m);
        assert.match(err, /^Nothing was paid\.$/m);
      }
      assert.deepEqual(await transfersTo([here!, there!]), { recipients: 0, most: 0 });
      const corrected = await write(
        'recipient,quarters',
        `ethereum:${here}@${chainId},5`,
        `eip155:${chainId}:${there},5`,
      );
      assert.equal((await pay('--file', corrected)).paidNow, 2);
      assert.deepEqual(await transfersTo([here!, there!]), { recipients: 2, most: 1 });
    },
  );

  await t.test('without a terminal it shows what it would pay, and pays nothing', async () => {
    const file = await write('recipient,quarters', `${guest.userId},1200`, `nobody,5`);
    const { code, out, err } = await run('--file', file, '--batch', 'shown');
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /^Rows +2 for 2 recipients, 1,205 quarters$/m);
    assert.match(err, /^Left to pay +1 rows, 1,200 quarters$/m);
    assert.match(err, /^Line 3 +There is no app and no user "nobody"\.$/m);
    assert.match(err, /add --yes/);
    assert.deepEqual(await transfersTo([guest.address]), { recipients: 0, most: 0 });
  });

  await t.test(
    'pays users, apps, addresses and e-mail addresses, reports refused rows, and pays no row twice',
    async () => {
      const person = await createPerson(s, { email: 'paid@game.example' });
      const [outside] = addresses('e1', 1);
      const names = [guest.userId, app.id, outside!, 'PAID@game.example', 'nobody', 'nobody@game.example'];
      const file = await write('note,quarters,recipient', ...names.map((name) => `"a, ""note""",10,${name}`), '');
      const first = await pay('--file', file, '--batch', 'kinds');
      assert.deepEqual([first.code, first.paid, first.paidNow, first.quarters], [4, 4, 4, 40]);
      assert.deepEqual(
        first.refused.map(({ line }: { line: number }) => line),
        [6, 7],
      );
      const { records } = readCsv(await readFile(first.resultFile, 'utf8'));
      assert.deepEqual(
        records.map(({ fields }) => fields[3]),
        ['status', 'paid', 'paid', 'paid', 'paid', 'refused', 'refused'],
      );
      // Saved again by a spreadsheet.
      await writeFile(file, `\uFEFF${(await readFile(file, 'utf8')).replaceAll('\r\n', '\n')}`);
      const again = await pay('--file', file);
      assert.deepEqual([again.batch, again.paid, again.paidNow], ['kinds', 4, 0]);
      assert.deepEqual(await readCsv(await readFile(again.resultFile, 'utf8')).records, records);
      const everybody = [guest.address, app.address, outside!, person.address].map((address) => address.toLowerCase());
      assert.deepEqual(await transfersTo(everybody), { recipients: 4, most: 1 });

      const [entry] = await db.query<{ after: { rows: number } }>(
        `SELECT entry -> 'after' AS after FROM operator_log WHERE action = 'batch-paid' AND entry #>> '{after,name}' = 'kinds'`,
      );
      assert.equal(entry?.after.rows, 6);
    },
  );

  await t.test('a corrected file pays what was not paid, and its batch is named where it would pay twice', async () => {
    const to = addresses('e6', 3);
    const [first, second, third] = to.map((address) => `${address},10`);
    const file = await write('recipient,quarters', first!, second!, 'nobody,10');
    const refused = await pay('--file', file, '--batch', 'corrected');
    assert.deepEqual([refused.code, refused.paid], [4, 2]);
    assert.match(refused.err, /Correct them in the file and run the same command again/);

    const corrected = await write('recipient,quarters', third!, second!, first!);
    // Without a name it is a file that nobody has seen.
    const unnamed = await pay('--file', corrected);
    assert.deepEqual([unnamed.code, unnamed.paid], [1, undefined]);
    assert.match(
      unnamed.err,
      /2 of 3 rows were paid on \d+ \w+ \d{4}, as the batch corrected\. .*add --batch corrected\./,
    );
    const shown = await run('--file', corrected);
    assert.equal(shown.code, 2);
    assert.match(shown.err, /^CAUTION +2 of 3 rows were paid on .* --batch corrected pays only the others\.$/m);
    assert.deepEqual(await transfersTo(to), { recipients: 2, most: 1 });

    const paid = await pay('--file', corrected, '--batch', 'corrected');
    assert.deepEqual([paid.code, paid.paid, paid.paidNow], [0, 3, 1]);
    assert.deepEqual(await transfersTo(to), { recipients: 3, most: 1 });
    // A name of its own says that it is another payment.
    const more = await pay('--file', corrected, '--batch', 'once more');
    assert.deepEqual([more.code, more.paidNow], [0, 3]);
    assert.match(more.err, /3 of 3 rows were paid on .*, as the batch corrected\./);
    assert.deepEqual(await transfersTo(to), { recipients: 3, most: 2 });
  });

  await t.test('a row whose recipient got another amount in the batch waits until somebody confirms it', async () => {
    const to = addresses('e7', 3);
    const file = await write('recipient,quarters', ...to.slice(0, 2).map((address) => `${address},10`));
    assert.equal((await pay('--file', file, '--batch', 'changed')).code, 0);
    const changed = await write('recipient,quarters', `${to[0]},11`, `${to[1]},10`, `${to[2]},10`);
    for (const runs of [1, 2]) {
      const { code, paid, refused } = await pay('--file', changed, '--batch', 'changed');
      assert.deepEqual([code, paid, refused.length], [4, 2, 1], `run ${runs}`);
      assert.deepEqual(
        [refused[0].line, /got 10 in this batch already.*--pay-changed/.test(refused[0].reason)],
        [2, true],
      );
    }
    assert.deepEqual(await transfersTo(to), { recipients: 3, most: 1 });
    const confirmed = await pay('--file', changed, '--batch', 'changed', '--pay-changed');
    assert.deepEqual([confirmed.code, confirmed.paidNow], [0, 1]);
    assert.deepEqual(await transfersTo(to), { recipients: 3, most: 2 });
  });

  await t.test(
    'a file in which nothing can be paid uses no name and asks nothing, and another payer is refused',
    async () => {
      const file = await write('recipient,quarters', 'nobody,1');
      const { code, out, err } = await run('--file', file, '--batch', 'whose');
      assert.deepEqual([code, /There is no app and no user "nobody"/.test(out)], [1, true]);
      assert.match(err, /^No row can be paid, so nothing was done\./m);
      const line = `${guest.userId},1`;
      const equal = await write('recipient,quarters', line, line);
      assert.equal((await pay('--file', equal, '--batch', 'whose')).paid, 2);
      const payer = await pay('--file', equal, '--batch', 'whose', '--from', app.id);
      assert.match(payer.err, /is paid by the treasury\. To continue it, leave out --from\./);
    },
  );

  await t.test('--dry-run shows each row, and pays nothing', async () => {
    const to = addresses('e8', 9);
    const file = await write('wallet;amount', ...to.map((address, i) => `${address};${i + 1}`));
    const { code, out } = await run('--file', file, '--dry-run');
    assert.equal(code, 0);
    assert.match(out, /^Columns +recipient is wallet, quarters is amount$/m);
    for (const [i, address] of to.entries())
      assert.match(out, new RegExp(`^ *${i + 2}  ${address} +${i + 1} +to pay$`, 'm'));
    const json = JSON.parse((await run('--file', file, '--dry-run', '--json')).out);
    assert.deepEqual([json.left, json.rows.length], [{ rows: 9, quarters: 45 }, 9]);
    assert.deepEqual(await transfersTo(to), { recipients: 0, most: 0 });
  });

  await t.test('a batch that release 1.0.0 has begun is continued by the same file only', async () => {
    const to = addresses('e9', 2);
    const file = await write('recipient,quarters', ...to.map((address) => `${address},1`));
    assert.equal((await pay('--file', file, '--batch', 'former')).code, 0);
    const sha256 = createHash('sha256')
      .update(await readFile(file))
      .digest();
    await changeBatches(db, { name: 'former' }, { byLine: true, fileHash: sha256 });
    const other = await pay('--file', await write('recipient,quarters', `${to[0]},2`), '--batch', 'former');
    assert.match(other.err, /Only the very same file continues it/);
    // Its rows have other names, so each is paid once under these.
    const again = await pay('--file', file);
    assert.deepEqual([again.batch, again.paid, again.paidNow], ['former', 2, 2]);
    assert.deepEqual([(await pay('--file', file)).paidNow, await transfersTo(to)], [0, { recipients: 2, most: 2 }]);
  });

  await t.test('two runs at the same time pay each row once', async () => {
    const to = addresses('e2', 900);
    const file = await write('recipient,quarters', ...to.map((address) => `${address},1`));
    const results = [join(folder, 'one.csv'), join(folder, 'two.csv')];
    const runs = await Promise.all(results.map((result) => pay('--file', file, '--batch', 'race', '--result', result)));
    for (const { code, paid, quarters } of runs) assert.deepEqual([code, paid, quarters], [0, 900, 900]);
    assert.deepEqual(await transfersTo(to), { recipients: 900, most: 1 });
  });

  await t.test('of two files that are paid as one batch at the same time, one pays a recipient', async () => {
    const to = addresses('eb', 40);
    const files = await Promise.all(
      [1, 2].map((amount) => write('recipient,quarters', ...to.map((address) => `${address},${amount}`))),
    );
    const runs = await Promise.all(files.map((file) => pay('--file', file, '--batch', 'two files')));
    assert.deepEqual(runs.map(({ code }) => code).sort(), [0, 1]);
    // It began beside the other one, or after it; then it has a reason for each row.
    const { err, refused } = runs.find(({ code }) => code === 1)!;
    const reasons: string[] = refused?.map(({ reason }: { reason: string }) => reason) ?? [err];
    assert.ok(reasons.length > 0);
    for (const reason of reasons)
      assert.match(reason, /Another file is being paid as the batch|(got|is to get) \d in this batch/);
    assert.deepEqual(await transfersTo(to), { recipients: 40, most: 1 });
  });

  await t.test('a file that another file may be paying in part at this moment pays the others only', async () => {
    const to = addresses('ec', 2);
    const rows = Buffer.from(`recipient,quarters\n${to[0]},1`);
    const { file } = readPaymentFile(rows, s.service.chain.chainId) as { file: PaymentFile };
    const plan = await planBatch(s.service, file, { name: 'begun' });
    // The other command stands still between its two transactions.
    const batch = await beginBatch(s.service, plan);
    const changed = await write('recipient,quarters', `${to[0]},2`, `${to[1]},2`);
    const paid = await pay('--file', changed, '--batch', 'begun');
    assert.deepEqual([paid.code, paid.paid, paid.refused.length], [4, 1, 1]);
    assert.match(paid.refused[0].reason, /is to get 1 in this batch from another file/);
    const { signal } = new AbortController();
    await payRows(s.service, plan, batch, { signal, report() {} });
    assert.deepEqual(await transfersTo(to), { recipients: 2, most: 1 });
  });

  await t.test('an app pays its players, who read the note', async () => {
    const file = await write('recipient,quarters,note', `${guest.userId},7,Well played`, `${addresses('e3', 1)},1,`);
    const short = await pay('--file', file, '--from', (await s.createApp()).id);
    assert.match(short.err, /account has 0 free quarters; 7 are left to pay/);
    await s.issue(app.id, 50);
    const paid = await pay('--file', file, '--from', app.id);
    assert.deepEqual([paid.code, paid.paid, paid.refused.length], [4, 1, 1]);
    await s.settled();
    const requests = await db.query(
      `SELECT amount::int, description, status FROM requests WHERE app_id = $1 AND user_id = $2`,
      [app.id, guest.userId],
    );
    assert.deepEqual(requests, [{ amount: 7, description: 'Well played', status: 'completed' }]);
  });

  await t.test('a run stops while payments are suspended, and says how to continue', async () => {
    const to = addresses('e4', 3);
    const file = await write('recipient,quarters', ...to.map((address) => `${address},1`));
    // The service reads it from the database again and again.
    await suspend(db, { relayers: [], authorizations: [], authorizationsInAll: 0 });
    await until('payments are suspended', () => s.service.readiness.suspended);
    const { code, err } = await pay('--file', file);
    assert.deepEqual([code, JSON.parse(err).error.code], [5, 'payments-suspended']);
    const suspension = await readSuspension(db);
    await db.transaction((tx) => endSuspension(tx, suspension!));
    await until('payments continue', () => !s.service.readiness.suspended);
    // One of them may be an account that a restored database lacks.
    const early = await pay('--file', file);
    assert.deepEqual([early.code, JSON.parse(early.err).error.code], [5, 'payments-suspended']);
    await forgetKnownBlock(db);
    assert.equal((await pay('--file', file)).paid, 3);
  });

  await t.test('above FOUR_EYES_ABOVE a file is paid once another operator has approved it', async (t) => {
    const to = addresses('e5', 2);
    const file = await write('recipient,quarters', ...to.map((address) => `${address},600`));
    t.mock.property(s.service, 'settings', { ...s.service.settings, fourEyesAbove: asQuarters(1_000) });
    const asked = await pay('--file', file);
    assert.equal(asked.code, 6);
    assert.match(asked.err, /quarters actions approve .* Then run the same command again/);
    assert.deepEqual(await transfersTo(to), { recipients: 0, most: 0 });
    const [id] = /[0-9a-f-]{36}/.exec(asked.err)!;
    const { params, paramsHash: hash } = (await findAction(db, id as ActionId))!;
    const { sha256, batch, ...shown } = JSON.parse(params);
    assert.deepEqual(shown, { from: 'treasury', rows: 2, quarters: 1_200 });
    assert.equal(
      sha256,
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    );
    await approveAction(s.service, { kind: 'shell', osUser: 'somebody else' }, { id, hash });
    assert.deepEqual(await transfersTo(to), { recipients: 0, most: 0 });
    assert.equal((await pay('--file', file)).paid, 2);
    assert.deepEqual([(await pay('--file', file)).code, await transfersTo(to)], [0, { recipients: 2, most: 1 }]);
    // What is added to the batch is approved as well.
    const more = await write('recipient,quarters', ...addresses('ea', 2).map((address) => `${address},600`));
    assert.equal((await pay('--file', more, '--batch', batch)).code, 6);
  });
});
