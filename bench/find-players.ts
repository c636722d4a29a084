/**
 * Measures how operators find one of a million players and a payment, and what the indexes for it cost where rows are made. Alone:
 * `node bench/find-players.ts --runs 1`; PLAYERS sets how many there are.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../local/postgres/postgres.ts';
import { asQuarters } from '../src/base/quarters.ts';
import { type Database, openDatabase } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { readSeenPage } from '../src/identity/seen-players.ts';
import { findGuestsByName, findUsersByPart, readUserPage } from '../src/identity/user-directory.ts';
import { findUser } from '../src/identity/users.ts';
import { readLargestHolders } from '../src/ledger/largest-holders.ts';
import { searchTransfers } from '../src/views/transfers/find-transfers.ts';
import type { Claim, Effort, Figure } from './claim.ts';
import { userIdOf } from './growth-history.ts';
import { runAlone } from './run.ts';

const APP = 'A'.repeat(20);
const ROUNDS = 25;
/** New rows of one statement. */
const NEW = 2_000;
/** The newest users: a wave of guests, in which nobody has a name of their own. */
const WAVE = 5_000;
const BY_PART = 'full_users_by_part';
const PAYMENTS_EACH = 0.2;

const FIRST = `ARRAY['Ada','Bob','Zoë','José','Anna','Lukas','田中','佐藤','鈴木','محمد','فاطمة','Ольга','Иван','Chloé','Liam','Emma','Søren','Łukasz','Ayşe','さくら']`;
const LAST = `ARRAY['Lovelace','Smith','García','Schmidt','太郎','花子','علي','Петров','Dubois','Rossi','Silva','Kowalski','Nielsen','Yılmaz','Trần','陽菜','O''Neill','van der Berg','MacDonald','Fischer']`;
const MAIL = `ARRAY['gmail.com','gmail.com','gmail.com','outlook.com','yahoo.co.jp','web.de','mail.example']`;
const one = (of: string, seed: number, count: number) => `(${of})[1 + abs(hashint8extended(i, ${seed}) % ${count})]`;
const USER = `'bench' || lpad(i::text, 23, '0')`;

/** Users from the number `first` on; each fifth is a full user if `full` is 2, or all or none of them: 5 or 0. */
const users = (
  full: string,
) => `INSERT INTO users (id, kind, display_name, guest_of, created_at, became_full_at, email, email_verified)
  SELECT ${USER}, CASE WHEN is_full THEN 'full' ELSE 'guest' END,
         CASE WHEN is_full THEN ${one(FIRST, 1, 20)} || ' ' || ${one(LAST, 2, 20)} || ' ' || substr(md5(i::text), 1, 3)
              ELSE 'Guest ' || upper(substr(md5(i::text), 1, 4)) END,
         '${APP}', now() - make_interval(secs => 3e7 - i), CASE WHEN is_full THEN now() - make_interval(secs => 3e7 - i) END,
         CASE WHEN is_full THEN 'p.' || substr(md5('e' || i), 1, 12) || '+q@' || ${one(MAIL, 3, 7)} END, is_full
    FROM (SELECT i, i % 5 < ${full} AS is_full FROM generate_series($1::bigint, $2::bigint) AS i) AS new`;

/** Returns how many seconds the index of names and addresses took to make. */
async function fill(client: pg.Client, players: number): Promise<number> {
  const run = (text: string, values: readonly unknown[] = []) => client.query(text, [...values]);
  await run('SET session_replication_role = replica; SET synchronous_commit = off');
  await run('INSERT INTO apps (id, name) VALUES ($1, $2)', [APP, 'Bench']);
  // Written with each row, the index would take most of the load's time. Its own figure is below.
  const { rows } = await run(`SELECT indexdef FROM pg_indexes WHERE indexname = '${BY_PART}'`);
  await run(`DROP INDEX ${BY_PART}`);
  await run(users('2'), [1, players]);
  await run(users('0'), [players + 1, players + WAVE]);
  const began = performance.now();
  await run(rows[0].indexdef);
  const indexed = (performance.now() - began) / 1000;
  await run(
    `INSERT INTO accounts (address, kind, user_id, sealed_key, posted)
     SELECT '0x' || md5(i::text) || lpad(to_hex(i % 16777216), 8, '0'), 'user', ${USER}, decode(repeat('00', 60), 'hex'),
            abs(hashint8extended(i, 4) % 1000000) FROM generate_series(1, $1::bigint) AS i`,
    [players],
  );
  await run(
    `INSERT INTO seen_players SELECT ${USER}, current_date - (i % 30)::int FROM generate_series(1, $1::bigint) AS i`,
    [players],
  );
  const address = `'0x' || repeat('1', 40)`;
  const [request, transfer] = ['1', '2'].map((kind) => `('${kind}' || substr(md5(i::text), 2))::uuid`);
  const payments = `FROM (SELECT i, now() - make_interval(secs => 3e7 - i) AS at FROM generate_series(1, $1::bigint) AS i) AS payments`;
  const count = Math.round(players * PAYMENTS_EACH);
  await run(
    `INSERT INTO requests (id, app_id, user_id, source, from_address, to_address, amount, description, created_at, expires_at, status,
                           transitions, transition_times)
     SELECT ${request}, '${APP}', ${USER}, 'user', ${address}, ${address}, 1 + i % 1000, 'A golden shield', at, at, 'completed', '{}', '{}'
       ${payments}`,
    [count],
  );
  await run(
    `INSERT INTO transfers (id, request_id, from_address, to_address, amount, tx_hash, relayer, relayer_nonce, created_at, is_split, status,
                            decided_block)
     SELECT ${transfer}, ${request}, ${address}, ${address}, 1 + i % 1000, sha256(i::text::bytea), ${address}, i, at, false, 'completed', i
       ${payments}`,
    [count],
  );
  await run('SET session_replication_role = origin');
  await run('VACUUM (ANALYZE)');
  await run('CHECKPOINT');
  return indexed;
}

async function median(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[ROUNDS >> 1]!;
}

async function measureLooks(db: Database, players: number): Promise<Figure[]> {
  const byKey = await median(() => findUser(db, userIdOf(players >> 1) as never));
  const [found] = await db.query<{ name: string; email: string; guest: string }>(
    `SELECT min(display_name) FILTER (WHERE kind = 'full') AS name, min(email) AS email,
            min(display_name) FILTER (WHERE kind = 'guest') AS guest FROM users WHERE id = ANY($1)`,
    [[1_000, 1_004].map(userIdOf)],
  );
  const { name, email, guest } = found!;
  const search = {
    appId: null,
    userId: null,
    statuses: null,
    createdFrom: null,
    createdBefore: null,
    after: null,
    limit: 50,
  };
  const looks: Readonly<Record<string, [work: () => Promise<unknown>, target: number]>> = {
    'a player by the middle of the name': [() => findUsersByPart(db, name.slice(2), 21), 100],
    'a player by a part of the e-mail address': [() => findUsersByPart(db, email.slice(2, 10), 21), 100],
    'the newest of the players with "gmail.com"': [() => findUsersByPart(db, 'gmail.com', 21), 100],
    'the newest of the players with "com"': [() => findUsersByPart(db, 'com', 21), 100],
    'the newest of the players with 田中': [() => findUsersByPart(db, '田中', 21), 100],
    'a part that nobody has': [() => findUsersByPart(db, 'qzqzqz', 21), 100],
    'a guest by the name': [() => findGuestsByName(db, guest, 21), 20],
    'the newest players': [() => readUserPage(db, null, 51), 20],
    'the last seen players': [() => readSeenPage(db, null, 51), 20],
    'the 1,000 largest': [() => readLargestHolders(db, 1_000), 1_000],
    'an amount that 100,000 payments do not have': [
      () => searchTransfers({ db } as never, { ...search, amount: asQuarters(5_000), text: null }),
      500,
    ],
  };
  const figures: Figure[] = [];
  for (const [what, [work, target]] of Object.entries(looks)) {
    const limit = { name: 'a player by their id', value: byKey };
    figures.push({ name: what, value: await median(work), unit: 'ms', target: `≤ ${target}`, limit });
  }
  return figures;
}

/** What a new row costs in a statement of many, with the indexes for finding players and without them. */
async function measureWrites(client: pg.Client, players: number): Promise<Figure[]> {
  let next = players + WAVE;
  const perRow = async (full: string) => {
    const times: number[] = [];
    for (let round = 0; round < 7; round++) {
      const began = performance.now();
      await client.query(users(full), [next + 1, next + NEW]);
      times.push((performance.now() - began) / NEW);
      next += NEW;
    }
    return times.sort((a, b) => a - b)[3]! * 1_000;
  };
  const [guest, full] = [await perRow('0'), await perRow('5')];
  await client.query('DROP INDEX full_users_by_part, guests_by_name, users_by_age');
  await client.query(
    'CREATE INDEX full_users_by_name ON users (lower(display_name) COLLATE "C", id) WHERE kind = \'full\'',
  );
  const [guestBefore, fullBefore] = [await perRow('0'), await perRow('5')];
  const name = 'with the indexes of before';
  return [
    { name: 'the row of a new guest', value: guest, unit: 'µs', limit: { name, value: guestBefore } },
    { name: 'the row of a new full user', value: full, unit: 'µs', limit: { name, value: fullBefore } },
  ];
}

async function sizesOf(client: pg.Client): Promise<Figure[]> {
  const { rows } = await client.query<{ name: string; size: string }>(
    `SELECT relname AS name, pg_relation_size(oid) AS size FROM pg_class
      WHERE relname IN ('users', 'full_users_by_part', 'guests_by_name', 'users_by_age', 'seen_players', 'seen_players_by_day')
      ORDER BY relname = 'users' DESC, relname`,
  );
  return rows.map(({ name, size }) => ({ name: `size of ${name}`, value: Number(size) / 1e6, unit: 'MB' }));
}

async function measurePlayers({ quick }: Effort): Promise<Figure[]> {
  const players = Number(process.env.PLAYERS ?? (quick ? 50_000 : 1_000_000));
  const dataDir = mkdtempSync(join(tmpdir(), 'quarters-bench-players-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  try {
    await migrate(postgres.url);
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const indexed = await fill(client, players);
    const db = openDatabase(postgres.url);
    const looks = await measureLooks(db, players);
    await db.close();
    const sizes = await sizesOf(client);
    const writes = await measureWrites(client, players);
    await client.end();
    const made: Figure = { name: 'making the index of names and addresses took', value: indexed, unit: 's' };
    return [...looks, ...writes, made, ...sizes];
  } finally {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

export const findingPlayers: Claim = {
  name: 'players',
  title: 'Finding one of a million players',
  method: `The database has guests, two in five of them full users by now, with names in several scripts, and a fifth as many payments. The newest ${WAVE.toLocaleString('en')} \
are all guests. The program's own functions search it, each ${ROUNDS} times; the median counts. New rows come in statements of ${NEW.toLocaleString('en')}.`,
  measure: measurePlayers,
};

if (import.meta.main) await runAlone(findingPlayers);
