import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from './database.ts';

/** How the server, the role and the database are set, as far as the service depends on it. */
export type DatabaseTraits = {
  /** Such as `18.1`. */
  readonly version: string;
  readonly role: string;
  readonly isSuperuser: boolean;
  /** Whether the role may create tables where ours are. */
  readonly mayCreate: boolean;
  readonly encoding: string;
  readonly isStandby: boolean;
  /** Also true of a standby. */
  readonly isReadOnly: boolean;
  readonly isolation: string;
  /** `origin`, unless triggers and foreign keys are off. */
  readonly replicationRole: string;
  /** Settings such as `statement_timeout=5s` that every new connection of this role or database begins with. */
  readonly defaults: readonly string[];
  /** The most connections that this role may have to this database: the least of three limits. */
  readonly mostConnections: number;
  /** How pages are compressed that are logged whole: `off`, `pglz`, `lz4` or `zstd`. */
  readonly walCompression: string;
  /** `shared_buffers`, in bytes. */
  readonly buffers: number;
};

export async function readDatabaseTraits({ query }: Pick<Database, 'query'>): Promise<DatabaseTraits> {
  const [row] = await query<DatabaseTraits>(
    `SELECT current_setting('server_version') AS version, rolname AS role, rolsuper AS "isSuperuser",
            coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate",
            pg_encoding_to_char(encoding) AS encoding, pg_is_in_recovery() AS "isStandby",
            current_setting('transaction_read_only')::boolean AS "isReadOnly",
            current_setting('default_transaction_isolation') AS isolation,
            current_setting('session_replication_role') AS "replicationRole",
            coalesce((SELECT array_agg(each) FROM pg_db_role_setting, unnest(setconfig) AS each
                       WHERE setdatabase IN (0, pg_database.oid) AND setrole IN (0, pg_roles.oid)), '{}') AS defaults,
            least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
                  nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) AS "mostConnections",
            current_setting('wal_compression') AS "walCompression", pg_size_bytes(current_setting('shared_buffers'))::float AS buffers
       FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`,
  );
  return row!;
}

/** The bytes that these relations take with their indexes, as far as they exist. */
export async function readSizeOf({ query }: Pick<Database, 'query'>, relations: readonly string[]): Promise<number> {
  const [row] = await query<{ bytes: number }>(
    'SELECT coalesce(sum(pg_total_relation_size(to_regclass(name))), 0)::float AS bytes FROM unnest($1::text[]) AS name',
    [relations],
  );
  return row!.bytes;
}

const MOST_TIMES = 30;
const BETWEEN_MS = 20;

/**
 * The milliseconds of a statement that does nothing, there and back: the least of up to 30, since a busy machine adds to the others. It
 * stops once one takes less than `enoughMs`.
 */
export async function measureRoundTrip({ query }: Pick<Database, 'query'>, enoughMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  // The first one may open a connection.
  await query('SELECT 1');
  for (let i = 0; i < MOST_TIMES && least >= enoughMs; i++) {
    const since = performance.now();
    await query('SELECT 1');
    least = Math.min(least, performance.now() - since);
    await delay(BETWEEN_MS);
  }
  return least;
}

/** By how many milliseconds the database's clock is ahead of ours, with the error of half a round trip. */
export async function readClockAhead({ query }: Pick<Database, 'query'>): Promise<number> {
  // Opens the connection, so that the next statement takes one round trip.
  await query('SELECT 1');
  const asked = Date.now();
  const [row] = await query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return row!.now.getTime() - (asked + Date.now()) / 2;
}

class Undone extends Error {}

/** Writes 64 kB in a transaction that is rolled back. Rejects if the database does not take the write. */
export async function tryToWrite({ transaction }: Pick<Database, 'transaction'>): Promise<void> {
  await transaction(async ({ query }) => {
    await query(
      `CREATE TABLE quarters_doctor_probe AS
         SELECT string_agg(uuid_send(gen_random_uuid()), '') AS bytes FROM generate_series(1, 4096)`,
    );
    throw new Undone();
  }).catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error;
  });
}
