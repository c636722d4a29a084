import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { readStats } from './processor-time.ts';

/** Pages of the database, counted since the server's start. `logged`: written whole to the log, on their first change after a checkpoint. */
export type Pages = {
  readonly touched: number;
  readonly read: number;
  readonly logged: number;
  readonly vacuumed: number;
};

export async function readPages(database: pg.Client): Promise<Pages> {
  // What a backend has counted is seen a second later.
  await delay(1_500);
  const { rows } = await database.query<Pages>(
    `SELECT (sum(hits) FILTER (WHERE NOT is_vacuum))::float AS touched, (sum(reads) FILTER (WHERE NOT is_vacuum))::float AS read,
            (SELECT wal_fpi::float FROM pg_stat_wal) AS logged, coalesce(sum(hits) FILTER (WHERE is_vacuum), 0)::float AS vacuumed
       FROM (SELECT hits, reads, backend_type LIKE 'autovacuum%' AS is_vacuum FROM pg_stat_io
              WHERE object = 'relation' AND backend_type IN ('client backend', 'autovacuum worker')) AS counted`,
  );
  return rows[0]!;
}

/** The processor time of one lookup by address, in microseconds, with that of computing the address left out. */
export async function measureLookup(database: pg.Client, times: number): Promise<number> {
  const address = `'0x' || encode(substr(sha256(('a' || (i * 7919 % (SELECT count(*) FROM users)))::bytea), 1, 20), 'hex')`;
  const { rows } = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const spent = async (text: string) => {
    const before = processorMilliseconds(rows[0]!.pid);
    await database.query(text);
    return processorMilliseconds(rows[0]!.pid) - before;
  };
  const numbers = `generate_series(1::bigint, ${times}) AS i`;
  const computed = await spent(`SELECT sum(length(${address})) FROM ${numbers}`);
  // Each row by the index: a join would read the table once.
  await database.query('SET enable_hashjoin = off; SET enable_mergejoin = off');
  const found = await spent(
    `SELECT sum(posted) FROM (SELECT ${address} AS given FROM ${numbers} OFFSET 0) AS numbered
       JOIN LATERAL (SELECT posted FROM accounts WHERE address = given) AS account ON true`,
  );
  await database.query('RESET enable_hashjoin; RESET enable_mergejoin');
  return ((found - computed) / times) * 1000;
}

const processorMilliseconds = (pid: number) => readStats().find((stat) => stat.pid === pid)!.milliseconds;
