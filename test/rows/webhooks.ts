import type { Database } from '../../src/db/database.ts';
import { changing, type Queries } from './statements.ts';

type EndpointColumns = { readonly id: string; readonly previousUntil: Date; readonly failingSince: Date };

export const changeEndpoints = changing<EndpointColumns>('webhook_endpoints');

type DeliveryColumns = {
  readonly eventId: string;
  readonly endpointId: string;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly lastAnswer: string | null;
  readonly lastMs: number | null;
  readonly lastFailedAt: Date | null;
  readonly createdAt: Date;
};

export const changeDeliveries = changing<DeliveryColumns>('deliveries');

/**
 * Makes deliveries that wait for their next attempt due, at one endpoint or everywhere, and wakes a sender in this
 * process.
 */
export async function letRetryTimePass(db: Database, endpointId?: string): Promise<void> {
  await db.query(
    `UPDATE deliveries SET next_attempt_at = now()
      WHERE next_attempt_at IS NOT NULL AND ($1::uuid IS NULL OR endpoint_id = $1)`,
    [endpointId],
  );
  db.announce('deliveries');
}

/** As after the time for which they are kept. */
export async function forgetEvents({ query }: Queries): Promise<void> {
  await query('DELETE FROM events');
}

/** Makes the events look as if their server had counted that many more transactions. */
export async function advanceEvents({ query }: Queries, by: number): Promise<void> {
  await query('UPDATE events SET position = position + $1', [by]);
}

/**
 * From now on failed deliveries are tried again only when the test lets them. Returns a function for the pauses they
 * should have had.
 */
export async function holdRetries({ query }: Queries): Promise<(endpointId: string) => Promise<number[]>> {
  await query('CREATE TABLE test_pauses (id int GENERATED ALWAYS AS IDENTITY, endpoint_id uuid, seconds float8)');
  await query(`CREATE FUNCTION hold_retry() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO test_pauses (endpoint_id, seconds)
        VALUES (NEW.endpoint_id, extract(epoch FROM NEW.next_attempt_at - now()));
      NEW.next_attempt_at := 'infinity';
      RETURN NEW;
    END $$`);
  // Only recording a failure keeps the number of attempts and delays the delivery.
  await query(`CREATE TRIGGER hold_retry BEFORE UPDATE ON deliveries FOR EACH ROW
    WHEN (NEW.attempts = OLD.attempts AND NEW.last_error IS NOT NULL AND NEW.next_attempt_at > now())
    EXECUTE FUNCTION hold_retry()`);
  return async (endpointId) => {
    const rows = await query<{ seconds: number }>(
      'SELECT seconds FROM test_pauses WHERE endpoint_id = $1 ORDER BY id',
      [endpointId],
    );
    return rows.map(({ seconds }) => seconds);
  };
}

/**
 * From now on no delivery can be recorded as delivered, as if each process died before. `count`: how many could not. A sequence counts them,
 * because it is no part of the transaction that fails.
 */
export async function loseOutcomes({ query }: Queries): Promise<{ count(): Promise<number>; find(): Promise<void> }> {
  await query('CREATE SEQUENCE lost_outcomes MINVALUE 0');
  await query(`SELECT nextval('lost_outcomes')`);
  await query(`CREATE FUNCTION lose_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM nextval('lost_outcomes') FROM changed WHERE delivered_at IS NOT NULL;
      IF FOUND THEN RAISE EXCEPTION 'the outcomes are lost'; END IF;
      RETURN NULL;
    END $$`);
  await query(`CREATE TRIGGER lose_outcomes AFTER UPDATE ON deliveries REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION lose_outcomes()`);
  return {
    async count() {
      const [row] = await query<{ count: number }>('SELECT last_value::int AS count FROM lost_outcomes');
      return row!.count;
    },
    async find() {
      await query('DROP TRIGGER lose_outcomes ON deliveries');
    },
  };
}
