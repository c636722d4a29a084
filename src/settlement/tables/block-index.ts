import { type Database, gaveUpWaiting, type Query } from '../../db/database.ts';

/** As the index says: it keeps one summary for so many pages of 8 kB. */
const PAGES_PER_RANGE = 32;
/** What the last minutes wrote has no summary yet. */
const USUAL_PAGES = 10_000;
/** The next look continues. */
const MOST_REPLACED = 100;

/**
 * Replaces what is half made in the index that finds transfers by their block (BRIN, `transfers_by_decided_block`). If PostgreSQL is ended or cancelled while it
 * summarizes pages, a placeholder stays there, which no VACUUM replaces. Each search then reads all pages from that one on (seen with
 * PostgreSQL 18.4). Does nothing while a search for a block that does not exist reads at most `usual` pages, or while somebody else works on
 * the index. Returns how many placeholders were replaced.
 */
export async function replaceIndexPlaceholders(db: Database, usual = USUAL_PAGES): Promise<number> {
  let replaced = 0;
  try {
    if ((await readInVain(db)).pages <= usual) return replaced;
    await inTurn(db, (query) => query(`SELECT brin_summarize_new_values('transfers_by_decided_block')`));
    for (; replaced < MOST_REPLACED; replaced++) {
      const { pages, before, after } = await readInVain(db);
      if (pages <= usual) break;
      // Whatever has no placeholder has a summary now. So what is read ends with the table, and begins with the first placeholder.
      await inTurn(db, (query) =>
        query(
          `SELECT brin_desummarize_range('transfers_by_decided_block', page), brin_summarize_range('transfers_by_decided_block', page)
             FROM generate_series($1::bigint / $3 * $3, $2::bigint, $3) AS page`,
          [before - pages, after - pages, PAGES_PER_RANGE],
        ),
      );
    }
  } catch (error) {
    if (!gaveUpWaiting(error)) throw error;
  }
  return replaced;
}

/** Waits for less than `deadlock_timeout` (1 s). Then PostgreSQL would cancel an autovacuum that is in the way, which may be summarizing. */
function inTurn(db: Database, work: (query: Query) => Promise<unknown>): Promise<unknown> {
  return db.transaction(async ({ query }) => {
    await query(`SELECT set_config('lock_timeout', '200ms', true), set_config('statement_timeout', '30min', true)`);
    await work(query);
  });
}

type Plan = { readonly 'Lossy Heap Blocks'?: number; readonly Plans?: readonly Plan[] };

/** How many pages a search reads that finds nothing, and how many the table has before and after it. */
function readInVain(db: Database): Promise<{ pages: number; before: number; after: number }> {
  return db.transaction(async ({ query }) => {
    await query(`SELECT set_config('statement_timeout', '30min', true)`);
    const before = await pagesOfTable(query);
    const [row] = await query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(
      'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) SELECT 1 FROM ONLY transfers WHERE decided_block = -1',
    );
    return { pages: lossyPages(row!['QUERY PLAN'][0].Plan), before, after: await pagesOfTable(query) };
  });
}

function lossyPages(plan: Plan): number {
  return (plan.Plans ?? []).reduce((sum, part) => sum + lossyPages(part), plan['Lossy Heap Blocks'] ?? 0);
}

async function pagesOfTable(query: Query): Promise<number> {
  const [row] = await query<{ pages: number }>(
    `SELECT (pg_relation_size('transfers') / current_setting('block_size')::bigint)::float8 AS pages`,
  );
  return row!.pages;
}
