import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret } from '../../src/base/secrets.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { forgetOldKeys } from '../../src/idempotency/keys.ts';
import { forgetOldAttempts, forgetOldBudgets } from '../../src/identity/attempts.ts';
import { forgetOldCodes } from '../../src/identity/email-codes.ts';
import { useGuestToken } from '../../src/identity/guest-tokens.ts';
import { forgetOldChallenges } from '../../src/identity/passkeys.ts';
import { forgetOrphanedDeposits } from '../../src/ledger/orphaned-deposits.ts';
import { forgetOldRecords } from '../../src/oauth/records.ts';
import { createDatabase } from '../kit/service/database.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { type ForgottenTable, insertForgottenRows } from '../rows/passing.ts';
import { ageGuestTokens } from '../rows/users.ts';

const FORGOTTEN: readonly {
  readonly table: ForgottenTable;
  readonly forget: (db: Database, most: number) => Promise<number>;
}[] = [
  { table: 'attempts', forget: forgetOldAttempts },
  { table: 'attempt_budgets', forget: forgetOldBudgets },
  { table: 'email_codes', forget: forgetOldCodes },
  { table: 'passkey_challenges', forget: forgetOldChallenges },
  { table: 'idempotency_keys', forget: forgetOldKeys },
  { table: 'orphaned_deposits', forget: forgetOrphanedDeposits },
  { table: 'oauth_records', forget: forgetOldRecords },
];

for (const { table, forget } of FORGOTTEN) {
  test(`deleting old rows of ${table} is bounded and skips locked rows`, async (t) => {
    const db = openDatabase(await createDatabase(t));
    atEnd(t, () => db.close());
    await insertForgottenRows(db, table, 5);
    await db.transaction(async (tx) => {
      await tx.query(`SELECT FROM ${table} LIMIT 1 FOR UPDATE`);
      // Waiting here would be a deadlock with this very transaction.
      assert.equal(await forget(db, 3), 3);
      assert.equal(await forget(db, 3), 1);
    });
    assert.equal(await forget(db, 3), 1);
    assert.equal((await db.query(`SELECT FROM ${table}`)).length, 0);
  });
}

test('using a guest token does not wait while tokens of that guest are issued or revoked', async (t) => {
  const s = await sharedService(t);
  const { db } = s.service;
  const app = await s.createApp();
  const { userId, accessToken } = await s.createGuest(app);
  await ageGuestTokens(db, { userId }, '2 hours');
  const stale = async () => {
    const tokens = await db.query(
      `SELECT FROM guest_tokens WHERE user_id = $1 AND last_used_at < now() - interval '1 hour'`,
      [userId],
    );
    return tokens.length;
  };
  const use = () => useGuestToken(db, hashSecret(accessToken), 'access', 365);

  for (const purpose of ['access', 'page']) {
    await ageGuestTokens(db, { userId }, '2 hours');
    await db.transaction(async (tx) => {
      await tx.query('SELECT FROM guest_tokens WHERE user_id = $1 AND purpose = $2 FOR UPDATE', [userId, purpose]);
      const used = await use();
      assert.deepEqual([used?.userId, used?.appId, used?.expired], [userId, app.id, false]);
      assert.equal(await stale(), 1, 'the other token is renewed');
    });
    if (purpose === 'access') {
      await use();
      assert.equal(await stale(), 0, 'and this one the next time');
    }
  }
});
