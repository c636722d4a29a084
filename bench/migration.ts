/**
 * Measures the migration to narrow rows (migrations/0012_narrow_rows.sql) of a database that the version before has filled: each
 * transfer with its request, three moves, transaction and posting. Alone: `node bench/migration.ts --runs 1`; ROWS sets how many
 * transfers there are.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../local/postgres/postgres.ts';
import { migrate } from '../src/db/migrate.ts';
import type { Claim, Effort, Figure } from './claim.ts';
import { runAlone } from './run.ts';

const FOLDER = join(import.meta.dirname, '../migrations');
const NARROW_ROWS = '0012_narrow_rows';
const MOST_ON_THEIR_WAY = 30_000;
const TRANSFERS_A_BLOCK = 500;
const [APP, USER] = ['A'.repeat(20), 'U'.repeat(28)];
const [RELAYER, PAYER] = [`0x${'7e'.repeat(20)}`, `0x${'11'.repeat(20)}`];

/** SQL for what belongs to the number in `i`. Ids ascend, and addresses and hashes are as random as real ones. */
const SQL = {
  id: (kind: number) => `(lpad(to_hex(i), 12, '0') || '7${kind}008' || substr(md5(i::text), 1, 15))::uuid`,
  address: `'0x' || encode(substr(sha256(('a' || i)::bytea), 1, 20), 'hex')`,
  hash: (kind: string) => `'0x' || encode(sha256(('${kind}' || i)::bytea), 'hex')`,
  block: `i / ${TRANSFERS_A_BLOCK} + 1`,
};

async function measureMigration({ quick }: Effort): Promise<Figure[]> {
  const rows = Number(process.env.ROWS ?? (quick ? 50_000 : 1_000_000));
  const dataDir = mkdtempSync(join(tmpdir(), 'quarters-bench-migration-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  try {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const files = readdirSync(FOLDER).filter((file) => /^\d+_/.test(file));
    await prepare(client, files.sort(), rows);
    const before = await sizeOf(client);
    const began = performance.now();
    await migrate(postgres.url);
    const seconds = (performance.now() - began) / 1000;
    await check(client, rows);
    const after = await sizeOf(client);
    await client.end();
    return [
      { name: `migration of ${rows.toLocaleString('en')} transfers`, value: seconds, unit: 's' },
      { name: 'the database before', value: before, unit: 'MB' },
      { name: 'the database afterwards', value: after, unit: 'MB' },
    ];
  } finally {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The tables of the version before, with rows in them. */
async function prepare(client: pg.Client, files: readonly string[], rows: number): Promise<void> {
  await client.query('CREATE TABLE migrations (id serial PRIMARY KEY, name text NOT NULL, run_on timestamp NOT NULL)');
  for (const file of files.filter((name) => name < NARROW_ROWS)) {
    await client.query(readFileSync(join(FOLDER, file), 'utf8'));
    await client.query('INSERT INTO migrations (name, run_on) VALUES ($1, now())', [file.replace('.sql', '')]);
  }
  // As one load, without the checks of foreign keys row by row. What is written here fits by construction.
  await client.query('SET session_replication_role = replica');
  for (const statement of statementsFor(rows)) await client.query(statement);
  await client.query('SET session_replication_role = origin');
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
}

/** Of the newest transfers, as many as an overload leaves are on their way, a part of them not sent yet. */
function statementsFor(rows: number): string[] {
  const numbers = `generate_series(0, ${rows - 1}) AS i`;
  const settled = rows - Math.min(MOST_ON_THEIR_WAY, rows / 2);
  const sent = settled + (rows - settled) / 3;
  const status = (mined: string) => `CASE WHEN i < ${settled} THEN '${mined}' WHEN i < ${sent} THEN`;
  const transferStatus = `${status('completed')} 'submitted' ELSE 'approved' END`;
  const minedBlock = `CASE WHEN i < ${settled} THEN ${SQL.block} END`;
  return [
    `INSERT INTO apps (id, name) VALUES ('${APP}', 'Bench')`,
    `INSERT INTO users (id, kind, display_name, guest_of) VALUES ('${USER}', 'guest', 'Guest', '${APP}')`,
    `INSERT INTO relayers (address, purpose, sealed_key, next_nonce) VALUES ('${RELAYER}', 'settlement', '', ${rows})`,
    `INSERT INTO blocks SELECT i, ${SQL.hash('b')}, ${SQL.hash('p')}, 0, true FROM generate_series(1, ${Math.ceil(settled / TRANSFERS_A_BLOCK)}) AS i`,
    `INSERT INTO requests (id, app_id, user_id, source, from_address, to_address, amount, status, expires_at, sequence)
     SELECT ${SQL.id(1)}, '${APP}', '${USER}', 'payout', '${PAYER}', ${SQL.address}, 1, ${transferStatus}, now(), 1 FROM ${numbers}`,
    `INSERT INTO request_moves (request_id, event, to_status, actor)
     SELECT ${SQL.id(1)}, event, '', actor
       FROM ${numbers}, (VALUES ('create', 'app:${APP}', ${rows}), ('submit', 'chain', ${sent}), ('complete', 'chain', ${settled}))
              AS move (event, actor, below)
      WHERE i < below`,
    `INSERT INTO transfers (id, request_id, from_address, to_address, amount, status, authorization_nonce, authorization_signature, tx_hash,
                            decided_block)
     SELECT ${SQL.id(2)}, ${SQL.id(1)}, '${PAYER}', ${SQL.address}, 1, ${transferStatus}, ${SQL.hash('n')}, decode(repeat('00', 65), 'hex'),
            ${SQL.hash('t')}, ${minedBlock} FROM ${numbers}`,
    `INSERT INTO transactions (hash, relayer, nonce, attempt, raw, status, mined_block, sent_at)
     SELECT ${SQL.hash('t')}, '${RELAYER}', i, 0, decode(repeat('02', 420), 'hex'), ${status('mined')} 'sent' ELSE 'signed' END,
            ${minedBlock}, CASE WHEN i < ${sent} THEN now() END FROM ${numbers}`,
    `INSERT INTO cargo (relayer, nonce, transfer_id) SELECT '${RELAYER}', i, ${SQL.id(2)} FROM ${numbers}`,
    `INSERT INTO postings (block_hash, log_index, block_number, tx_hash, from_address, to_address, amount)
     SELECT (SELECT hash FROM blocks WHERE number = ${SQL.block}), i % ${TRANSFERS_A_BLOCK}, ${SQL.block}, ${SQL.hash('t')}, '${PAYER}',
            ${SQL.address}, 1 FROM ${numbers} WHERE i < ${settled}`,
    `INSERT INTO events (id, app_id, type, sequence, data, position)
     SELECT ${SQL.id(3)}, '${APP}', 'transfer.completed', 1, '{"status":"completed"}', i FROM ${numbers} WHERE i < ${settled}`,
  ];
}

async function check(client: pg.Client, rows: number): Promise<void> {
  const { rows: counts } = await client.query<Record<string, string>>(
    `SELECT (SELECT count(*) FROM transfers WHERE relayer_nonce < (SELECT max(below) FROM consumed_nonces)) AS settled,
            (SELECT count(*) FROM open_transfers) AS open, (SELECT count(*) FROM transactions) AS transactions,
            (SELECT count(*) FROM requests WHERE cardinality(transitions) > 0) AS requests`,
  );
  const { settled, open, transactions, requests } = counts[0]!;
  const isComplete =
    Number(settled) + Number(open) === rows && Number(transactions) === rows && Number(requests) === rows;
  if (!isComplete) throw new Error(`The migration lost rows: ${JSON.stringify(counts[0])}`);
}

async function sizeOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ size: string }>('SELECT pg_database_size(current_database()) AS size');
  return Number(rows[0]!.size) / 1e6;
}

export const migration: Claim = {
  name: 'migration',
  title: 'The migration to narrow rows',
  method: `Filled tables of the version before, with up to ${MOST_ON_THEIR_WAY.toLocaleString('en')} transfers on their way. The command \`migrate\`, alone on its database.`,
  measure: measureMigration,
};

if (import.meta.main) await runAlone(migration);
