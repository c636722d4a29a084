import { changing, type Queries, type Where } from './statements.ts';
import { ago } from './times.ts';

type RecordColumns = {
  readonly model: 'AccessToken' | 'Session';
  readonly hash: Uint8Array;
  readonly userId: string;
  readonly expiresAt: Date;
  readonly consumedAt: Date;
  readonly createdAt: Date;
  readonly usedAt: Date | null;
  readonly uid: string;
};

/** OAuth's records: codes, grants, tokens, sessions. */
export const changeRecords = changing<RecordColumns>('oauth_records');

/** Makes them expire, `age` before now. */
export function expireRecords(db: Queries, which: Where<RecordColumns>, age = '1 second'): Promise<void> {
  return changeRecords(db, which, { expiresAt: ago(age) });
}

/** Makes a session, or all of a user's, that much older. */
export async function ageSessions(
  { query }: Queries,
  { hash, userId }: { readonly hash?: Uint8Array; readonly userId?: string },
  age: string,
): Promise<void> {
  await query(
    `UPDATE oauth_records
        SET payload = jsonb_set(payload, '{loginTs}', to_jsonb((payload->>'loginTs')::bigint - extract(epoch FROM $3::interval)::bigint))
      WHERE model = 'Session' AND (hash = $1 OR user_id = $2)`,
    [hash, userId, age],
  );
}
