import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newTransferId } from '../../src/base/ids.ts';
import { detachMonth } from '../../src/wings/archive/features/detach-month.ts';
import { readArchiveStatus } from '../../src/wings/archive/views/archive-status.ts';
import { insertPayBatch } from '../../src/wings/pay-files/store/pay-batches.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { startScenario } from '../kit/service/scenario.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { forgetIdempotencyKeys } from '../rows/passing.ts';
import { forgetEvents } from '../rows/webhooks.ts';
import { archiveAll, FINAL, MONTH_ENDS, paidMonth, rowsOf, untilFinal } from './archived.ts';

test('rows of files are paid once for ever, also in batches whose ids have a time', { skip: MONTH_ENDS }, async (t) => {
  const s = await startScenario(t, FINAL);
  const folder = await scratchFolder(t);
  const { db } = s.service;
  const file = join(folder, 'players.csv');
  await writeFile(file, `recipient,quarters\n${s.guests.map(({ userId }) => `${userId},5\n`).join('')}`);
  const payers = [null, s.game.id].flatMap((appId) =>
    [true, false].map((isEarly) => ({ appId, isEarly, name: randomUUID() })),
  );
  const payAll = async () => {
    const paid: number[] = [];
    for (const { appId, name } of payers) {
      const from = appId ? ['--from', appId] : [];
      const { code, out, err } = await runCommand(
        s.service,
        'pay',
        '--file',
        file,
        '--batch',
        name,
        ...from,
        '--yes',
        '--json',
      );
      assert.equal(code, 0, err);
      paid.push(JSON.parse(out).paidNow);
    }
    return paid;
  };
  for (const { appId, name } of payers.filter(({ isEarly }) => isEarly)) {
    const fileHash = createHash('sha256').update(name).digest();
    const sums = { rowCount: 3, quarters: 15n as never };
    await db.transaction((tx) => insertPayBatch(tx, { id: newTransferId(), name, fileHash, appId, ...sums }));
  }
  const each = s.guests.length;
  const before = Number((await readArchiveStatus(s.service)).kept.untimedTransfers);
  assert.deepEqual(await payAll(), [each, each, each, each]);
  await untilFinal(s);
  await archiveAll(s.service);
  assert.equal(Number((await readArchiveStatus(s.service)).kept.untimedTransfers), before + 4 * each);
  await forgetEvents(db);
  await forgetIdempotencyKeys(db);
  await detachMonth(s.service, await paidMonth(s.service), folder, () => {});
  const { all } = await rowsOf(s.service, 'transfers');
  assert.deepEqual(await payAll(), [0, 0, 0, 0]);
  assert.equal((await rowsOf(s.service, 'transfers')).all, all);
});
