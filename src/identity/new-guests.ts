import { type AppId, randomLettersAndDigits, type UserId } from '../base/ids.ts';
import { hashSecret } from '../base/secrets.ts';
import { byteaText, jsonRows, type Tx } from '../db/database.ts';

/** A guest to create: a user without e-mail, controlled by an app, with two tokens. */
export type GuestToInsert = {
  readonly userId: UserId;
  readonly appId: AppId;
  readonly accessToken: string;
  readonly pageToken: string;
};

/** In English, because it is stored, and games show it. */
const newName = () => `Guest ${randomLettersAndDigits(4).toUpperCase()}`;

/**
 * Stores guests whose rows were lost. They are not counted: they were once. Returns the ids of those it stored: there may be such a user, of
 * whatever kind.
 */
export async function insertLostGuests(
  { query }: Tx,
  guests: readonly Pick<GuestToInsert, 'userId' | 'appId'>[],
): Promise<ReadonlySet<UserId>> {
  const rows = guests.map(({ userId, appId }) => ({ id: userId, name: newName(), app: appId }));
  const inserted = await query<{ id: UserId }>(
    `INSERT INTO users (id, kind, display_name, guest_of)
     SELECT id, 'guest', name, app FROM jsonb_to_recordset($1) AS row (id text, name text, app text) ORDER BY id
     ON CONFLICT DO NOTHING RETURNING id`,
    [jsonRows(rows)],
  );
  return new Set(inserted.map(({ id }) => id));
}

/**
 * Creates guests and counts them, as many as their apps may still create today (UTC), in the given order. Returns the ids of those it
 * created. `most`: for one app a day.
 *
 * All are counted at first, which locks the days' rows, and those above the limit are taken off again in this transaction.
 */
export async function insertGuests(
  { query }: Tx,
  guests: readonly GuestToInsert[],
  most: number,
): Promise<ReadonlySet<UserId>> {
  const behind = new Map<AppId, number>();
  const rows = guests.toReversed().map(({ userId, appId, accessToken, pageToken }) => {
    const ofApp = behind.get(appId) ?? 0;
    behind.set(appId, ofApp + 1);
    const [access, page] = [accessToken, pageToken].map((token) => byteaText(hashSecret(token)));
    return { id: userId, name: newName(), app: appId, access, page, behind: ofApp };
  });
  const inserted = await query<{ id: UserId }>(
    `WITH given AS (
       SELECT * FROM jsonb_to_recordset($1) AS row (id text, name text, app text, access bytea, page bytea, behind int)),
     counts AS (
       INSERT INTO guest_counts AS counted (app_id, day, count)
       SELECT app, (now() AT TIME ZONE 'UTC')::date, count(*) FROM given GROUP BY app ORDER BY app
       ON CONFLICT (app_id, day) DO UPDATE SET count = counted.count + excluded.count
       RETURNING app_id, count),
     fitting AS (SELECT given.* FROM given JOIN counts ON app_id = app WHERE count - behind <= $2),
     guests AS (
       INSERT INTO users (id, kind, display_name, guest_of) SELECT id, 'guest', name, app FROM fitting),
     tokens AS (
       INSERT INTO guest_tokens (hash, purpose, user_id, app_id)
       SELECT access, 'access', id, app FROM fitting UNION ALL SELECT page, 'page', id, app FROM fitting)
     SELECT id FROM fitting`,
    [jsonRows(rows), most],
  );
  const created = new Set(inserted.map(({ id }) => id));
  if (created.size < guests.length) {
    await query(
      `UPDATE guest_counts SET count = count - refused.number
         FROM (SELECT app, count(*) AS number FROM unnest($1::text[]) AS app GROUP BY app) AS refused
        WHERE app_id = app AND day = (now() AT TIME ZONE 'UTC')::date`,
      [guests.flatMap(({ userId, appId }) => (created.has(userId) ? [] : [appId]))],
    );
  }
  return created;
}
