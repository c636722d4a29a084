import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { openDatabase, type Tx } from '../../src/db/database.ts';
import { lookUpAccount, recoverAccounts } from '../../src/ledger/accounts.ts';
import { applyChanges, BalanceChanges } from '../../src/ledger/postings.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';

/** The statements of a block that pays a new address, after it has looked for the account. The next one would wait for the block. */
const STATEMENTS = ['UPDATE', 'INSERT'];

test('an account that is found while a block pays its address for the first time is paid once', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  for (const overtaken of STATEMENTS) {
    const address = asAddress(`0x${randomBytes(20).toString('hex')}`);
    // As of a guest who was lost with the database, and whom the game names.
    const find = () => recoverAccounts(db, [{ address, keyId: randomBytes(16), at: new Date() }]);
    let isFound = false;
    await db.transaction(async (tx) => {
      const query = (async (...statement: Parameters<Tx['query']>) => {
        if (!isFound && statement[0].trimStart().startsWith(overtaken)) {
          isFound = true;
          await find();
        }
        return tx.query(...statement);
      }) as Tx['query'];
      const changes = new BalanceChanges();
      changes.add(address, { posted: 5n });
      await applyChanges({ ...tx, query }, changes);
    });
    assert.equal((await lookUpAccount(db, address))?.posted, 5n, overtaken);
  }
});
