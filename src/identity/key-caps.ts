import type { Quarters } from '../base/quarters.ts';
import type { Query } from '../db/database.ts';

/** Quarters set aside from a key's allowance of one day, `2026-01-31` in UTC. */
export type Reservation = { readonly keyHash: Uint8Array; readonly amount: Quarters; readonly day: string };

/** Takes `amount` from what a capped server API key may still pay out today; null where that is less. */
export async function reservePay(
  { query }: { query: Query },
  keyHash: Uint8Array,
  amount: Quarters,
): Promise<Reservation | null> {
  const [row] = await query<{ day: string }>(
    `UPDATE app_keys
        SET paid_on = greatest(paid_on, today), paid_today = CASE WHEN paid_on >= today THEN paid_today ELSE 0 END + $2
       FROM (SELECT (now() AT TIME ZONE 'UTC')::date AS today) AS clock
      WHERE hash = $1 AND revoked_at IS NULL
        AND CASE WHEN paid_on >= today THEN paid_today ELSE 0 END + $2 <= pay_per_day
      RETURNING paid_on::text AS day`,
    [Buffer.from(keyHash), amount],
  );
  return row ? { keyHash, amount, day: row.day } : null;
}

/** Gives back what was not paid after all; on a later day there is nothing to give back to. */
export async function releasePay({ query }: { query: Query }, { keyHash, amount, day }: Reservation): Promise<void> {
  await query('UPDATE app_keys SET paid_today = paid_today - $2 WHERE hash = $1 AND paid_on = $3::date', [
    Buffer.from(keyHash),
    amount,
    day,
  ]);
}
