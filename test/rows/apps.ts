import type { AppId } from '../../src/base/ids.ts';
import { hashSecret } from '../../src/base/secrets.ts';
import { endKey, listKeys } from '../../src/identity/app-keys.ts';
import { changing, insertRows, type Queries } from './statements.ts';

type AppColumns = {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string | null;
  readonly publicClient: boolean;
  readonly testTransferId: string | null;
  readonly deletedAt: Date;
};

export function insertAppRow(db: Queries, id: string): Promise<void> {
  return insertRows(db, 'apps', [{ id, name: 'Test Game' }]);
}

export const changeApps = changing<AppColumns>('apps');

type AppKeyColumns = {
  readonly hash: Uint8Array;
  readonly appId: string;
  readonly scopes: readonly string[];
  readonly payPerDay: number | null;
  readonly name: string;
  readonly lastUsedAt: Date;
};

export const changeAppKeys = changing<AppKeyColumns>('app_keys');

/** Revokes a key of the app, given the secret that its server knows. */
export async function revokeSecret(db: Queries, appId: AppId, secret: string): Promise<void> {
  if (!(await endKey(db, appId, keyIdOf(secret)))) throw new Error('The app has no such living key');
}

/** Revokes the active keys of an app, except one. */
export async function revokeOtherSecrets(db: Queries, appId: AppId, secret: string): Promise<void> {
  const kept = keyIdOf(secret);
  for (const { id } of await listKeys(db, appId, { living: true })) if (id !== kept) await endKey(db, appId, id);
}

/** The name of a key in listings. */
const keyIdOf = (secret: string) => hashSecret(secret).subarray(0, 8).toString('hex');

/** Ends the day for all daily counts: what keys pay, ask for and approve, and new guests. */
export async function letDayPass({ query }: Queries, appId: string): Promise<void> {
  await query(
    `UPDATE app_keys SET paid_on = paid_on - 1, asked_on = asked_on - 1, approved_on = approved_on - 1 WHERE app_id = $1`,
    [appId],
  );
  await query('UPDATE guest_counts SET day = day - 1 WHERE app_id = $1', [appId]);
}

/** Lets time pass for an app's invitations. `by`: an interval of PostgreSQL. */
export async function ageInvitations({ query }: Queries, appId: string, by: string): Promise<void> {
  await query('UPDATE app_invitations SET expires_at = expires_at - $2::interval WHERE app_id = $1', [appId, by]);
}
