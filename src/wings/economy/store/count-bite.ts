import { ZERO_ADDRESS } from '../../../base/address.ts';
import { hexToBytes } from '../../../base/hex.ts';
import { addressNow } from '../../../db/columns.ts';
import type { Tx } from '../../../db/database.ts';
import type { Purposes } from '../../../ledger/flows.ts';
import type { EconomyCursor } from './cursor.ts';
import { ADD_FLOWS, ADD_NEW_PAYERS } from './steps.ts';
import { ADD_TOPS, trimTops } from './tops.ts';

/** What one bite has counted. */
export type Bite = {
  /** Postings that were counted. 0: there was nothing to count. */
  readonly postings: number;
  /** The newest complete block of the ledger; null before the first. */
  readonly head: bigint | null;
  /** Whether more is left. */
  readonly isMore: boolean;
};

export type BiteLimits = {
  /** About how many postings: whole blocks, and none beyond the end of a day (UTC). */
  readonly most: number;
  /** Blocks so far below the newest are final: how to take them back need not be kept. */
  readonly finalAfter: number;
};

// One statement, because it must see one state of the ledger: between two, a reorganisation could replace the blocks. $1, $2, $3: the
// cursor; $4: most postings; $5: FINAL_AFTER; $6: the purposes of transfers that have no request.

/** The next complete blocks, of one day. `at` never goes back, so that each sum at a time is a sum up to a block. */
const BLOCKS = `
  head AS MATERIALIZED (SELECT number FROM blocks WHERE complete ORDER BY number DESC LIMIT 1),
  valid AS MATERIALIZED (
    SELECT $1::bigint IS NULL OR EXISTS (SELECT FROM postings WHERE block_number = $1 AND block_hash = $2::bytea) AS is_valid),
  bite AS MATERIALIZED (
    SELECT first, coalesce(last, number) AS last, date_trunc('day', at, 'UTC') AS starts, (at AT TIME ZONE 'UTC')::date AS day,
           date_trunc('week', at AT TIME ZONE 'UTC')::date AS week, date_trunc('month', at AT TIME ZONE 'UTC')::date AS month,
           date_trunc('year', at AT TIME ZONE 'UTC')::date AS year
      FROM head CROSS JOIN LATERAL (
             SELECT block_number AS first, greatest(coalesce($3::timestamptz, 'epoch'), min(posted_at)) AS at FROM postings
              WHERE (SELECT is_valid FROM valid) AND block_number = (
                SELECT block_number FROM postings WHERE block_number > coalesce($1, -1) AND block_number <= number
                 ORDER BY block_number LIMIT 1)
              GROUP BY block_number) AS next
           LEFT JOIN LATERAL (
             SELECT block_number AS last FROM postings WHERE block_number >= first AND block_number <= number
              ORDER BY block_number OFFSET $4::int - 1 LIMIT 1) AS page ON true),
  page AS MATERIALIZED (
    SELECT block_number, block_hash, from_address, to_address, amount, posted_at FROM postings
     WHERE block_number >= (SELECT first FROM bite) AND block_number <= (
       SELECT coalesce((SELECT block_number - 1 FROM postings
                         WHERE block_number > first AND block_number <= last AND posted_at >= starts + interval '24 hours'
                         ORDER BY block_number LIMIT 1), last) FROM bite)),
  counted AS MATERIALIZED (
    SELECT block_number, at, date_trunc('hour', at, 'UTC') AS hour FROM (
      SELECT block_number, greatest(coalesce($3, 'epoch'), max(min(posted_at)) OVER (ORDER BY block_number)) AS at
        FROM page GROUP BY block_number) AS times),
  ending AS MATERIALIZED (
    SELECT block_number, block_hash, at FROM page JOIN counted USING (block_number) ORDER BY block_number DESC LIMIT 1),
  posted AS MATERIALIZED (SELECT hour, from_address, to_address, amount FROM page JOIN counted USING (block_number))`;

/** Not what went from an address that its account has left to where it is now: nobody has more or less by it. */
const IS_MOVED = '(payer.address_now <> payee.address_now OR payer.address = payee.address)';

/** What the logs moved between whom, and what our transfers explain of it. Logs of 0 quarters are nobody's: anybody can make them. */
const MOVED = `
  named AS MATERIALIZED (
    SELECT address, kind, app_id, merged_into FROM accounts
     WHERE address = ANY(ARRAY(SELECT from_address FROM posted UNION SELECT to_address FROM posted))),
  parties AS MATERIALIZED (
    SELECT named.address, now.address AS address_now, coalesce(now.app_id, '') AS app,
           CASE WHEN now.address = '${ZERO_ADDRESS}' THEN 'none' WHEN now.kind IN ('user', 'recovered') THEN 'player'
                WHEN now.kind = 'external' THEN 'outside' ELSE now.kind END AS party
      FROM named JOIN (
             SELECT address, kind, app_id FROM named WHERE kind <> 'swept'
             UNION SELECT address, kind, app_id FROM accounts
                    WHERE address = ANY(ARRAY(SELECT merged_into FROM named WHERE kind = 'swept'))) AS now
           ON now.address = ${addressNow('named')}),
  logs AS MATERIALIZED (
    SELECT hour, payer.party AS from_party, payer.app AS from_app, payee.party AS to_party, payee.app AS to_app,
           count(*) AS count, sum(amount) AS amount
      FROM posted JOIN parties AS payer ON payer.address = from_address
           JOIN parties AS payee ON payee.address = to_address
     WHERE amount > 0 AND ${IS_MOVED} GROUP BY 1, 2, 3, 4, 5),
  sent AS MATERIALIZED (
    SELECT hour, payer.party AS from_party, payer.app AS from_app, payee.party AS to_party, payee.app AS to_app, amount,
           CASE WHEN request_id IS NULL THEN $6::jsonb ->> (payer.party || '>' || payee.party)
                WHEN payer.party = 'player' THEN 'payment'
                WHEN payer.party = 'treasury' THEN 'reward'
                ELSE (SELECT source FROM requests WHERE id = request_id) END AS kind,
           CASE WHEN request_id IS NULL OR payer.party = 'app' THEN NULL WHEN payer.party = 'player' THEN payer.address_now
                ELSE (SELECT (SELECT ${addressNow('player')} FROM accounts AS player WHERE player.address = requests.from_address)
                        FROM requests WHERE id = request_id) END AS payer
      FROM transfers JOIN counted ON decided_block = counted.block_number
           JOIN parties AS payer ON payer.address = transfers.from_address
           JOIN parties AS payee ON payee.address = transfers.to_address
     WHERE status = 'completed' AND decided_block > coalesce($1, -1) AND decided_block <= (SELECT block_number FROM ending)
       AND ${IS_MOVED} AND payer.party <> 'outside'),
  explained AS MATERIALIZED (
    SELECT hour, kind, from_party, from_app, to_party, to_app, count(*) AS count, sum(amount) AS amount
      FROM sent GROUP BY 1, 2, 3, 4, 5, 6),
  moved AS MATERIALIZED (
    SELECT hour, kind, from_party, from_app, to_party, to_app, sum(count)::bigint AS count, sum(amount)::bigint AS amount
      FROM (SELECT hour, CASE WHEN from_party = 'none' THEN 'mint' WHEN to_party = 'none' THEN 'burn'
                              WHEN from_party <> 'outside' THEN 'unexplained'
                              WHEN to_party = 'outside' THEN 'outside' ELSE 'deposit' END AS kind,
                   from_party, from_app, to_party, to_app, count, amount
              FROM (SELECT * FROM logs
                    UNION ALL SELECT hour, from_party, from_app, to_party, to_app, -count, -amount FROM explained) AS unexplained
            UNION ALL SELECT * FROM explained) AS each
     GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(count) <> 0 OR sum(amount) <> 0),
  flows AS MATERIALIZED (
    SELECT hour, app_id, kind, sides.from_party, sides.to_party, sum(count)::bigint AS count, sum(amount)::bigint AS amount
      FROM moved CROSS JOIN LATERAL (
        SELECT from_app AS app_id, from_party, CASE WHEN to_app IN ('', from_app) THEN to_party ELSE 'other-app' END AS to_party
         WHERE from_app <> '' OR to_app = ''
        UNION ALL
        SELECT to_app, CASE from_app WHEN '' THEN from_party ELSE 'other-app' END, to_party
         WHERE to_app <> from_app AND to_app <> '') AS sides
     GROUP BY 1, 2, 3, 4, 5)`;

/**
 * Who paid, with their rows as they were and as they are now. A bite is of one day, and no day before it comes again. Rows are looked up once,
 * in the order of their index, and changed at the place where they were found: whoever counts has locked the economy, so they stay there.
 */
const PAYERS = `
  paid AS MATERIALIZED (
    SELECT app_id, payer, min(hour) AS hour, count(*) AS count, sum(amount)::bigint AS amount
      FROM sent CROSS JOIN LATERAL (VALUES (to_app), ('')) AS apps (app_id)
     WHERE payer IS NOT NULL AND to_app <> '' GROUP BY 1, 2 ORDER BY app_id COLLATE "C", payer),
  was AS MATERIALIZED (
    SELECT found.ctid AS place, paid.app_id, paid.payer, hour, paid.count, paid.amount, day, last_day, day_count, day_amount, week_count,
           week_amount, month_count, month_amount, year_count, year_amount, last_day >= day AS in_day, last_day >= week AS in_week,
           last_day >= month AS in_month, last_day >= year AS in_year
      FROM paid CROSS JOIN bite
           LEFT JOIN LATERAL (
             SELECT ctid, * FROM economy_payers AS row WHERE row.app_id = paid.app_id AND row.payer = paid.payer LIMIT 1) AS found ON true),
  new_payers AS MATERIALIZED (
    SELECT hour, app_id, count(*) FILTER (WHERE in_day IS NOT TRUE) AS of_day, count(*) FILTER (WHERE in_week IS NOT TRUE) AS of_week,
           count(*) FILTER (WHERE in_month IS NOT TRUE) AS of_month, count(*) FILTER (WHERE in_year IS NOT TRUE) AS of_year
      FROM was GROUP BY 1, 2),
  now_paid AS MATERIALIZED (
    SELECT place, app_id, payer, day AS last_day, count + CASE WHEN in_day THEN day_count ELSE 0 END AS day_count,
           amount + CASE WHEN in_day THEN day_amount ELSE 0 END AS day_amount,
           count + CASE WHEN in_week THEN week_count ELSE 0 END AS week_count,
           amount + CASE WHEN in_week THEN week_amount ELSE 0 END AS week_amount,
           count + CASE WHEN in_month THEN month_count ELSE 0 END AS month_count,
           amount + CASE WHEN in_month THEN month_amount ELSE 0 END AS month_amount,
           count + CASE WHEN in_year THEN year_count ELSE 0 END AS year_count,
           amount + CASE WHEN in_year THEN year_amount ELSE 0 END AS year_amount
      FROM was),
  insert_payers AS (
    INSERT INTO economy_payers (app_id, payer, last_day, day_count, day_amount, week_count, week_amount, month_count, month_amount,
                                year_count, year_amount)
    SELECT app_id, payer, last_day, day_count, day_amount, week_count, week_amount, month_count, month_amount, year_count, year_amount
      FROM now_paid WHERE place IS NULL),
  update_payers AS (
    UPDATE economy_payers AS row
       SET last_day = now.last_day, day_count = now.day_count, day_amount = now.day_amount, week_count = now.week_count,
           week_amount = now.week_amount, month_count = now.month_count, month_amount = now.month_amount,
           year_count = now.year_count, year_amount = now.year_amount
      FROM now_paid AS now WHERE row.ctid = now.place)`;

const UNDO = `
  write_undo AS (
    INSERT INTO economy_undo (block_number, before_number, before_hash, before_at, day, flows, new_payers, app_ids, payers, last_days,
                              day_counts, day_amounts, week_counts, week_amounts, month_counts, month_amounts, year_counts, year_amounts)
    SELECT block_number, $1, $2, $3, bite.day, (SELECT coalesce(jsonb_agg(flows), '[]') FROM flows),
           (SELECT coalesce(jsonb_agg(new_payers), '[]') FROM new_payers), old.*
      FROM ending CROSS JOIN bite CROSS JOIN head CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(app_id), '{}'), coalesce(array_agg(payer), '{}'), coalesce(array_agg(last_day), '{}'),
               coalesce(array_agg(day_count), '{}'), coalesce(array_agg(day_amount), '{}'), coalesce(array_agg(week_count), '{}'),
               coalesce(array_agg(week_amount), '{}'), coalesce(array_agg(month_count), '{}'), coalesce(array_agg(month_amount), '{}'),
               coalesce(array_agg(year_count), '{}'), coalesce(array_agg(year_amount), '{}')
          FROM was) AS old
     WHERE block_number > number - $5::bigint)`;

const COUNT = `
  WITH ${BLOCKS}, ${MOVED}, ${PAYERS}, ${ADD_TOPS}, ${UNDO}, ${ADD_FLOWS}, ${ADD_NEW_PAYERS},
  move AS (
    UPDATE economy_cursor SET block_number = ending.block_number, block_hash = ending.block_hash, block_at = ending.at FROM ending)
  SELECT is_valid AS "isValid", (SELECT number FROM head) AS head,
         (SELECT count(*)::int FROM posted) AS postings, (SELECT at FROM ending) AS at,
         (SELECT block_number FROM ending) < (SELECT number FROM head)
           AND EXISTS (SELECT FROM postings WHERE block_number > (SELECT block_number FROM ending)
                                              AND block_number <= (SELECT number FROM head)) AS "isMore"
    FROM valid`;

type CountedRow = Omit<Bite, 'isMore'> & {
  readonly isValid: boolean;
  /** Null if there was nothing to count. */
  readonly at: Date | null;
  readonly isMore: boolean | null;
};

/**
 * Counts the next blocks, in the transaction that has locked the economy, and moves its cursor. Null if the ledger has lost the cursor's
 * block: take back what was counted of it first.
 *
 * The planner makes a plan for these very values, because the same statement reads one block and twenty thousand postings. It knows nothing
 * of the sizes in between, and would join page and parties row by row.
 */
export async function countBite(
  tx: Tx,
  { block }: EconomyCursor,
  limits: BiteLimits,
  purposes: Purposes,
): Promise<Bite | null> {
  const settings = {
    enable_hashjoin: 'on',
    enable_nestloop: 'off',
    jit: 'off',
    plan_cache_mode: 'force_custom_plan',
    work_mem: '32MB',
  };
  await tx.query('SELECT set_config(key, value, true) FROM jsonb_each_text($1)', [JSON.stringify(settings)]);
  const [row] = await tx.query<CountedRow>(COUNT, [
    block?.number ?? null,
    block && hexToBytes(block.hash),
    block?.at ?? null,
    limits.most,
    limits.finalAfter,
    JSON.stringify(purposes),
  ]);
  const { isValid, at, isMore, ...bite } = row!;
  if (at) await trimTops(tx, at);
  return isValid ? { ...bite, isMore: isMore ?? false } : null;
}
