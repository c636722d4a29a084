import type pg from 'pg';

const POSTINGS_A_BLOCK = 500;
/** Rows a statement, so that none runs for minutes without a sign. */
const CHUNK = 1_000_000;
/** It paid the gas of the history. The service no longer knows it. */
const OLD_RELAYER = `0x${'7e'.repeat(20)}`;

/** The id of the generated user with this number, from 0. */
export function userIdOf(i: number): string {
  return `bench${i.toString().padStart(23, '0')}`;
}

/** SQL for what belongs to the number in `i`. Addresses and hashes are as random as real ones. */
const SQL = {
  user: `'bench' || lpad(i::text, 23, '0')`,
  address: `'0x' || encode(substr(sha256(('a' || i)::bytea), 1, 20), 'hex')`,
  hash: `sha256(('t' || i)::bytea)`,
  block: (i: string) => `(${i}) / ${POSTINGS_A_BLOCK} + 1`,
};

/**
 * Fills the tables as if an app had paid each of `accounts` users `postingsEach` quarters, one at a time: users, accounts and
 * postings, and for one payment of each user also request, transfer, transaction and event. Sums are right: the treasury issued
 * what the app paid out. The rows are those of migrations/0012_narrow_rows.sql.
 */
export async function writeHistory(
  database: pg.Client,
  {
    appId,
    accounts,
    postingsEach,
  }: { readonly appId: string; readonly accounts: number; readonly postingsEach: number },
): Promise<void> {
  const [app, treasury] = await Promise.all([
    addressOf(database, 'app_id = $1', [appId]),
    addressOf(database, `kind = 'treasury'`, []),
  ]);
  const run = async (text: string, rows: number, values: readonly unknown[] = []) => {
    for (let first = 0; first < rows; first += CHUNK) {
      await database.query(text, [first, Math.min(first + CHUNK, rows) - 1, ...values]);
    }
  };
  const numbers = 'generate_series($1::bigint, $2::bigint) AS i';
  // As one load, without the checks of foreign keys row by row. What is written here fits by construction.
  await database.query(`SET session_replication_role = replica`);
  await run(
    `INSERT INTO users (id, kind, display_name, guest_of) SELECT ${SQL.user}, 'guest', 'Guest', $3 FROM ${numbers}`,
    accounts,
    [appId],
  );
  // Keys are never opened, because these accounts only receive.
  await run(
    `INSERT INTO accounts (address, kind, user_id, sealed_key, posted)
     SELECT ${SQL.address}, 'user', ${SQL.user}, decode(repeat('00', 60), 'hex'), ${postingsEach} FROM ${numbers}`,
    accounts,
  );
  await database.query('UPDATE accounts SET posted = posted - $2 WHERE address = $1', [
    treasury,
    accounts * postingsEach,
  ]);
  await database.query(
    `INSERT INTO postings (block_number, log_index, block_hash, tx_hash, from_address, to_address, amount)
     VALUES (0, 0, sha256('0'), sha256('issue'), $1, $2, $3)`,
    [treasury, app, accounts * postingsEach],
  );
  await run(
    `INSERT INTO postings (block_number, log_index, block_hash, tx_hash, from_address, to_address, amount)
     SELECT ${SQL.block('n')}, n % ${POSTINGS_A_BLOCK}, sha256((${SQL.block('n')})::text::bytea), sha256(('t' || n)::bytea), $3, address, 1
       FROM generate_series($1::bigint, $2::bigint) AS n, LATERAL (SELECT n % $4 AS i) AS payee, LATERAL (SELECT ${SQL.address} AS address) AS account`,
    accounts * postingsEach,
    [app, accounts],
  );
  await writePayments(run, numbers, { appId, app, accounts });
  // The economy has counted it. Otherwise it would count twenty million postings beside the payments that are measured.
  await database.query(
    `UPDATE economy_cursor SET (block_number, block_hash, block_at) =
       (SELECT block_number, block_hash, now() FROM postings WHERE block_number = ${SQL.block('$1::bigint')} LIMIT 1)`,
    [accounts * postingsEach - 1],
  );
  await database.query(`SET session_replication_role = origin`);
  await database.query('VACUUM (ANALYZE, FREEZE)');
  await database.query('CHECKPOINT');
}

type Run = (text: string, rows: number, values?: readonly unknown[]) => Promise<void>;

/** The first payment of each user, as the service has stored it: a request, its transfer, the transaction, and the event. */
async function writePayments(
  run: Run,
  numbers: string,
  { appId, app, accounts }: { readonly appId: string; readonly app: string; readonly accounts: number },
): Promise<void> {
  // One second apart, and the last one an hour ago. The random part of an id comes from its number, so the rows agree.
  const last = new Date(Date.now() - 3_600_000).toISOString();
  const when = `(timestamptz '${last}' - make_interval(secs => ${accounts} - i))`;
  const id = (kind: number) =>
    `(lpad(to_hex((extract(epoch FROM ${when}) * 1000)::bigint), 12, '0') || '7${kind}008' || substr(md5(i::text), 1, 15))::uuid`;
  await run(
    `INSERT INTO requests (id, app_id, user_id, source, from_address, to_address, amount, created_at, expires_at, status, sequence,
                           transitions, transition_times)
     SELECT ${id(1)}, $3, ${SQL.user}, 'payout', $4, ${SQL.address}, 1, ${when}, ${when} + interval '15 minutes', 'completed', 1,
            ARRAY['create app:' || $3, 'submit chain', 'complete chain'], array_fill(${when}, ARRAY[3])
       FROM ${numbers}`,
    accounts,
    [appId, app],
  );
  await run(
    `INSERT INTO transfers (id, request_id, from_address, to_address, amount, tx_hash, relayer, relayer_nonce, created_at, is_split, status,
                            decided_block)
     SELECT ${id(2)}, ${id(1)}, $3, ${SQL.address}, 1, ${SQL.hash}, $4, i, ${when}, false, 'completed', ${SQL.block('i')} FROM ${numbers}`,
    accounts,
    [app, OLD_RELAYER],
  );
  await run(
    `INSERT INTO transactions (relayer, nonce, attempt, hash, raw, payload, created_at)
     SELECT $3, i, 0, ${SQL.hash}, decode(repeat('02', 420), 'hex'), ARRAY[${id(2)}], ${when} FROM ${numbers}`,
    accounts,
    [OLD_RELAYER],
  );
  await run(
    `INSERT INTO events (id, app_id, type, sequence, position, created_at, request_id, tx_hash, refunded)
     SELECT ${id(3)}, $3, 'request.completed', 1, 1, ${when}, ${id(1)}, ${SQL.hash}, NULL FROM ${numbers}`,
    accounts,
    [appId],
  );
}

async function addressOf(database: pg.Client, which: string, values: readonly unknown[]): Promise<string> {
  const { rows } = await database.query<{ address: string }>(`SELECT address FROM accounts WHERE ${which}`, [
    ...values,
  ]);
  return rows[0]!.address;
}
