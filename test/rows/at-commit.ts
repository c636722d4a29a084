import { insertRows, type Queries } from './statements.ts';

/**
 * The fate of a transaction at its COMMIT: an SQLSTATE with which the server refuses it, the end of the session, or two refusals as a
 * deadlock's victim before it is let through.
 */
export type Fate = string | 'the session ends' | 'lost twice';

/** Makes the table that {@link decideFate} writes to. */
export async function makeFates({ query }: Queries): Promise<void> {
  await query('CREATE TABLE fates (fate text)');
  // A sequence keeps what a rolled back transaction has counted.
  await query('CREATE SEQUENCE losses');
  await query(
    `CREATE FUNCTION at_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF NEW.fate = 'the session ends' THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
       IF NEW.fate = 'lost twice' THEN
         IF nextval('losses') > 2 THEN RETURN NULL; END IF;
         NEW.fate := '40P01';
       END IF;
       RAISE EXCEPTION USING ERRCODE = NEW.fate, MESSAGE = 'on purpose';
     END $$`,
  );
  await query(
    `CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON fates DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION at_commit()`,
  );
}

export function decideFate(tx: Queries, fate: Fate): Promise<void> {
  return insertRows(tx, 'fates', [{ fate }]);
}
