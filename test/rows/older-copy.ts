import type { Address } from '../../src/base/address.ts';
import type { TransferId } from '../../src/base/ids.ts';
import { openKey } from '../../src/custody/signer.ts';
import type { Vault } from '../../src/custody/vault.ts';
import { hashColumn } from '../../src/db/columns.ts';
import { type Database, openDatabase, type Tx } from '../../src/db/database.ts';
import { consumedBelow } from '../../src/settlement/tables/nonces.ts';
import { STATUS_NOW } from '../../src/settlement/tables/transfers.ts';
import type { Ending } from '../kit/unit/at-end.ts';
import { createOlderDatabase } from './older-schema.ts';

const IS_SENT = `EXISTS (SELECT FROM transfers JOIN broadcasts USING (relayer)
  WHERE request_id = requests.id AND requests.status = 'approved' AND below > relayer_nonce)`;

/** How the tables before the narrow rows said what the tables of today say. Nobody reads the signatures that were stored. */
const FORMER: Readonly<Record<string, string>> = {
  accounts: `SELECT address, kind, user_id, app_id, ($1::json ->> address)::bytea AS sealed_key, posted, held, created_at, closed_at, unswept
               FROM accounts`,
  data_keys: 'SELECT id, wrapped, created_at FROM data_keys',
  users: `SELECT id, kind, display_name, email, email_verified, guest_of, created_at, became_full_at, closed_at FROM users`,
  relayers: `SELECT address, purpose, ($1::json ->> address)::bytea AS sealed_key, next_nonce, lease_holder, lease_epoch, lease_expires_at,
                    created_at FROM relayers`,
  app_keys: `SELECT hash, app_id, created_at, revoked_at, kind, ending, scopes, pay_per_day, paid_on, paid_today, ask_per_day, asked_on,
                    asked_today, approve_per_day, approved_on, approved_today FROM app_keys`,
  apps: `SELECT id, name, redirect_uris, frame_ancestors, result_origins, public_client, auto_approve, auto_approve_requested_at, auto_approve_since,
                owner_id, verified_at, created_at FROM apps`,
  requests: `SELECT id, app_id, user_id, source, from_address, to_address, amount, description, created_at, expires_at, refund_of, sequence,
                    CASE WHEN ${IS_SENT} THEN 'submitted' ELSE status END AS status FROM requests`,
  request_moves: `SELECT request_id, event, '' AS to_status, actor, at FROM (
      SELECT id AS request_id, split_part(made, ' ', 1) AS event, split_part(made, ' ', 2) AS actor, at, place
        FROM requests, unnest(transitions, transition_times) WITH ORDINALITY AS each (made, at, place)
      UNION ALL SELECT id, 'submit', 'chain', now(), 100 FROM requests WHERE ${IS_SENT}) AS moves ORDER BY request_id, place`,
  transfers: `SELECT id, request_id, from_address, to_address, amount, ${STATUS_NOW} AS status, $1::json ->> id::text AS authorization_nonce,
                     '\\x' || repeat('00', 65) AS authorization_signature, ${hashColumn('tx_hash')} AS tx_hash, cancelling, decided_block, created_at
                FROM transfers`,
  transactions: `SELECT ${hashColumn('hash')} AS hash, relayer, nonce, attempt, raw, created_at, mined AS mined_block, sent_at,
                        CASE WHEN mined IS NOT NULL THEN 'mined' WHEN nonce < consumed THEN 'replaced'
                             WHEN sent_at IS NOT NULL THEN 'sent' ELSE 'signed' END AS status
      FROM (SELECT *, ${consumedBelow('made.relayer')} AS consumed,
                   coalesce(mined_block, (SELECT max(decided_block) FROM transfers WHERE id = ANY(payload) AND tx_hash = hash)) AS mined,
                   (SELECT min(sent_at) FROM broadcasts WHERE broadcasts.relayer = made.relayer AND below > nonce) AS sent_at
              FROM transactions AS made) AS known`,
  cargo: `SELECT DISTINCT transactions.relayer, nonce, transfer_id,
                 CASE WHEN purpose = 'operator' AND cancelling THEN 'cancel' ELSE 'pay' END AS kind
            FROM transactions JOIN relayers ON address = transactions.relayer, unnest(payload) AS carried (transfer_id) JOIN transfers ON id = transfer_id`,
  postings: `SELECT block_number, log_index, ${hashColumn('block_hash')} AS block_hash, ${hashColumn('tx_hash')} AS tx_hash, from_address,
                    to_address, amount, posted_at, outside_block FROM postings`,
  events: `SELECT id, app_id, type, sequence, coalesce(data, json_build_object('id', request_id)) AS data, position, created_at FROM events`,
  guesses: 'TABLE attempts',
  guess_budgets: 'TABLE attempt_budgets',
  standing_approvals: 'TABLE mandates',
};

/** What rows held that is computed now, by the row's key: `$1` of its statement above. */
const FORMER_VALUES: Readonly<
  Record<string, (from: Database, vault: Vault) => Promise<[key: string, value: string][]>>
> = {
  accounts: sealedKeysOf('accounts'),
  relayers: sealedKeysOf('relayers'),
  transfers: async (from) => {
    const nonces = await noncesIn(from);
    return nonces.map(({ id, nonce }) => [id, `0x${nonce.toString('hex')}`]);
  },
};

function sealedKeysOf(table: 'accounts' | 'relayers') {
  return async (from: Database, vault: Vault): Promise<[string, string][]> => {
    const rows = await from.query<{ address: Address; key: Buffer }>(
      `SELECT address, key_id AS key FROM ${table} WHERE key_id IS NOT NULL`,
    );
    return rows.map(({ address, key }) => {
      const sealed = vault.seal(openKey(vault, address, key), `account ${address}`);
      return [address, `\\x${sealed.toString('hex')}`];
    });
  };
}

/**
 * Copies a database, while nobody uses it, to one as the version before the narrow rows would have it: keys are sealed there. Returns its
 * address.
 */
export async function copyToOlder(t: Ending, url: string, vault: Vault): Promise<string> {
  const older = await createOlderDatabase(t, '0012');
  const [from, to] = [openDatabase(url), openDatabase(older)];
  try {
    const tables = await to.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_name <> 'migrations'`,
    );
    await to.transaction(async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      for (const { name } of tables) await copyTable(from, tx, name, vault);
      await tx.query(`SELECT setval(pg_get_serial_sequence('data_keys', 'id'), max(id)) FROM data_keys`);
    });
    return older;
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

const noncesIn = (from: Database) =>
  from.query<{ id: TransferId; nonce: Buffer }>('SELECT id, authorization_nonce AS nonce FROM transfers');

/** Transfers of an earlier version have nonces that their ids give. These were signed by this version, with others. */
export async function giveNonces(url: string, to: Database): Promise<void> {
  const from = openDatabase(url);
  try {
    for (const { id, nonce } of await noncesIn(from))
      await to.query('UPDATE transfers SET authorization_nonce = $2 WHERE id = $1', [id, nonce]);
  } finally {
    await from.close();
  }
}

async function copyTable(from: Database, to: Tx, table: string, vault: Vault): Promise<void> {
  const given = await FORMER_VALUES[table]?.(from, vault);
  const [copied] = await from.query<{ rows: string; columns: string[] | null }>(
    `SELECT coalesce(json_agg(former), '[]')::text AS rows, (array_agg(ARRAY(SELECT json_object_keys(row_to_json(former)))))[1:1] AS columns
       FROM (${FORMER[table] ?? `TABLE ${table}`}) AS former`,
    given ? [JSON.stringify(Object.fromEntries(given))] : [],
  );
  const columns = copied!.columns?.flat().join(', ');
  if (!columns) return;
  await to.query(`DELETE FROM ${table}`);
  await to.query(
    `INSERT INTO ${table} (${columns}) OVERRIDING SYSTEM VALUE
     SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1)`,
    [copied!.rows],
  );
}
