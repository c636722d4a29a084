import type { Quarters } from '../base/quarters.ts';
import type { Tx } from '../db/database.ts';

/** What a server API key may move of one kind in a day (UTC), and what it has moved today. */
export type DayCap = { readonly perDay: Quarters; today: Quarters };

/** A key's caps on payouts, on requests to players and on approvals under mandates. Null means no cap. */
export type KeyDay = {
  readonly hash: Buffer;
  readonly pay: DayCap | null;
  readonly ask: DayCap | null;
  readonly approve: DayCap | null;
};

const TODAY = `(now() AT TIME ZONE 'UTC')::date`;

/** The counter of today: what was counted last, or 0 if that was on an earlier day. */
const countedToday = (counter: 'paid' | 'asked' | 'approved') =>
  `CASE WHEN ${counter}_on >= ${TODAY} THEN ${counter}_today ELSE 0 END`;

type DayRow = {
  readonly hash: Buffer;
  readonly payPerDay: Quarters | null;
  readonly paid: Quarters;
  readonly askPerDay: Quarters | null;
  readonly asked: Quarters;
  readonly approvePerDay: Quarters | null;
  readonly approved: Quarters;
};

/** Locks those of these keys that are not revoked, in the order of their hashes. Returns them by {@link capKey}. */
export async function lockKeyDays({ query }: Tx, hashes: readonly Uint8Array[]): Promise<Map<string, KeyDay>> {
  if (hashes.length === 0) return new Map();
  const rows = await query<DayRow>(
    `SELECT hash, pay_per_day AS "payPerDay", ${countedToday('paid')} AS paid,
            ask_per_day AS "askPerDay", ${countedToday('asked')} AS asked,
            approve_per_day AS "approvePerDay", ${countedToday('approved')} AS approved
       FROM app_keys WHERE hash = ANY($1::bytea[]) AND revoked_at IS NULL
      ORDER BY hash FOR NO KEY UPDATE`,
    [hashes.map((hash) => Buffer.from(hash))],
  );
  return new Map(
    rows.map(({ hash, payPerDay, paid, askPerDay, asked, approvePerDay, approved }) => [
      capKey(hash),
      { hash, pay: dayCap(payPerDay, paid), ask: dayCap(askPerDay, asked), approve: dayCap(approvePerDay, approved) },
    ]),
  );
}

function dayCap(perDay: Quarters | null, today: Quarters): DayCap | null {
  return perDay === null ? null : { perDay, today };
}

/** Which of these keys, by {@link capKey}, are revoked. */
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

/** Stores what the keys have moved today. The rows must be locked. */
export async function storeKeyDays({ query }: Tx, keys: readonly KeyDay[]): Promise<void> {
  if (keys.length === 0) return;
  await query(
    `UPDATE app_keys
        SET paid_today = coalesce(day.paid, paid_today),
            paid_on = CASE WHEN day.paid IS NULL THEN paid_on ELSE greatest(paid_on, ${TODAY}) END,
            asked_today = coalesce(day.asked, asked_today),
            asked_on = CASE WHEN day.asked IS NULL THEN asked_on ELSE greatest(asked_on, ${TODAY}) END,
            approved_today = coalesce(day.approved, approved_today),
            approved_on = CASE WHEN day.approved IS NULL THEN approved_on ELSE greatest(approved_on, ${TODAY}) END
       FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bigint[]) AS day (hash, paid, asked, approved)
      WHERE app_keys.hash = day.hash`,
    [
      keys.map(({ hash }) => hash),
      keys.map(({ pay }) => pay?.today),
      keys.map(({ ask }) => ask?.today),
      keys.map(({ approve }) => approve?.today),
    ],
  );
}
