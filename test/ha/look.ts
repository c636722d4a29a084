import pg from 'pg';
import { endClient } from '../../src/db/client.ts';

/** Whether a COMMIT at this server waits until a standby has confirmed it. False if the server does not answer. */
export function hasWaitingCommit(url: string): Promise<boolean> {
  return holds(url, `SELECT count(*) > 0 AS holds FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
}

/** Whether this server takes writes. False if it does not answer. */
export function isPrimary(url: string): Promise<boolean> {
  return holds(url, 'SELECT NOT pg_is_in_recovery() AS holds');
}

/** Whether so many standbys receive what this primary writes. Asks as a superuser. False if the server does not answer. */
export function hasStandbys(url: string, count: number): Promise<boolean> {
  return holds(url, `SELECT count(*) >= ${count} AS holds FROM pg_stat_replication WHERE state = 'streaming'`);
}

async function holds(url: string, text: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ holds: boolean }>(text);
    return rows[0]!.holds;
  } catch {
    return false;
  } finally {
    await endClient(client);
  }
}
