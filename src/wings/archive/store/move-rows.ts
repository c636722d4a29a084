import type { Address } from '../../../base/address.ts';
import { lowestIdAt } from '../../../base/ids.ts';
import type { Queries, Tx } from '../../../db/database.ts';
import { tableOf } from './month-tables.ts';

// One statement takes rows out of a live table and puts them into the month's. So whoever looks sees each row once. It skips rows that
// somebody has locked: a later run takes them.

/** What is moved: rows of the month, and of earlier ones that have stayed until now. */
export type Bounds = {
  readonly month: string;
  /** Rows that were made at this time or later are of later months. */
  readonly until: Date;
  /** The last block whose postings, and what it decided, are moved. */
  readonly lastBlock: bigint;
};

/** What one step has read and moved. `next`: where the next one begins; null if it was the last. */
export type MovedRows<Place> = { readonly read: number; readonly moved: number; readonly next: Place | null };

/** Ids below this have no time: their keys never end, so their rows stay. */
export const FIRST_TIMED_ID = lowestIdAt(new Date(1));

// Claims of rewards refer to their transfers. What a restore has found and nobody has named yet gets its request later.
const IS_HELD_BACK = (transfer: string) => `(
  EXISTS (SELECT FROM reward_claims WHERE reward_claims.transfer_id = ${transfer}.id)
  OR EXISTS (SELECT FROM recovered_payments WHERE recovered_payments.transfer_id = ${transfer}.id AND one_party IS NOT NULL))`;

/**
 * Moves requests with their transfers, by their ids. `refunds`: those that refund a payment, after their payments: what a payment has been
 * refunded has to be known as long as it can be refunded.
 */
export async function moveRequests(
  { query }: Tx,
  { month, until, lastBlock }: Bounds,
  { after, most, refunds }: { readonly after: string; readonly most: number; readonly refunds: boolean },
): Promise<MovedRows<string>> {
  const [row] = await query<{ read: number; moved: number; next: string | null }>(
    `WITH page AS MATERIALIZED (SELECT id FROM ONLY requests WHERE id > $1::uuid AND id < $2::uuid ORDER BY id LIMIT $3),
     fit AS MATERIALIZED (
       SELECT asked.id FROM ONLY requests AS asked
        WHERE id = ANY(ARRAY(SELECT id FROM page)) AND created_at < $4 AND (refund_of IS NOT NULL) = $6::boolean
          AND status IN ('completed', 'failed', 'declined', 'expired', 'cancelled')
          AND NOT EXISTS (SELECT FROM pending_requests WHERE request_id = asked.id)
          AND NOT EXISTS (SELECT FROM earned_rewards WHERE source IN ('welcome', 'share') AND request_id = asked.id)
          AND NOT EXISTS (SELECT FROM ONLY requests AS paid WHERE paid.id = asked.refund_of)
          AND NOT EXISTS (SELECT FROM ONLY transfers AS part WHERE part.request_id = asked.id
                             AND (decided_block IS NULL OR decided_block > $5 OR ${IS_HELD_BACK('part')}))
        ORDER BY id FOR UPDATE SKIP LOCKED),
     parts AS MATERIALIZED (
       SELECT id FROM ONLY transfers WHERE request_id = ANY(ARRAY(SELECT id FROM fit)) ORDER BY id FOR UPDATE),
     taken AS (DELETE FROM ONLY requests WHERE id = ANY(ARRAY(SELECT id FROM fit)) RETURNING *),
     kept AS (INSERT INTO ${tableOf('requests', month)} SELECT * FROM taken RETURNING 1),
     taken_parts AS (DELETE FROM ONLY transfers WHERE id = ANY(ARRAY(SELECT id FROM parts)) RETURNING *),
     kept_parts AS (INSERT INTO ${tableOf('transfers', month)} SELECT * FROM taken_parts RETURNING 1)
     SELECT (SELECT count(*)::int FROM page) AS read, (SELECT count(*)::int FROM kept) + (SELECT count(*)::int FROM kept_parts) AS moved,
            (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS next`,
    [after, lowestIdAt(until), most, until, lastBlock, refunds],
  );
  return row!;
}

/** Where a step that goes by time begins. The time is PostgreSQL's text, which has its microseconds. */
export type TimePlace = { readonly at: string; readonly id: string };

/** Moves transfers without a request, by their time. */
export async function moveLoneTransfers(
  { query }: Tx,
  { month, until, lastBlock }: Bounds,
  { after, most }: { readonly after: TimePlace; readonly most: number },
): Promise<MovedRows<TimePlace>> {
  const [row] = await query<{ read: number; moved: number; at: string | null; id: string | null }>(
    `WITH page AS MATERIALIZED (
       SELECT created_at, id FROM ONLY transfers WHERE (created_at, id) > ($1::timestamptz, $2::uuid) AND created_at < $3
        ORDER BY created_at, id LIMIT $4),
     fit AS MATERIALIZED (
       SELECT lone.id FROM ONLY transfers AS lone
        WHERE id = ANY(ARRAY(SELECT id FROM page)) AND request_id IS NULL AND id >= $6::uuid AND decided_block <= $5
          AND NOT ${IS_HELD_BACK('lone')} ORDER BY id FOR UPDATE SKIP LOCKED),
     taken AS (DELETE FROM ONLY transfers WHERE id = ANY(ARRAY(SELECT id FROM fit)) RETURNING *),
     kept AS (INSERT INTO ${tableOf('transfers', month)} SELECT * FROM taken RETURNING 1),
     edge AS (SELECT created_at::text AS at, id FROM page ORDER BY created_at DESC, id DESC LIMIT 1)
     SELECT (SELECT count(*)::int FROM page) AS read, (SELECT count(*)::int FROM kept) AS moved,
            (SELECT at FROM edge) AS at, (SELECT id FROM edge) AS id`,
    [after.at, after.id, until, most, lastBlock, FIRST_TIMED_ID],
  );
  const { read, moved, at, id } = row!;
  return { read, moved, next: at !== null && id !== null ? { at, id } : null };
}

export type NoncePlace = { readonly nonce: bigint; readonly attempt: number };

/**
 * Moves a relayer's transactions, by their nonces: those whose gas is counted, whose nonces were used `depth` blocks ago, and whose transfers
 * are all decided. The newest stays, and shows that this database has sent for the relayer.
 */
export async function moveTransactions(
  { query }: Tx,
  { month, until, lastBlock }: Bounds,
  { relayer, depth, after, most }: { relayer: Address; depth: bigint; after: NoncePlace; most: number },
): Promise<MovedRows<NoncePlace>> {
  const [row] = await query<{ read: number; moved: number; nonce: bigint | null; attempt: number | null }>(
    `WITH edge AS MATERIALIZED (
       SELECT least((SELECT below FROM gas_cursors WHERE relayer = $1),
                    (SELECT below FROM consumed_nonces WHERE relayer = $1 AND block_number <= (
                       SELECT number FROM blocks WHERE complete ORDER BY number DESC LIMIT 1) - $7::bigint
                      ORDER BY block_number DESC LIMIT 1),
                    (SELECT max(nonce) FROM ONLY transactions WHERE relayer = $1)) AS below),
     page AS MATERIALIZED (
       SELECT nonce, attempt FROM ONLY transactions
        WHERE relayer = $1 AND (nonce, attempt) > ($2::bigint, $3::int) AND nonce < (SELECT below FROM edge)
        ORDER BY nonce, attempt LIMIT $4),
     fit AS MATERIALIZED (
       SELECT sent.nonce, sent.attempt FROM page JOIN ONLY transactions AS sent ON sent.relayer = $1 AND sent.nonce = page.nonce
                                                            AND sent.attempt = page.attempt
        WHERE created_at < $5 AND NOT EXISTS (
              SELECT FROM transfers WHERE id = ANY(payload) AND (decided_block IS NULL OR decided_block > $6))
        ORDER BY sent.nonce, sent.attempt FOR UPDATE OF sent SKIP LOCKED),
     taken AS (
       DELETE FROM ONLY transactions AS sent USING fit WHERE sent.relayer = $1 AND sent.nonce = fit.nonce AND sent.attempt = fit.attempt
       RETURNING sent.*),
     kept AS (INSERT INTO ${tableOf('transactions', month)} SELECT * FROM taken RETURNING 1),
     last AS (SELECT nonce, attempt FROM page ORDER BY nonce DESC, attempt DESC LIMIT 1)
     SELECT (SELECT count(*)::int FROM page) AS read, (SELECT count(*)::int FROM kept) AS moved,
            (SELECT nonce FROM last) AS nonce, (SELECT attempt FROM last) AS attempt`,
    [relayer, after.nonce, after.attempt, most, until, lastBlock, depth],
  );
  const { read, moved, nonce, attempt } = row!;
  return { read, moved, next: nonce !== null && attempt !== null ? { nonce, attempt } : null };
}

export type LogPlace = { readonly block: bigint; readonly log: number };

/** Moves postings, by their blocks. */
export async function movePostings(
  { query }: Tx,
  { month, lastBlock }: Bounds,
  { after, most }: { readonly after: LogPlace; readonly most: number },
): Promise<MovedRows<LogPlace>> {
  const [row] = await query<{ read: number; moved: number; block: bigint | null; log: number | null }>(
    `WITH page AS MATERIALIZED (
       SELECT block_number, log_index, block_hash FROM ONLY postings
        WHERE (block_number, log_index) > ($1::bigint, $2::int) AND block_number <= $3
        ORDER BY block_number, log_index LIMIT $4 FOR UPDATE SKIP LOCKED),
     taken AS (
       DELETE FROM ONLY postings AS log USING page
        WHERE log.block_number = page.block_number AND log.log_index = page.log_index AND log.block_hash = page.block_hash
       RETURNING log.*),
     kept AS (INSERT INTO ${tableOf('postings', month)} SELECT * FROM taken RETURNING 1),
     last AS (SELECT block_number, log_index FROM page ORDER BY block_number DESC, log_index DESC LIMIT 1)
     SELECT (SELECT count(*)::int FROM page) AS read, (SELECT count(*)::int FROM kept) AS moved,
            (SELECT block_number FROM last) AS block, (SELECT log_index FROM last) AS log`,
    [after.block, after.log, lastBlock, most],
  );
  const { read, moved, block, log } = row!;
  return { read, moved, next: block !== null && log !== null ? { block, log } : null };
}

/** When the oldest live row was made that may be moved at all; null if there is none. */
export async function oldestLiveRow({ query }: Queries): Promise<Date | null> {
  const [row] = await query<{ at: Date | null }>(
    `SELECT least((SELECT created_at FROM ONLY transfers WHERE id >= $1::uuid ORDER BY created_at, id LIMIT 1),
                  (SELECT created_at FROM ONLY requests WHERE id >= $1::uuid ORDER BY id LIMIT 1),
                  (SELECT posted_at FROM ONLY postings ORDER BY block_number, log_index LIMIT 1)) AS at`,
    [FIRST_TIMED_ID],
  );
  return row!.at;
}
