import type { RequestId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import type { Queries } from '../db/database.ts';
import { liveFirst } from '../db/live-first.ts';

/**
 * How much of each payment was refunded or is being refunded; a refund that failed on the chain does not count. Payments of which nothing was
 * are left out. Exact while the payments' rows are locked: only then may a decision depend on it.
 */
export async function refundedOf({ query }: Queries, ids: readonly RequestId[]): Promise<Map<RequestId, Quarters>> {
  if (ids.length === 0) return new Map();
  type Row = { readonly id: RequestId; readonly refunded: Quarters | null };
  const rows = await liveFirst<RequestId, Row>(
    ids,
    ({ id }) => id,
    // While a payment is live, its refunds are.
    (some) =>
      query<Row>(
        `SELECT id, (SELECT sum(amount)::bigint FROM ONLY requests AS refund
                      WHERE refund.refund_of = payment.id AND refund.status <> 'failed') AS refunded
           FROM ONLY requests AS payment WHERE id = ANY($1::uuid[])`,
        [some],
      ),
    (some) =>
      query<Row>(
        `SELECT refund_of AS id, sum(amount)::bigint AS refunded FROM requests
          WHERE refund_of = ANY($1::uuid[]) AND status <> 'failed' GROUP BY refund_of`,
        [some],
      ),
  );
  return new Map(rows.flatMap(({ id, refunded }) => (refunded === null ? [] : [[id, refunded]])));
}
