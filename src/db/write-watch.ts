import { isUnavailable, lacksResources } from './failures.ts';

/** Raises an error instead of returning a row, so that the pool drops this connection. Another may reach a writable server. */
const REFUSE_READ_ONLY = `
  DO $$ BEGIN
    IF current_setting('transaction_read_only')::boolean THEN RAISE read_only_sql_transaction; END IF;
  END $$`;
/** Allocates space and releases it. A full disk still allows updates in place, so a smaller write proves nothing. */
const TAKE_SPACE = `
  BEGIN;
  CREATE TABLE quarters_write_probe AS
    SELECT string_agg(uuid_send(gen_random_uuid()), '') AS bytes FROM generate_series(1, 4096);
  ROLLBACK`;
const TRY_AGAIN_AFTER_MS = 1_000;

/**
 * Watches whether the database accepts writes. After a write has failed for lack of resources, each check tries a write, at
 * most once a second, until one succeeds.
 *
 * `query` runs statements on a connection of their own. `onFault` receives the error that began the failure.
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
      // Any other failure of this statement, such as a missing privilege, proves nothing about other writes.
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
