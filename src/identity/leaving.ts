import type { UserId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';

/** Erases what a user signed in with, and ends what they allowed apps to do. */
export async function eraseCredentials({ query }: Tx, userId: UserId): Promise<void> {
  await query('DELETE FROM passwords WHERE user_id = $1', [userId]);
  await query('DELETE FROM passkeys WHERE user_id = $1', [userId]);
  await query('DELETE FROM passkey_challenges WHERE user_id = $1', [userId]);
  await query('DELETE FROM email_codes WHERE user_id = $1', [userId]);
  await query('UPDATE consents SET revoked_at = now() WHERE user_id = $1 AND revoked_at IS NULL', [userId]);
}
