import type { Queries } from '../../src/db/database.ts';

// The rows of all tables, kept and brought back inside the database. The service's own connections stay open.

const TABLES = `SELECT pg_class.oid, relname, string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
   WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
   GROUP BY pg_class.oid, relname`;

/** The name of the first state that every emulator keeps. */
export const AT_THE_START = 'start';

/**
 * Functions of the emulator's database. `installTime` has made their schema. The tables of the first state are made now, because making them takes
 * much longer than filling them.
 */
export async function installKeeping({ query }: Queries): Promise<void> {
  await query(`CREATE FUNCTION emulator.keep(kept text) RETURNS void LANGUAGE plpgsql AS $function$
    DECLARE here record;
    BEGIN
      IF to_regnamespace(quote_ident(kept)) IS NULL THEN
        EXECUTE format('CREATE SCHEMA %I', kept);
        EXECUTE format('CREATE TABLE %I.sequences AS SELECT schemaname, sequencename, last_value FROM pg_sequences WITH NO DATA', kept);
        FOR here IN ${TABLES} LOOP
          EXECUTE format('CREATE TABLE %I.%I AS SELECT %s FROM public.%I WITH NO DATA', kept, 'of ' || here.relname, here.columns, here.relname);
        END LOOP;
      END IF;
      EXECUTE format('DELETE FROM %I.sequences', kept);
      EXECUTE format('INSERT INTO %I.sequences SELECT schemaname, sequencename, last_value FROM pg_sequences', kept);
      FOR here IN ${TABLES} LOOP
        EXECUTE format('DELETE FROM %I.%I', kept, 'of ' || here.relname);
        EXECUTE format('INSERT INTO %I.%I SELECT %s FROM public.%I', kept, 'of ' || here.relname, here.columns, here.relname);
      END LOOP;
    END $function$`);
  // Triggers and foreign keys rest meanwhile: all rows come back as they were.
  await query(`CREATE FUNCTION emulator.bring_back(kept text) RETURNS void LANGUAGE plpgsql AS $function$
    DECLARE here record; has_rows boolean;
    BEGIN
      SET LOCAL session_replication_role = replica;
      FOR here IN ${TABLES} LOOP
        EXECUTE format('DELETE FROM public.%I', here.relname);
        EXECUTE format('SELECT EXISTS (SELECT FROM %I.%I)', kept, 'of ' || here.relname) INTO has_rows;
        CONTINUE WHEN NOT has_rows;
        EXECUTE format('INSERT INTO public.%I (%s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM %I.%I',
          here.relname, here.columns, kept, 'of ' || here.relname);
      END LOOP;
      FOR here IN EXECUTE format('SELECT * FROM %I.sequences', kept) LOOP
        PERFORM setval(format('%I.%I', here.schemaname, here.sequencename), coalesce(here.last_value, 1), here.last_value IS NOT NULL);
      END LOOP;
    END $function$`);
  await keepRows({ query }, AT_THE_START);
}

const schemaOf = (name: string) => `kept ${name}`;

export async function keepRows({ query }: Queries, name: string): Promise<void> {
  await query('SELECT emulator.keep($1)', [schemaOf(name)]);
}

/** The caller lets nothing else work on the database meanwhile. */
export async function bringBackRows({ query }: Queries, name: string): Promise<void> {
  await query('SELECT emulator.bring_back($1)', [schemaOf(name)]);
}

export async function dropKeptRows({ query }: Queries, name: string): Promise<void> {
  await query(
    `DO $do$ BEGIN EXECUTE format('DROP SCHEMA IF EXISTS %I CASCADE', '${schemaOf(name).replaceAll("'", "''")}'); END $do$`,
  );
}
