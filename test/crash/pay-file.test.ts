import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { notInTurn } from '../kit/run/turns.ts';
import { commit } from '../kit/service/crash-points.ts';
import { openWorldFromSnapshot } from '../kit/service/crash-world.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';

const ROWS = 1_500;
const PAYS = 'INSERT INTO transfers';

test('kill -9 while a file of payments is paid: the next run continues, and every row is paid once on the chain', {
  skip: notInTurn(4, 'kills of a file of payments'),
}, async (t) => {
  const world = await openWorldFromSnapshot(t, { env: { WINGS: 'pay-files' } });
  await world.startReady();
  const folder = await scratchFolder(t);
  const file = join(folder, 'players.csv');
  const to = Array.from({ length: ROWS }, (_, i) => `0xe5${`${i}`.padStart(38, '0')}`);
  writeFileSync(file, `recipient,quarters\n${to.map((address) => `${address},3\n`).join('')}`);
  const { db } = await world.operator();
  const count = async () => {
    const rows = await db.query<{ count: number }>(
      'SELECT count(*)::int FROM transfers WHERE to_address = ANY($1) GROUP BY to_address',
      [to],
    );
    return { paid: rows.length, most: Math.max(0, ...rows.map((row) => row.count)) };
  };
  const command = ['pay', '--file', file, '--yes', '--json'];

  assert.ok(!(await world.command(command, commit('before', PAYS))).includes('"paid"'));
  assert.equal((await count()).paid, 0);
  assert.ok(!(await world.command(command, commit('after', PAYS, 2))).includes('"paid"'));
  const { paid, most } = await count();
  assert.ok(paid > 0 && paid < ROWS, `${paid} rows were paid`);
  assert.equal(most, 1);

  const done = JSON.parse(/^\{[\s\S]*^\}/m.exec(await world.command(command))![0]);
  assert.deepEqual([done.paid, done.paidNow, done.quarters, done.unpaid], [ROWS, ROWS - paid, 3 * ROWS, 0]);
  await world.settled();
  assert.deepEqual(await count(), { paid: ROWS, most: 1 });
  const posted = await db.query<{ count: number }>(
    'SELECT count(*)::int FROM accounts WHERE address = ANY($1) AND posted = 3',
    [to],
  );
  assert.equal(posted[0]?.count, ROWS);
  assert.match(await world.command(['audit', '--json']), /"equal": true/);
});
