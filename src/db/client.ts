import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const LEAST_VERSION = 150_000;
const ANSWERS_WITHIN_MS = 5_000;

/** Says in one sentence why the database at `url` cannot be used, without its password; null if it can be used. */
export async function databaseFault(url: string): Promise<string | null> {
  const { host, pathname } = new URL(url);
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ANSWERS_WITHIN_MS,
    query_timeout: ANSWERS_WITHIN_MS,
  });
  // The current query rejects with the same error. Without a listener, the event would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ version: number }>(
      `SELECT current_setting('server_version_num')::int AS version`,
    );
    const version = rows[0]?.version ?? 0;
    if (version < LEAST_VERSION)
      return `PostgreSQL at ${host} is version ${Math.floor(version / 10_000)}; 15 or newer is needed`;
    return null;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return `the database ${pathname.slice(1) || '(default)'} at ${host} cannot be reached: ${message || code}`;
  } finally {
    await endClient(client);
  }
}

const ENDS_WITHIN_MS = 1_000;

/** Ends a connection in order. If the other end no longer answers, the socket is destroyed: it would never end. */
export async function endClient(client: pg.Client): Promise<void> {
  const ended = client.end().then(
    () => true,
    () => true,
  );
  if (await Promise.race([ended, delay(ENDS_WITHIN_MS, false, { ref: false })])) return;
  // The driver's types leave out its socket.
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
