import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/database.ts';
import { createDatabase } from '../kit/service/database.ts';
import { onServer } from '../kit/service/postgres.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);
const APP = 'A'.repeat(20);
const OTHER_APP = 'B'.repeat(20);
const GUEST = 'G'.repeat(28);
const hex = (digits: string, bytes: number) => `0x${digits.repeat(bytes)}`;

/** Inserts a row into every table that a service of the first migration fills. */
const ROWS = `
  INSERT INTO apps (id, name, auto_approve, created_at) VALUES
    ('${APP}', 'Old game', true, '2024-05-06T07:08:09Z'), ('${OTHER_APP}', 'Another', false, '2024-05-06T07:08:09Z');
  INSERT INTO app_keys (hash, app_id) VALUES (decode(repeat('ab', 32), 'hex'), '${APP}');
  INSERT INTO users (id, kind, display_name, guest_of) VALUES ('${GUEST}', 'guest', 'Guest', '${APP}');
  INSERT INTO guest_tokens (hash, purpose, user_id, app_id) VALUES (decode(repeat('cd', 32), 'hex'), 'access', '${GUEST}', '${APP}');
  INSERT INTO standing_approvals (user_id, app_id, max_per_day, expires_at) VALUES ('${GUEST}', '${APP}', 10, now());
  INSERT INTO accounts (address, kind, user_id, sealed_key, posted) VALUES ('${hex('11', 20)}', 'user', '${GUEST}', 'x', 5);
  INSERT INTO accounts (address, kind) VALUES ('${hex('22', 20)}', 'external');
  INSERT INTO postings (block_number, log_index, block_hash, tx_hash, from_address, to_address, amount)
    VALUES (1, 0, '${hex('cc', 32)}', '${hex('aa', 32)}', '${hex('22', 20)}', '${hex('11', 20)}', 5);
  INSERT INTO requests (id, app_id, user_id, source, from_address, to_address, amount, status, expires_at)
    VALUES (gen_random_uuid(), '${APP}', '${GUEST}', 'user', '${hex('11', 20)}', '${hex('22', 20)}', 5, 'pending', now());
  INSERT INTO request_moves (request_id, event, to_status, actor) SELECT id, 'create', 'pending', 'user' FROM requests;`;

test('a database from before people and developer apps takes the later migrations', async (t) => {
  const url = await createDatabase(t);
  const db = openDatabase(url);
  try {
    await onServer(url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const [first, ...later] = readdirSync(FOLDER)
      .filter((name) => /^\d+_/.test(name))
      .sort();
    const apply = (name: string) => onServer(url, readFileSync(new URL(name, FOLDER), 'utf8'));
    await apply(first!);
    await onServer(url, ROWS);
    for (const name of later) await apply(name);

    const apps = await db.query(
      'SELECT id, auto_approve, auto_approve_since, owner_id, public_client FROM apps ORDER BY 1',
    );
    assert.deepEqual(apps, [
      {
        id: APP,
        auto_approve: true,
        // Otherwise every earlier approval would become a mandate when auto approval is enabled again.
        auto_approve_since: new Date('2024-05-06T07:08:09Z'),
        owner_id: null,
        public_client: false,
      },
      { id: OTHER_APP, auto_approve: false, auto_approve_since: null, owner_id: null, public_client: false },
    ]);
    const keys = await db.query('SELECT kind, ending, scopes, pay_per_day, revoked_at FROM app_keys');
    assert.deepEqual(keys, [
      { kind: 'server', ending: '', scopes: ['guests', 'pay'], pay_per_day: null, revoked_at: null },
    ]);
    const users = await db.query('SELECT kind, email, became_full_at, closed_at FROM users');
    assert.deepEqual(users, [{ kind: 'guest', email: null, became_full_at: null, closed_at: null }]);
    const mandates = await db.query('SELECT max_per_transfer, max_per_day FROM mandates');
    assert.deepEqual(mandates, [{ max_per_transfer: 10n, max_per_day: 10n }], 'what the player allowed');
    const requests = await db.query(
      'SELECT status, transitions, cardinality(transition_times) AS times, user_id FROM requests JOIN pending_requests USING (user_id)',
    );
    assert.deepEqual(requests, [{ status: 'pending', transitions: ['create user'], times: 1, user_id: GUEST }]);
    assert.deepEqual(await db.query('SELECT posted_at FROM postings'), [{ posted_at: null }], 'nobody knows when');
    await db.query(
      `INSERT INTO postings (block_number, log_index, block_hash, tx_hash, from_address, to_address, amount)
       SELECT 2, log_index, tx_hash, tx_hash, from_address, to_address, amount FROM postings`,
    );
    const [posted] = await db.query<{ posted_at: Date }>('SELECT posted_at FROM postings WHERE block_number = 2');
    assert.ok(posted!.posted_at instanceof Date);
  } finally {
    await db.close();
  }
});
