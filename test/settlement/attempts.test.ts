import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { asHash } from '../../src/base/hex.ts';
import { newTransferId, type TransferId } from '../../src/base/ids.ts';
import { insertRelayer } from '../../src/chain/relayers.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { reopenNoncesAbove } from '../../src/settlement/tables/nonces.ts';
import { lockStrandedTransfers } from '../../src/settlement/tables/transfer-transitions.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { insertAccountRows } from '../rows/ledger.ts';
import { insertConsumedRows, insertMinedAttempts, insertTransferRows } from '../rows/transfers.ts';

const RELAYER = asAddress(`0x${'09'.padStart(40, '0')}`);
const PAYER = asAddress(`0x${'aaa'.padStart(40, '0')}`);

/** A database with one transfer on its way. */
async function databaseWithTransfer(
  t: Parameters<typeof createDatabase>[0],
): Promise<{ db: Database; id: TransferId }> {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  const id = newTransferId();
  await insertAccountRows(db, [{ address: PAYER, posted: 1000 }]);
  await insertRelayer(db, { address: RELAYER, purpose: 'settlement', keyId: Buffer.alloc(16) });
  const txHash = asHash(`0x${'1'.padStart(64, '0')}`);
  await insertTransferRows(db, [{ id, fromAddress: PAYER, toAddress: PAYER, amount: 5, txHash, relayer: RELAYER }]);
  return { db, id };
}

test('a transfer with a thousand attempts does not stop the others', async (t) => {
  const { db, id } = await databaseWithTransfer(t);
  const createdAt = new Date(Date.now() - 86_400_000);
  const mined = Array.from({ length: 1_100 }, (_, n) => ({ relayer: RELAYER, nonce: n + 1, createdAt }));
  await insertMinedAttempts(db, id, mined);
  await insertConsumedRows(db, [{ relayer: RELAYER, below: 1_101 }]);
  assert.equal((await db.transaction((tx) => lockStrandedTransfers(tx, 100, {}))).length, 1);
});

test('no transaction stays mined above the shared block, whichever block its nonce was counted at', async (t) => {
  const { db, id } = await databaseWithTransfer(t);
  const createdAt = new Date();
  const mined = [1, 2].map((nonce) => ({ relayer: RELAYER, nonce, createdAt, minedBlock: nonce }));
  await insertMinedAttempts(db, id, mined);
  // Found by comparing with the chain, long after both were mined.
  await insertConsumedRows(db, [{ relayer: RELAYER, below: 3, blockNumber: 6 }]);
  const minedIn = async () =>
    (
      await db.query<{ block: bigint | null }>(
        'SELECT mined_block AS block FROM transactions WHERE nonce > 0 ORDER BY nonce',
      )
    ).map(({ block }) => block);
  for (const [shared, left] of [
    [5n, [1n, 2n]],
    [1n, [1n, null]],
    [0n, [null, null]],
  ] as const) {
    await db.transaction((tx) => reopenNoncesAbove(tx, shared));
    assert.deepEqual(await minedIn(), left);
  }
});
