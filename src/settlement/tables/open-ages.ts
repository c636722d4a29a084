import { lowestIdAt, madeAt, type TransferId } from '../../base/ids.ts';
import type { Queries } from '../../db/database.ts';

/** How many transfers are on their way, by age. */
export type OpenAges = {
  /** For each given age, in its order, the transfers that are at least so old and younger than the next one. */
  readonly counts: readonly number[];
  readonly oldest: { readonly id: TransferId; readonly acceptedAt: Date } | null;
  /** There were more than are counted. */
  readonly isPart: boolean;
};

/**
 * Counts transfers on their way by age. `ages`: in seconds, ascending, the first is 0. Counts at most `most`. An id says when a transfer was
 * accepted, so nothing else of it is read.
 */
export async function readOpenAges({ query }: Queries, ages: readonly number[], most: number): Promise<OpenAges> {
  const now = Date.now();
  // From the oldest bound to the newest: an id from one bound on is younger than its age.
  const bounds = ages.slice(1).map((age) => lowestIdAt(new Date(now - age * 1000)));
  const [row] = await query<{ counts: number[]; oldest: TransferId | null; read: number }>(
    `WITH open AS MATERIALIZED (SELECT transfer_id AS id FROM open_transfers LIMIT $2)
     SELECT ARRAY(SELECT (SELECT count(*)::integer FROM open WHERE id < bound) FROM unnest($1::uuid[]) WITH ORDINALITY AS given (bound, place)
                   ORDER BY place) AS counts,
            (SELECT id FROM open ORDER BY id LIMIT 1) AS oldest, (SELECT count(*)::integer FROM open) AS read`,
    [bounds, most],
  );
  const { counts, oldest, read } = row!;
  const atLeast = [read, ...counts];
  return {
    counts: atLeast.map((count, i) => count - (atLeast[i + 1] ?? 0)),
    oldest: oldest && { id: oldest, acceptedAt: madeAt(oldest) },
    isPart: read === most,
  };
}
