import { isUnavailable, lacksResources } from './failures.ts';

/** An error, and not an answer, so that the pool gives this connection up: another one may lead to a server that takes writes. */
const REFUSE_READ_ONLY = `
  DO $$ BEGIN
    IF current_setting('transaction_read_only')::boolean THEN RAISE read_only_sql_transaction; END IF;
  END $$`;
/** Takes new space and gives it back. A full disk still lets rows be changed in their place, so nothing smaller tells. */
const TAKE_SPACE = `
  BEGIN;
  CREATE TABLE quarters_write_probe AS
    SELECT string_agg(uuid_send(gen_random_uuid()), '') AS bytes FROM generate_series(1, 4096);
  ROLLBACK`;
const TRY_AGAIN_AFTER_MS = 1_000;

/**
 * Knows whether the database takes writes. That one failed for want of space or the like is remembered, and from then on one is tried whenever
 * somebody asks, once a second at the most, until one succeeds.
 *
 * `query` runs statements on a connection of its own. `onFault` is told of an error that is remembered.
 */
export function watchWrites(
  query: (text: string) => Promise<unknown>,
  onFault: (error: Error) => void,
): { noticed(error: unknown): void; assertWritable(): Promise<void> } {
  let faulty = false;
  let trying: Promise<void> | null = null;
  const forget = () => {
    trying = null;
  };

  function noticed(error: unknown): void {
    if (faulty || !lacksResources(error)) return;
    faulty = true;
    onFault(error as Error);
  }

  async function tryToWrite(): Promise<void> {
    try {
      await query(TAKE_SPACE);
    } catch (error) {
      // Whatever else hinders this statement (a right that was not given) says nothing of others.
      if (isUnavailable(error)) throw error;
    }
    faulty = false;
  }

  return {
    noticed,
    async assertWritable() {
      await query(REFUSE_READ_ONLY).catch((error: unknown) => {
        noticed(error);
        throw error;
      });
      if (!faulty) return;
      trying ??= tryToWrite().then(forget, (error: unknown) => {
        setTimeout(forget, TRY_AGAIN_AFTER_MS).unref();
        throw error;
      });
      await trying;
    },
  };
}
