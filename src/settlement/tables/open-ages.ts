import type { TransferId } from '../../base/ids.ts';
import type { Queries } from '../../db/database.ts';

/** How many transfers are on their way, by age. */
export type OpenAges = {
  /** For each given age, in its order, the transfers that are at least so old and younger than the next one. */
  readonly counts: readonly number[];
  readonly oldest: { readonly id: TransferId; readonly acceptedAt: Date } | null;
  /** There were more than are counted. */
  readonly isPart: boolean;
};

/** Counts transfers on their way by age. `ages`: in seconds, ascending, the first is 0. Counts at most `most`. */
export async function readOpenAges({ query }: Queries, ages: readonly number[], most: number): Promise<OpenAges> {
  const [row] = await query<{ counts: number[]; read: number; oldest: TransferId | null; acceptedAt: Date }>(
    `WITH open AS MATERIALIZED (SELECT transfer_id AS id, accepted_at FROM open_transfers LIMIT $2),
          oldest AS (SELECT id, accepted_at FROM open ORDER BY accepted_at, id LIMIT 1)
     SELECT ARRAY(SELECT (SELECT count(*)::integer FROM open WHERE accepted_at < now() - make_interval(secs => age))
                    FROM unnest($1::float8[]) WITH ORDINALITY AS given (age, place) ORDER BY place) AS counts,
            (SELECT count(*)::integer FROM open) AS read,
            (SELECT id FROM oldest) AS oldest, (SELECT accepted_at FROM oldest) AS "acceptedAt"`,
    [ages.slice(1), most],
  );
  const { counts, oldest, acceptedAt, read } = row!;
  const atLeast = [read, ...counts];
  return {
    counts: atLeast.map((count, i) => count - (atLeast[i + 1] ?? 0)),
    oldest: oldest && { id: oldest, acceptedAt },
    isPart: read === most,
  };
}
