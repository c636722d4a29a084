import type { Queries } from '../../src/db/database.ts';
import type { TimeState } from './moved-time.ts';

/** Stands before `pg_catalog` in the search path of the emulator's database, so that its functions are found first. */
const SCHEMA = 'emulator';

const INSTALL = [
  `CREATE SCHEMA ${SCHEMA}`,
  `CREATE TABLE ${SCHEMA}.clock (moved_by interval NOT NULL, frozen_at timestamptz)`,
  `INSERT INTO ${SCHEMA}.clock VALUES ('0', NULL)`,
  ...Object.entries({
    now: 'STABLE',
    transaction_timestamp: 'STABLE',
    statement_timestamp: 'STABLE',
    clock_timestamp: 'VOLATILE',
  }).map(
    ([name, kind]) => `CREATE FUNCTION ${SCHEMA}.${name}() RETURNS timestamptz LANGUAGE sql ${kind} AS
      $$ SELECT coalesce(frozen_at, pg_catalog.${name}() + moved_by) FROM ${SCHEMA}.clock $$`,
  ),
];

/**
 * Gives the database the emulator's clock: what asks for the time from now on, in statements and in defaults of columns, gets it. The tables
 * must be there. Connections that are opened afterwards have it.
 */
export async function installTime({ query }: Queries): Promise<void> {
  const defaults = await query<{ change: string }>(
    `SELECT format('ALTER TABLE %s ALTER %I SET DEFAULT %s', adrelid::regclass, attname, pg_get_expr(adbin, adrelid)) AS change
       FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum JOIN pg_class ON pg_class.oid = adrelid
      WHERE relnamespace = 'public'::regnamespace AND attgenerated = '' AND pg_get_expr(adbin, adrelid) ~ '(now|_timestamp)\\(\\)'`,
  );
  for (const statement of INSTALL) await query(statement);
  // A default is bound to a function when it is set.
  const changes = defaults.map(({ change }) => `${change};`).join(' ');
  await query(`DO $do$ BEGIN SET LOCAL search_path = ${SCHEMA}, pg_catalog, public; ${changes} END $do$`);
  await query(
    `DO $do$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = ${SCHEMA}, pg_catalog, public', current_database()); END $do$`,
  );
}

/**
 * `forwardMs`: how far that is from what it was. What a process holds for some seconds at a time moves along, since for the process no time has
 * passed.
 */
export async function setDatabaseTime(
  { query }: Queries,
  { movedBy, frozenAt }: TimeState,
  forwardMs = 0,
): Promise<void> {
  await query(
    `WITH leases AS (UPDATE relayers SET lease_expires_at = lease_expires_at + make_interval(secs => $3)),
          lives AS (UPDATE processes SET seen_at = seen_at + make_interval(secs => $3))
     UPDATE ${SCHEMA}.clock SET moved_by = make_interval(secs => $1), frozen_at = $2`,
    [movedBy / 1000, frozenAt === null ? null : new Date(frozenAt), forwardMs / 1000],
  );
}

/** Stops the database's clock. Returns the millisecond at which it stands. */
export async function stopDatabaseTime({ query }: Queries): Promise<number> {
  const [row] = await query<{ at: Date }>(
    `UPDATE ${SCHEMA}.clock
        SET frozen_at = coalesce(frozen_at, date_trunc('milliseconds', pg_catalog.clock_timestamp() + moved_by) + interval '1 millisecond')
      RETURNING frozen_at AS at`,
  );
  return row!.at.getTime();
}
