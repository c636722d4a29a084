import type { AppId, UserId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import { columnsOf, type Queries, type Tx } from '../db/database.ts';

/** How much an app may take without asking, per transfer and per day (UTC). */
type Caps = { readonly maxPerTransfer: Quarters; readonly maxPerDay: Quarters };

/** What a user allows: the caps, and for how long. */
export type MandateLimits = Caps & { readonly days: number };

/** A user's mandate: an app may take quarters within its caps without asking. */
export type Mandate = Caps & { readonly userId: UserId; readonly appId: AppId; spentToday: Quarters };

// What the player chose stays when an approval renews a mandate. The operator's limits for an app apply to mandates given before, too.
const CAP_COLUMNS = `least(max_per_transfer, own_per_transfer, mandate_per_transfer) AS "maxPerTransfer",
            least(max_per_day, own_per_day, mandate_per_day) AS "maxPerDay"`;
const SPENT_TODAY = `CASE WHEN spent_on >= (now() AT TIME ZONE 'UTC')::date THEN spent_today ELSE 0 END AS "spentToday"`;

/** What a player chose beside the button: that the app need not ask within these limits, or that it asks every time. */
export type MandateChoice = { readonly limits: MandateLimits; readonly asksAlways: boolean };

/** The user and the app of a mandate. */
type Pair = { readonly userId: UserId; readonly appId: AppId };

/**
 * Stores a player's choice: grants or renews a mandate, or ends it. What was spent today stays counted. Returns whether the app need not ask
 * from now on, and had to before.
 *
 * An accepted instruction calls this after it has locked the accounts, so it must not wait for a lock. If `lockMandates` did not
 * find the row, another choice of the same user created it since. If the row is locked, that lock came after the other choice; this one
 * then counts as made just before it.
 */
export async function storeMandateChoice(
  { query }: Queries,
  { userId, appId }: Pair,
  { limits, asksAlways }: MandateChoice,
): Promise<boolean> {
  const [row] = await query<{ isNew: boolean }>(
    `WITH held AS (
       SELECT user_id, app_id, revoked_at IS NULL AND expires_at > now() AS lived FROM mandates
        WHERE user_id = $1 AND app_id = $2 FOR NO KEY UPDATE SKIP LOCKED
     ), changed AS (
       UPDATE mandates
          SET max_per_transfer = $3, max_per_day = $4, expires_at = now() + make_interval(days => $5),
              revoked_at = CASE WHEN $6 THEN coalesce(revoked_at, now()) END, asks_always = $6
         FROM held WHERE mandates.user_id = held.user_id AND mandates.app_id = held.app_id
       RETURNING NOT lived AS is_new
     ), made AS (
       INSERT INTO mandates (user_id, app_id, max_per_transfer, max_per_day, expires_at, revoked_at, asks_always)
       SELECT $1, $2, $3, $4, now() + make_interval(days => $5), CASE WHEN $6 THEN now() END, $6 WHERE NOT EXISTS (SELECT FROM held)
       ON CONFLICT DO NOTHING RETURNING true AS is_new)
     SELECT is_new AND NOT $6 AS "isNew" FROM changed UNION ALL SELECT NOT $6 FROM made`,
    [userId, appId, limits.maxPerTransfer, limits.maxPerDay, limits.days, asksAlways],
  );
  return row?.isNew ?? false;
}

/** What a player chose below the operator's limits; null: as much as those. */
export type OwnLimits = { readonly ownPerTransfer: Quarters | null; readonly ownPerDay: Quarters | null };

/** What a player chose for an app so far. `asksAlways`: on a payment's page, or by taking its mandate away. */
export type MandateWish = OwnLimits & { readonly asksAlways: boolean };

export async function lookUpMandateWish({ query }: Queries, { userId, appId }: Pair): Promise<MandateWish | null> {
  const [row] = await query<MandateWish>(
    `SELECT asks_always AND revoked_at IS NOT NULL AS "asksAlways", own_per_transfer AS "ownPerTransfer", own_per_day AS "ownPerDay"
       FROM mandates WHERE user_id = $1 AND app_id = $2`,
    [userId, appId],
  );
  return row ?? null;
}

/**
 * Changes the caps of a valid mandate, by the player's choice; false if there is none. Waits for a transaction that is using it, as a
 * withdrawal does.
 */
export async function changeMandateLimits(
  { query }: Queries,
  { userId, appId }: Pair,
  { maxPerTransfer, maxPerDay, ownPerTransfer, ownPerDay }: Caps & OwnLimits,
): Promise<boolean> {
  const rows = await query(
    `UPDATE mandates SET max_per_transfer = $3, max_per_day = $4, own_per_transfer = $5, own_per_day = $6
      WHERE user_id = $1 AND app_id = $2 AND revoked_at IS NULL AND expires_at > now() RETURNING 1`,
    [userId, appId, maxPerTransfer, maxPerDay, ownPerTransfer, ownPerDay],
  );
  return rows.length > 0;
}

/**
 * Locks the mandates of these pairs, in (user, app) order, and returns the valid ones by `user/app`. Also locks expired and withdrawn ones,
 * since a grant may renew them. A concurrent withdrawal comes either before or after this transaction.
 */
export async function lockMandates(
  { query }: Tx,
  pairs: readonly { userId: UserId; appId: AppId }[],
): Promise<Map<string, Mandate>> {
  if (pairs.length === 0) return new Map();
  const rows = await query<Mandate & { readonly lives: boolean }>(
    `SELECT user_id AS "userId", app_id AS "appId", ${CAP_COLUMNS}, revoked_at IS NULL AND expires_at > now() AS lives,
            ${SPENT_TODAY}
       FROM mandates JOIN apps ON apps.id = app_id
      WHERE (user_id, app_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))
      ORDER BY user_id, app_id FOR NO KEY UPDATE OF mandates`,
    columnsOf(pairs, ['userId', 'appId']),
  );
  return new Map(rows.flatMap(({ lives, ...mandate }) => (lives ? [[mandateKey(mandate), mandate]] : [])));
}

export function mandateKey(pair: { userId: UserId; appId: AppId }): string {
  return `${pair.userId}/${pair.appId}`;
}

/** Stores what was spent today. The rows must be locked. */
export async function storeMandateSpending({ query }: Tx, mandates: readonly Mandate[]): Promise<void> {
  if (mandates.length === 0) return;
  await query(
    `UPDATE mandates SET spent_today = spent.today, spent_on = greatest(spent_on, (now() AT TIME ZONE 'UTC')::date)
       FROM unnest($1::text[], $2::text[], $3::bigint[]) AS spent (user_id, app_id, today)
      WHERE mandates.user_id = spent.user_id AND mandates.app_id = spent.app_id`,
    columnsOf(mandates, ['userId', 'appId', 'spentToday']),
  );
}

/** A mandate as its user sees it. */
export type ActiveMandate = Caps & {
  readonly appId: AppId;
  readonly spentToday: Quarters;
  readonly expiresAt: Date;
};

export async function listMandates({ query }: Queries, userId: UserId): Promise<ActiveMandate[]> {
  return query<ActiveMandate>(
    `SELECT app_id AS "appId", ${CAP_COLUMNS}, ${SPENT_TODAY}, expires_at AS "expiresAt"
       FROM mandates JOIN apps ON apps.id = app_id
      WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > now() ORDER BY mandates.created_at DESC, app_id`,
    [userId],
  );
}

/**
 * Withdraws a mandate, by the player's choice. Waits for a transaction that is using it: what that one accepts counts. After this has
 * committed, nothing more is accepted under the mandate.
 */
export async function revokeMandate({ query }: Queries, userId: UserId, appId: AppId): Promise<void> {
  await query(
    'UPDATE mandates SET revoked_at = coalesce(revoked_at, now()), asks_always = true WHERE user_id = $1 AND app_id = $2',
    [userId, appId],
  );
}

/** Ends all mandates of a user. `byChoice`: they want to be asked from now on. */
export function revokeMandatesOf(tx: Tx, userId: UserId, byChoice = false): Promise<void> {
  return revokeAll(tx, 'user_id', userId, byChoice);
}

/** Withdraws all mandates for an app that is being deleted. */
export function revokeMandatesFor(tx: Tx, appId: AppId): Promise<void> {
  return revokeAll(tx, 'app_id', appId);
}

/** Locks them in the same order as other transactions do. */
async function revokeAll(
  { query }: Tx,
  whose: 'user_id' | 'app_id',
  id: UserId | AppId,
  byChoice = false,
): Promise<void> {
  await query(
    `WITH living AS (
       SELECT user_id, app_id FROM mandates WHERE ${whose} = $1 AND revoked_at IS NULL
        ORDER BY user_id, app_id FOR NO KEY UPDATE)
     UPDATE mandates SET revoked_at = now(), asks_always = $2 FROM living
      WHERE mandates.user_id = living.user_id AND mandates.app_id = living.app_id`,
    [id, byChoice],
  );
}

export type GrantedUser = {
  readonly userId: UserId;
  /** Empty if the user has none. */
  readonly email: string;
  readonly expiresAt: Date;
};

/**
 * Creates mandates from approvals before auto approval was enabled, for users without one, and returns these users. A mandate that was
 * withdrawn or has expired stays so. Users who withdrew the app's access or closed their account are left out. So are approvals by a
 * guest who then became a user, since the conversion has ended those.
 */
export async function grantMandatesToApprovers(
  { query }: Queries,
  grant: MandateLimits & { appId: AppId; approvals: readonly { userId: UserId; approvedAt: Date }[] },
): Promise<GrantedUser[]> {
  return query<GrantedUser>(
    `WITH granted AS (
       INSERT INTO mandates (user_id, app_id, max_per_transfer, max_per_day, expires_at)
       SELECT users.id, $1, $4, $5, now() + make_interval(days => $6)
         FROM unnest($2::text[], $3::timestamptz[]) AS approval (user_id, approved_at)
         JOIN users ON users.id = approval.user_id
        WHERE users.kind <> 'closed' AND (became_full_at IS NULL OR approved_at > became_full_at)
          AND NOT EXISTS (SELECT FROM consents
                           WHERE consents.user_id = users.id AND consents.app_id = $1 AND revoked_at IS NOT NULL)
        ORDER BY users.id
       ON CONFLICT (user_id, app_id) DO NOTHING
       RETURNING user_id, expires_at)
     SELECT user_id AS "userId", coalesce(email, '') AS email, expires_at AS "expiresAt"
       FROM granted JOIN users ON users.id = user_id ORDER BY user_id`,
    [
      grant.appId,
      ...columnsOf(grant.approvals, ['userId', 'approvedAt']),
      grant.maxPerTransfer,
      grant.maxPerDay,
      grant.days,
    ],
  );
}
