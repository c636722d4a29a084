import pg from 'pg';
import { endClient } from './client.ts';

/**
 * What is between us and PostgreSQL. `session`: a connection pooler that gives each of our connections one of its own. `transaction`: one
 * that gives each transaction whichever is free, so prepared statements, `LISTEN` and session settings get lost.
 */
export type Pooler = 'none' | 'session' | 'transaction';

const ANSWERS_WITHIN_MS = 5_000;
const ROUNDS = 3;

/** Whether a connection leads to PostgreSQL itself: its own process is the one that it named when it was made. */
export async function isDirect(client: pg.Client): Promise<boolean> {
  // The driver's types leave out the process of the key data, by which statements are cancelled.
  return (client as unknown as { processID: number | null }).processID === (await backendOf(client));
}

/**
 * Finds out which pooler is in front of the database at `url`, with two connections. A pooler names a process that does not exist; and if two
 * of its connections meet in one process of PostgreSQL, or one changes its process, it pools transactions. Throws if the database cannot be
 * reached.
 */
export async function poolerOf(url: string): Promise<Pooler> {
  const first = open(url);
  const opened = [first];
  try {
    await first.connect();
    if (await isDirect(first)) return 'none';
    const second = open(url);
    opened.push(second);
    await second.connect();
    const own = await backendOf(first);
    for (let round = 0; round < ROUNDS; round++) {
      // A pooler of sessions that has no further connection makes this one wait.
      const other = await backendOf(second).catch(() => null);
      if (other === own) return 'transaction';
      // Twice: a pooler that takes its processes in turns (`server_round_robin`) gives every second statement the same one.
      for (const again of [await backendOf(first), await backendOf(first)]) if (again !== own) return 'transaction';
    }
    return 'session';
  } finally {
    await Promise.all(opened.map(endClient));
  }
}

function open(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ANSWERS_WITHIN_MS,
    query_timeout: ANSWERS_WITHIN_MS,
    application_name: 'quarters probe',
  });
  // The current query rejects with the same error. Without a listener, the event would end the process.
  client.on('error', () => {});
  return client;
}

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]!.pid;
}
