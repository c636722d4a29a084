import pg from 'pg';
import { userIdOf } from './growth-history.ts';

/** The size of an economy. `postings` is about how many `Transfer` logs a year has. */
export type EconomySize = {
  readonly postings: number;
  /** So many more on the last day: a release, say. */
  readonly busyDay: number;
  readonly players: number;
  readonly apps: number;
};

const DAYS = 365;
const BLOCK_SECONDS = 60;
/** Postings a statement, so that none runs for minutes without a sign. */
const CHUNK = 500_000;
/** As one load, without the checks of foreign keys row by row. What is written here fits by construction. */
const SESSION = `SET session_replication_role = replica; SET synchronous_commit = off; SET jit = off; SET TIME ZONE 'UTC'`;
const OLD_RELAYER = `0x${'7e'.repeat(20)}`;
const OUTSIDE = `0x${'0d'.repeat(20)}`;

/** The address of the player with the number in `p`, as random as a real one. */
const PLAYER = (p: string) => `('0x' || encode(substr(sha256(('p' || ${p})::bytea), 1, 20), 'hex'))`;
const APP = `('0x' || encode(substr(sha256(('app' || n)::bytea), 1, 20), 'hex'))`;
/** A number from 0 to 1 that depends on `i` and a seed alone. */
const random = (seed: number) => `((hashint8extended(i, ${seed}) & 1048575) / 1048576.0)`;
const uuid = (kind: number) =>
  `(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7${kind}008' || substr(md5(i::text), 1, 15))::uuid`;

/**
 * Fills the tables with a year of an economy that ends an hour ago, after what the ledger has: apps, players, and payments with their
 * requests, transfers, postings and rewards, the same in each run. It grows, weekends are busier than weekdays, evenings than mornings, few
 * players and apps make most of the payments, and nobody has less than nothing. `url`: of the same database. Two connections write, each its own
 * tables and in the order of the chain, as a service does. An index of `transfers` depends on that.
 */
export async function writeEconomy(
  { database, url }: { readonly database: pg.Client; readonly url: string },
  size: EconomySize,
  report: (text: string) => void,
): Promise<void> {
  const { query } = { query: (text: string, values: readonly unknown[] = []) => database.query(text, [...values]) };
  const until = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3_600_000);
  const from = new Date(until.getTime() - DAYS * 86_400_000);
  await query(SESSION);
  // What the service has posted so far comes before the year.
  await query('UPDATE postings SET posted_at = $1', [new Date(from.getTime() - 3_600_000)]);
  await writePeople(query, size, from);
  for (const table of ['requests', 'transfers']) await query(`ALTER TABLE ${table} SET (fillfactor = 100)`);
  await writeDays(query, size, from);
  const base = await newestBlock(query);
  const chunks = await chunksOfDays(query);
  const write = async (statement: string, written: (postings: number) => void) => {
    const writer = new pg.Client({ connectionString: url });
    await writer.connect();
    await writer.query(SESSION);
    for (const { first, last, postings } of chunks) {
      await writer.query(statement, [first, last, size.players, size.apps, base, from]);
      written(postings);
    }
    await writer.end();
  };
  let ofLedger = 0;
  await Promise.all([
    write(WRITE_LEDGER, (postings) => {
      ofLedger += postings;
      report(`${ofLedger.toLocaleString('en')} postings written`);
    }),
    write(WRITE_REQUESTS, () => {}),
  ]);
  await query('DROP TABLE bench_days');
  for (const table of ['requests', 'transfers']) await query(`ALTER TABLE ${table} SET (fillfactor = 45)`);
  await settleBalances(query, base, from);
  await query('SET session_replication_role = origin');
  await query('VACUUM (ANALYZE)');
  await query('CHECKPOINT');
}

type Run = (text: string, values?: readonly unknown[]) => Promise<pg.QueryResult>;

async function newestBlock(query: Run): Promise<bigint> {
  const { rows } = await query('SELECT number FROM blocks ORDER BY number DESC LIMIT 1');
  return BigInt(rows[0].number);
}

/** Players join all year long. A seventh became full users a week later. Keys are never opened. */
async function writePeople(query: Run, { players, apps }: EconomySize, from: Date): Promise<void> {
  await query(
    `INSERT INTO apps (id, name, created_at) SELECT 'economy' || lpad(n::text, 13, '0'), 'Game ' || (n + 1), $2
       FROM generate_series(0, $1::int - 1) AS n`,
    [apps, from],
  );
  await query(
    `INSERT INTO accounts (address, kind, app_id, sealed_key)
     SELECT ${APP}, 'app', 'economy' || lpad(n::text, 13, '0'), decode(repeat('00', 60), 'hex') FROM generate_series(0, $1::int - 1) AS n`,
    [apps],
  );
  await query(
    `INSERT INTO users (id, kind, display_name, guest_of, created_at, became_full_at, email, email_verified)
     SELECT '${userIdOf(0).slice(0, 5)}' || lpad(p::text, 23, '0'), CASE WHEN is_full THEN 'full' ELSE 'guest' END, 'Player ' || p,
            'economy' || lpad((p % $2)::text, 13, '0'), joined, CASE WHEN is_full THEN joined + interval '7 days' END,
            CASE WHEN is_full THEN 'player' || p || '@example.com' END, is_full
       FROM (SELECT p, p % 7 = 0 AS is_full, $3::timestamptz + make_interval(secs => 86400 * ${DAYS} * greatest(0, (p::float / $1 - 0.2) / 0.8)) AS joined
               FROM generate_series(0, $1::int - 1) AS p) AS players`,
    [players, apps, from],
  );
  await query(
    `INSERT INTO guest_counts (app_id, day, count)
     SELECT guest_of, created_at::date, count(*) FROM users WHERE guest_of LIKE 'economy%' GROUP BY 1, 2`,
  );
  await query(
    `INSERT INTO accounts (address, kind, user_id, sealed_key)
     SELECT ${PLAYER('p')}, 'user', '${userIdOf(0).slice(0, 5)}' || lpad(p::text, 23, '0'), decode(repeat('00', 60), 'hex')
       FROM generate_series(0, $1::int - 1) AS p`,
    [players],
  );
  await query(`INSERT INTO accounts (address, kind) VALUES ($1, 'external')`, [OUTSIDE]);
}

/** How many postings each day has. */
async function writeDays(query: Run, { postings, busyDay }: EconomySize, from: Date): Promise<void> {
  await query(
    `CREATE TABLE bench_days AS
     SELECT d, starts, upto - coalesce(lag(upto) OVER (ORDER BY d), 0) AS count, coalesce(lag(upto) OVER (ORDER BY d), 0) AS first
       FROM (SELECT *, floor(sum(share) OVER (ORDER BY d) * $2)::bigint AS upto FROM (SELECT d, starts, weight / sum(weight) OVER () AS share
               FROM (SELECT d, $1::timestamptz + make_interval(hours => 24 * d) AS starts,
                            (0.4 + 0.6 * d / ${DAYS}) * (CASE WHEN extract(isodow FROM $1::timestamptz + make_interval(hours => 24 * d)) >= 6 THEN 1.5 ELSE 1 END)
                              * (0.9 + 0.2 * ((hashint8extended(d, 9) & 1023) / 1023.0)) AS weight
                       FROM generate_series(0, ${DAYS - 1}) AS d) AS weights) AS shares) AS sums`,
    [from, postings],
  );
  await query(`UPDATE bench_days SET count = count + $1 WHERE d = ${DAYS - 1}`, [busyDay]);
}

/** Days in a row, with as many postings as one statement writes. */
async function chunksOfDays(query: Run): Promise<{ first: number; last: number; postings: number }[]> {
  const { rows } = await query('SELECT d, count FROM bench_days ORDER BY d');
  const chunks: { first: number; last: number; postings: number }[] = [];
  for (const { d, count } of rows) {
    const postings = Number(count);
    const open = chunks.at(-1);
    if (!open || open.postings + postings > CHUNK) chunks.push({ first: d, last: d, postings });
    else Object.assign(open, { last: d, postings: open.postings + postings });
  }
  return chunks;
}

/** Days $1 to $2, for $3 players and $4 apps; $5: the newest block before; $6: when the year begins. */
const PARTIES = `
  WITH numbers AS (
    SELECT d, starts + make_interval(secs => 86399 * power((k + 0.5) / count, 0.8)) AS at, first + k AS i
      FROM bench_days, generate_series(0, count - 1) AS k WHERE d BETWEEN $1 AND $2),
  chosen AS (
    SELECT i, at, $5::bigint + 2 + floor(extract(epoch FROM at - $6::timestamptz) / ${BLOCK_SECONDS})::bigint AS block,
           floor($3 * (0.2 + 0.8 * d / ${DAYS}) * power(${random(1)}, 2.2))::int AS p, floor($4 * power(${random(2)}, 2))::int AS n,
           ${random(3)} AS kind, ${random(4)} AS u
      FROM numbers),
  moves AS MATERIALIZED (
    SELECT i, at, block, p, n, ${PLAYER('p')} AS player, ${APP} AS app, sha256(('t' || i)::bytea) AS tx,
           CASE WHEN kind < 0.70 THEN 'user' WHEN kind < 0.75 THEN 'reward' WHEN kind < 0.87 THEN 'payout' WHEN kind < 0.995 THEN 'issue'
                ELSE 'deposit' END AS kind,
           CASE WHEN kind < 0.70 THEN 1 + floor(80 * power(u, 3)) WHEN kind < 0.75 THEN 1 + floor(20 * u)
                WHEN kind < 0.87 THEN 1 + floor(60 * power(u, 3)) ELSE 100 * (1 + floor(4 * u)) END::bigint AS amount,
           kind < 0.70 AND i % 40 = 0 AS is_refunded
      FROM chosen),
  parties AS MATERIALIZED (
    SELECT i, at, block, p, n, tx, kind, amount, is_refunded, i AS place, player, app,
           CASE kind WHEN 'user' THEN player WHEN 'payout' THEN app WHEN 'deposit' THEN '${OUTSIDE}' ELSE treasury END AS source,
           CASE kind WHEN 'payout' THEN player WHEN 'issue' THEN player WHEN 'deposit' THEN player ELSE app END AS target
      FROM moves, (SELECT address AS treasury FROM accounts WHERE kind = 'treasury') AS own
    UNION ALL
    SELECT i, at, block, p, n, sha256(('r' || i)::bytea), 'refund', amount, false, i + 500000000, player, app, app, player
      FROM moves WHERE is_refunded)`;

const WRITE_LEDGER = `
  ${PARTIES},
  write_postings AS (
    INSERT INTO postings (block_number, log_index, block_hash, tx_hash, from_address, to_address, amount, posted_at, outside_block)
    SELECT block, (place % 1000000000)::int, sha256(block::text::bytea), tx, source, target, amount, at,
           CASE WHEN kind IN ('issue', 'deposit') THEN block END
      FROM parties)
  INSERT INTO transfers (id, request_id, from_address, to_address, amount, tx_hash, relayer, relayer_nonce, created_at, is_split, status,
                         decided_block)
  SELECT CASE kind WHEN 'refund' THEN ${uuid(5)} ELSE ${uuid(2)} END,
         CASE kind WHEN 'issue' THEN NULL WHEN 'refund' THEN ${uuid(4)} ELSE ${uuid(1)} END, source, target, amount, tx, '${OLD_RELAYER}', i, at,
         false, 'completed', block
    FROM parties WHERE kind <> 'deposit' ORDER BY i`;

const WRITE_REQUESTS = `
  ${PARTIES},
  write_requests AS (
    INSERT INTO requests (id, app_id, user_id, source, from_address, to_address, amount, created_at, expires_at, refund_of, status, sequence,
                          transitions, transition_times)
    SELECT CASE kind WHEN 'refund' THEN ${uuid(4)} ELSE ${uuid(1)} END, 'economy' || lpad(n::text, 13, '0'),
           '${userIdOf(0).slice(0, 5)}' || lpad(p::text, 23, '0'), CASE kind WHEN 'reward' THEN 'user' ELSE kind END,
           CASE WHEN kind IN ('user', 'reward') THEN player ELSE app END, CASE WHEN kind IN ('user', 'reward') THEN app ELSE player END,
           amount, at, at + interval '15 minutes', CASE kind WHEN 'refund' THEN ${uuid(1)} END, 'completed', 1,
           ARRAY['create app:economy' || lpad(n::text, 13, '0'), 'submit chain', 'complete chain'], array_fill(at, ARRAY[3])
      FROM parties WHERE kind NOT IN ('issue', 'deposit')),
  write_rewards AS (
    INSERT INTO rewards (id, user_id, amount, granted_at, source, key, app_id, claimed)
    SELECT ${uuid(3)}, '${userIdOf(0).slice(0, 5)}' || lpad(p::text, 23, '0'), amount, at - interval '1 hour', 'share', i::text,
           'economy' || lpad(n::text, 13, '0'), amount FROM parties WHERE kind = 'reward')
  INSERT INTO reward_claims (transfer_id, reward_id, amount) SELECT ${uuid(2)}, ${uuid(3)}, amount FROM parties WHERE kind = 'reward'`;

/** Issues in the year's first block what accounts would lack at its end, writes all balances, and the newest block. */
async function settleBalances(query: Run, base: bigint, from: Date): Promise<void> {
  await query(
    `CREATE TEMP TABLE bench_sums AS
     SELECT address, sum(amount)::bigint AS net FROM (
       SELECT to_address AS address, amount FROM postings UNION ALL SELECT from_address, -amount FROM postings) AS entries GROUP BY 1`,
  );
  await query(
    `INSERT INTO postings (block_number, log_index, block_hash, tx_hash, from_address, to_address, amount, posted_at, outside_block)
     SELECT $1, row_number() OVER (ORDER BY address), sha256($1::bigint::text::bytea), sha256(('first' || address)::bytea),
            (SELECT address FROM accounts WHERE kind = 'treasury'), address, amount, $2, CASE kind WHEN 'app' THEN NULL ELSE $1 END
       FROM (SELECT address, kind, greatest(0, -coalesce(net, 0)) + length(address::text) + (hashtext(address) & 63) AS amount
               FROM accounts LEFT JOIN bench_sums USING (address)
              WHERE kind IN ('user', 'app') OR address = '${OUTSIDE}') AS lacking`,
    [base + 1n, from],
  );
  await query(
    `INSERT INTO transfers (id, from_address, to_address, amount, tx_hash, relayer, relayer_nonce, created_at, is_split, status, decided_block)
     SELECT md5(to_address)::uuid, from_address, to_address, amount, tx_hash, '${OLD_RELAYER}', -1, posted_at, false, 'completed', block_number
       FROM postings WHERE block_number = $1`,
    [base + 1n],
  );
  await query(
    `UPDATE accounts SET posted = sum FROM (
       SELECT address, sum(amount)::bigint AS sum FROM (
         SELECT to_address AS address, amount FROM postings UNION ALL SELECT from_address, -amount FROM postings) AS entries GROUP BY 1) AS sums
      WHERE accounts.address = sums.address`,
  );
  await query(
    `INSERT INTO blocks (number, hash, parent_hash, next_log_index, complete)
     SELECT block_number, '0x' || encode(block_hash, 'hex'), '0x' || repeat('00', 32), 0, true
       FROM postings ORDER BY block_number DESC LIMIT 1`,
  );
}
