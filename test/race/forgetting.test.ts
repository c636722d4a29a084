import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret } from '../../src/base/secrets.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { forgetOldKeys } from '../../src/idempotency/keys.ts';
import { forgetOldCodes } from '../../src/identity/email-codes.ts';
import { forgetOldGuesses } from '../../src/identity/guesses.ts';
import { useGuestToken } from '../../src/identity/guest-tokens.ts';
import { forgetOldChallenges } from '../../src/identity/passkey-challenges.ts';
import { forgetOldRecords } from '../../src/oauth/records.ts';
import { atEnd } from '../support/at-end.ts';
import { createDatabase } from '../support/database.ts';
import { startTestService } from '../support/service.ts';

const HASH = "sha256(n::text::bytea), now() - interval '60 days' - make_interval(mins => n)";
const ROWS = 'FROM generate_series(1, 5) AS n';

const FORGOTTEN: readonly {
  readonly table: string;
  readonly fill: string;
  readonly forget: (db: Database, most: number) => Promise<number>;
}[] = [
  {
    table: 'guesses',
    fill: `INSERT INTO guesses (key, resets_at, count) SELECT ${HASH}, 1 ${ROWS}`,
    forget: forgetOldGuesses,
  },
  {
    table: 'email_codes',
    fill: `INSERT INTO email_codes (mac, expires_at, id, purpose, email)
           SELECT ${HASH}, gen_random_uuid(), 'reset', 'ada@mail.example' ${ROWS}`,
    forget: forgetOldCodes,
  },
  {
    table: 'passkey_challenges',
    fill: `INSERT INTO passkey_challenges (hash, expires_at) SELECT ${HASH} ${ROWS}`,
    forget: forgetOldChallenges,
  },
  {
    table: 'idempotency_keys',
    fill: `INSERT INTO idempotency_keys (hash, created_at, body_hash, answer)
           SELECT ${HASH}, sha256('body'::bytea), '{}' ${ROWS}`,
    forget: forgetOldKeys,
  },
  {
    table: 'oauth_records',
    fill: `INSERT INTO oauth_records (hash, expires_at, model, payload)
           SELECT ${HASH}, CASE WHEN n % 2 = 0 THEN 'Session' ELSE 'AccessToken' END, '{}' ${ROWS}`,
    forget: forgetOldRecords,
  },
];

for (const { table, fill, forget } of FORGOTTEN) {
  test(`forgetting takes a bounded piece of ${table}, and waits for nobody who holds some of it`, async (t) => {
    const db = openDatabase(await createDatabase(t));
    atEnd(t, () => db.close());
    await db.query(fill);
    await db.transaction(async (tx) => {
      await tx.query(`SELECT FROM ${table} LIMIT 1 FOR UPDATE`);
      // Waiting here would be for this transaction, which waits for it.
      assert.equal(await forget(db, 3), 3);
      assert.equal(await forget(db, 3), 1);
    });
    assert.equal(await forget(db, 3), 1);
    assert.equal((await db.query(`SELECT FROM ${table}`)).length, 0);
  });
}

test('using a guest’s token waits for nobody who gives or takes tokens of that guest at the moment', async (t) => {
  const s = await startTestService(t);
  const { db } = s.service;
  const app = await s.createApp();
  const { userId, accessToken } = await s.createGuest(app);
  await db.query(`UPDATE guest_tokens SET last_used_at = now() - interval '2 hours'`);
  const stale = async () => {
    const tokens = await db.query(
      `SELECT FROM guest_tokens WHERE user_id = $1 AND last_used_at < now() - interval '1 hour'`,
      [userId],
    );
    return tokens.length;
  };
  const use = () => useGuestToken(db, hashSecret(accessToken), 'access', 365);

  for (const purpose of ['access', 'page']) {
    await db.query(`UPDATE guest_tokens SET last_used_at = now() - interval '2 hours'`);
    await db.transaction(async (tx) => {
      await tx.query('SELECT FROM guest_tokens WHERE user_id = $1 AND purpose = $2 FOR UPDATE', [userId, purpose]);
      assert.deepEqual(await use(), { userId, appId: app.id, expired: false });
      assert.equal(await stale(), 1, 'the other one is renewed');
    });
    if (purpose === 'access') {
      await use();
      assert.equal(await stale(), 0, 'and this one the next time');
    }
  }
});
