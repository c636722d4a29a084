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

export async function setDatabaseTime({ query }: Queries, { movedBy, frozenAt }: TimeState): Promise<void> {
  await query(`UPDATE ${SCHEMA}.clock SET moved_by = make_interval(secs => $1), frozen_at = $2`, [
    movedBy / 1000,
    frozenAt === null ? null : new Date(frozenAt),
  ]);
}
