import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret } from '../../src/base/secrets.ts';
import { openDatabase } from '../../src/db/database.ts';
import { KEPT_KEYS } from '../../src/idempotency/keys.ts';
import { KEPT_ATTEMPTS, KEPT_BUDGETS } from '../../src/identity/attempts.ts';
import { KEPT_CODES } from '../../src/identity/email-codes.ts';
import { useGuestToken } from '../../src/identity/guest-tokens.ts';
import { KEPT_CHALLENGES } from '../../src/identity/passkeys.ts';
import { KEPT_ORPHANED_DEPOSITS } from '../../src/ledger/orphaned-deposits.ts';
import { KEPT_RECORDS } from '../../src/oauth/records.ts';
import { createDatabase } from '../kit/service/database.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { type ForgottenTable, insertForgottenRows } from '../rows/passing.ts';
import { ageGuestTokens } from '../rows/users.ts';

const OF_IDENTITY = [KEPT_ATTEMPTS, KEPT_BUDGETS, KEPT_CODES, KEPT_CHALLENGES];

for (const rule of [...OF_IDENTITY, KEPT_KEYS, KEPT_ORPHANED_DEPOSITS, KEPT_RECORDS]) {
  const { table, forget } = rule as typeof rule & { readonly table: ForgottenTable };
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
