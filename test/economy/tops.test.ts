import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/database.ts';
import { rollUpBite } from '../../src/wings/economy/features/roll-up.ts';
import { createDatabase } from '../kit/service/database.ts';
import { countEverything, readEconomyRows } from '../kit/service/economy-oracle.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { insertAppRow } from '../rows/apps.ts';
import { insertAccountRows, insertBlockRow, insertPostingRows, removePostings } from '../rows/ledger.ts';
import { insertRequestRows } from '../rows/requests.ts';
import { changeTransfers, insertTransferRows } from '../rows/transfers.ts';
import { insertGuestRows } from '../rows/users.ts';

const APP = 'A'.repeat(20);
const app = `0x${'22'.repeat(20)}`;
const sealedKey = new Uint8Array(1);
const PLAYERS = 130;
const playerOf = (i: number) => `0x${String(i).padStart(40, 'a')}`;
const hashOf = (block: string, i = 0) => `0x${block}${String(i).padStart(60, '0')}`;

type Payment = readonly [player: number, amount: number];

test('those who paid the most are the first of many, in any order of payments and after a reorganisation', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  await insertAppRow(db, APP);
  await insertAccountRows(db, [{ address: app, kind: 'app', appId: APP, sealedKey }]);
  const players = Array.from({ length: PLAYERS }, (_, i) => ({
    address: playerOf(i),
    userId: `${i}`.padStart(28, 'U'),
  }));
  await insertGuestRows(
    db,
    APP,
    players.map(({ userId }) => userId),
  );
  await insertAccountRows(
    db,
    players.map((player) => ({ ...player, kind: 'user' as const, sealedKey })),
  );

  const log = { info() {}, warn() {}, error() {} };
  const settings = { finalAfter: 100 } as Parameters<typeof rollUpBite>[0]['settings'];
  const settlement = { final: { number: null, readAt: 0, isAsked: true } };
  const pay = async (blockNumber: number, block: string, payments: readonly Payment[]) => {
    const rows = payments.map(([player, amount], i) => {
      return { fromAddress: playerOf(player), toAddress: app, amount, txHash: hashOf(block, i) };
    });
    const requests = rows.map(({ txHash: _, ...row }, i) => {
      const { userId } = players[payments[i]![0]]!;
      return { ...row, id: randomUUID() as string, appId: APP, userId, status: 'completed' as const };
    });
    await insertRequestRows(db, requests);
    const postedAt = new Date(Date.UTC(2026, 2, 1, blockNumber));
    const blockHash = hashOf(block);
    await insertPostingRows(
      db,
      rows.map((row, logIndex) => ({ ...row, blockNumber, blockHash, logIndex, postedAt })),
    );
    await insertTransferRows(
      db,
      rows.map((row, i) => ({
        ...row,
        requestId: requests[i]!.id,
        status: 'completed' as const,
        decidedBlock: blockNumber,
      })),
    );
  };
  const assertExact = async () => {
    while (await rollUpBite({ db, settings, log, settlement }));
    const rows = await readEconomyRows(db);
    assert.deepEqual(rows, await countEverything(db));
    return rows.tops.filter((row) => row.startsWith('day ')).length;
  };

  await insertBlockRow(db, 9);
  const everybody = players.map((_, i): Payment => [i, (i % 40) + 1]);
  await pay(1, 'aaaa', everybody);
  assert.equal(await assertExact(), 100);
  // The least of the first pass others, and some from behind reach them or draw level.
  const late = players
    .slice(90)
    .map((_, i): Payment => [90 + i, i])
    .filter(([, amount]) => amount > 0);
  await pay(2, 'bbbb', late);
  assert.equal(await assertExact(), 100);
  for (const [i] of late.entries()) await removePostings(db, { txHash: hashOf('bbbb', i) });
  await changeTransfers(db, { decidedBlock: 2 }, { status: 'submitted', decidedBlock: null });
  await pay(2, 'cccc', [
    [3, 500],
    [129, 1],
  ]);
  assert.equal(await assertExact(), 100);
});
