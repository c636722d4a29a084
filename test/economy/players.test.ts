import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { periodAt } from '../../src/wings/economy/base/periods.ts';
import { noteEconomy } from '../../src/wings/economy/features/note-accounts.ts';
import { findFarmedGuests, readFarmedGuests } from '../../src/wings/economy/store/farmed-guests.ts';
import { readEconomy } from '../../src/wings/economy/views/read-economy.ts';
import { createDatabase } from '../kit/service/database.ts';
import { HOUR, makeGuests, payOut } from '../kit/service/guests.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { insertAppRow } from '../rows/apps.ts';
import { insertPostingRows } from '../rows/ledger.ts';
import { insertRequestRows } from '../rows/requests.ts';

const [APP, OTHER_APP] = ['A'.repeat(20), 'B'.repeat(20)] as [string, string];
const OUTSIDE = `0x${'55'.repeat(20)}`;
const HOUR_MS = 3_600_000;

async function openGames(t: TestContext): Promise<Database> {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  await insertAppRow(db, APP);
  await insertAppRow(db, OTHER_APP);
  return db;
}

test('guests who did all the same look farmed, and those who differ in one thing do not', async (t) => {
  const db = await openGames(t);
  const hour = (n: number) => ({ from: new Date(HOUR.getTime() - n * HOUR_MS) });
  const steady = () => 300;
  const farmed = await makeGuests(db, APP, 21, { posted: 30 });
  await payOut(db, farmed, (i) => 300 + (i % 3));
  await insertRequestRows(db, [{ appId: APP, userId: farmed[3]!.id, status: 'completed' }]);
  // Too few of them.
  await payOut(db, await makeGuests(db, APP, 19, hour(1)), steady);
  // At their own pace.
  await payOut(db, await makeGuests(db, APP, 25, hour(2)), (i) => 300 + 60 * i);
  // One of 20 got more than the others.
  const unequal = await makeGuests(db, APP, 20, hour(3));
  await payOut(db, unequal, steady);
  await payOut(db, unequal.slice(0, 1), steady);
  // One of 20 has quarters of their own.
  const helped = await makeGuests(db, APP, 20, hour(4));
  await payOut(db, helped, steady);
  await insertPostingRows(db, [
    {
      blockNumber: 1,
      txHash: `0x${'1'.padStart(64, '0')}`,
      fromAddress: OUTSIDE,
      toAddress: helped[7]!.address,
      amount: 5,
      outsideBlock: 1,
    },
  ]);
  // As players of many games are: made, and never paid.
  await makeGuests(db, OTHER_APP, 40);

  assert.equal(await readFarmedGuests(db), null);
  await db.transaction(findFarmedGuests);
  await db.transaction(findFarmedGuests);
  const { groups } = (await readFarmedGuests(db))!;
  const examples = farmed.slice(0, 5).map(({ id }) => id);
  const each = { appId: APP, hour: HOUR, guests: 21, payouts: 3, quarters: 30n, seconds: 301, left: 630n };
  assert.deepEqual(groups, [{ ...each, payers: 1, examples }]);
});

test('the richest 1 % are those with the most of the players who have quarters, rounded up', async (t) => {
  const db = await openGames(t);
  const topNow = async () => {
    await noteEconomy({ db });
    return (await readEconomy({ reads: db }, periodAt('day', new Date()))).top;
  };
  assert.deepEqual(await topNow(), { players: 0n, quarters: 0n });
  await makeGuests(db, APP, 50);
  await makeGuests(db, APP, 98, { posted: 10 });
  await makeGuests(db, APP, 1, { posted: 730 });
  await makeGuests(db, APP, 1, { posted: 720 });
  assert.deepEqual(await topNow(), { players: 1n, quarters: 730n });
  await makeGuests(db, APP, 1, { posted: 40 });
  assert.deepEqual(await topNow(), { players: 2n, quarters: 1_450n });
});
