import type { Queries, Tx } from '../../../db/database.ts';
import { ADD_FLOWS, ADD_NEW_PAYERS } from './steps.ts';
import { findTopsAgain } from './tops.ts';

/**
 * Takes back the last bite, exactly: sums are subtracted, and payers get the rows they had. False if how to do so is not kept for it.
 * Call it in the transaction that has locked the economy.
 */
export async function takeBackBite(tx: Tx): Promise<boolean> {
  const { query } = tx;
  const [last] = await query<{ number: bigint }>(
    `SELECT undo.block_number AS number FROM economy_undo AS undo JOIN economy_cursor USING (block_number)`,
  );
  if (!last) return false;
  const of = [last.number];
  await query(
    `WITH flows AS (
       SELECT hour, app_id, kind, from_party, to_party, -count AS count, -amount AS amount
         FROM economy_undo AS undo, jsonb_to_recordset(flows)
           AS row (hour timestamptz, app_id text, kind text, from_party text, to_party text, count bigint, amount bigint)
        WHERE block_number = $1),
     new_payers AS (
       SELECT hour, app_id, -of_day AS of_day, -of_week AS of_week, -of_month AS of_month, -of_year AS of_year
         FROM economy_undo AS undo, jsonb_to_recordset(new_payers)
           AS row (hour timestamptz, app_id text, of_day bigint, of_week bigint, of_month bigint, of_year bigint)
        WHERE block_number = $1),
     ${ADD_FLOWS}, ${ADD_NEW_PAYERS}
     SELECT`,
    of,
  );
  await query(
    `WITH old AS (SELECT app_id, payer, last_day FROM economy_undo AS undo, unnest(app_ids, payers, last_days) AS row (app_id, payer, last_day)
                   WHERE block_number = $1)
     DELETE FROM economy_payers USING old
      WHERE economy_payers.app_id = old.app_id AND economy_payers.payer = old.payer AND old.last_day IS NULL`,
    of,
  );
  await query(
    `UPDATE economy_payers
        SET last_day = old.last_day, day_count = old.day_count, day_amount = old.day_amount, week_count = old.week_count,
            week_amount = old.week_amount, month_count = old.month_count, month_amount = old.month_amount,
            year_count = old.year_count, year_amount = old.year_amount
       FROM economy_undo AS undo, unnest(app_ids, payers, last_days, day_counts, day_amounts, week_counts, week_amounts, month_counts,
                                         month_amounts, year_counts, year_amounts)
         AS old (app_id, payer, last_day, day_count, day_amount, week_count, week_amount, month_count, month_amount, year_count, year_amount)
      WHERE undo.block_number = $1 AND economy_payers.app_id = old.app_id AND economy_payers.payer = old.payer`,
    of,
  );
  const [before] = await query<{ at: Date | null }>(
    `WITH undo AS (DELETE FROM economy_undo WHERE block_number = $1 RETURNING before_number, before_hash, before_at)
     UPDATE economy_cursor SET block_number = before_number, block_hash = before_hash, block_at = before_at, whole_block = NULL,
            whole_at = NULL FROM undo RETURNING block_at AS at`,
    of,
  );
  await findTopsAgain(tx, before!.at);
  return true;
}

/**
 * Forgets everything that was counted, so that it is counted again from the first block on. What was noted by day stays. Not TRUNCATE: a
 * snapshot that began before would find the tables empty.
 */
export async function startOver({ query }: Tx): Promise<void> {
  await query('DELETE FROM economy_flows');
  await query('DELETE FROM economy_new_payers');
  await query('DELETE FROM economy_payers');
  await query('DELETE FROM economy_tops');
  await query('DELETE FROM economy_undo');
  await query(
    `UPDATE economy_cursor SET block_number = NULL, block_hash = NULL, block_at = NULL, whole_block = NULL, whole_at = NULL`,
  );
}

/** Forgets how to take back bites that are final: at or below this block. */
export async function forgetUndo({ query }: Queries, finalBlock: bigint): Promise<void> {
  await query('DELETE FROM economy_undo WHERE block_number <= $1', [finalBlock]);
}
