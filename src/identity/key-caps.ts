import { asQuarters, type Quarters } from '../base/quarters.ts';
import type { Tx } from '../db/database.ts';

/** What a server API key may pay out a day (UTC), and has paid out today. */
export type KeyCap = { readonly hash: Buffer; readonly payPerDay: Quarters; paidToday: Quarters };

/** Locks these keys, as far as they live and have a cap, in the order of their hashes; keyed by {@link capKey}. */
export async function lockKeyCaps({ query }: Tx, hashes: readonly Uint8Array[]): Promise<Map<string, KeyCap>> {
  if (hashes.length === 0) return new Map();
  const rows = await query<{ hash: Buffer; pay_per_day: bigint; paid_today: bigint }>(
    `SELECT hash, pay_per_day,
            CASE WHEN paid_on >= (now() AT TIME ZONE 'UTC')::date THEN paid_today ELSE 0 END AS paid_today
       FROM app_keys
      WHERE hash = ANY($1::bytea[]) AND pay_per_day IS NOT NULL AND revoked_at IS NULL
      ORDER BY hash FOR NO KEY UPDATE`,
    [hashes.map((hash) => Buffer.from(hash))],
  );
  return new Map(
    rows.map((row) => [
      capKey(row.hash),
      { hash: row.hash, payPerDay: asQuarters(row.pay_per_day), paidToday: asQuarters(row.paid_today) },
    ]),
  );
}

/** Those of these keys, by {@link capKey}, that were revoked. */
export async function revokedAmong({ query }: Tx, hashes: readonly Uint8Array[]): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await query<{ hash: Buffer }>(
    'SELECT hash FROM app_keys WHERE hash = ANY($1::bytea[]) AND revoked_at IS NOT NULL',
    [hashes.map((hash) => Buffer.from(hash))],
  );
  return new Set(rows.map(({ hash }) => capKey(hash)));
}

export function capKey(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}

/** Writes what has now been paid today. The rows must be locked. */
export async function storeKeyPays({ query }: Tx, caps: readonly KeyCap[]): Promise<void> {
  if (caps.length === 0) return;
  await query(
    `UPDATE app_keys SET paid_today = paid.today, paid_on = greatest(paid_on, (now() AT TIME ZONE 'UTC')::date)
       FROM unnest($1::bytea[], $2::bigint[]) AS paid (hash, today) WHERE app_keys.hash = paid.hash`,
    [caps.map(({ hash }) => hash), caps.map(({ paidToday }) => paidToday)],
  );
}
