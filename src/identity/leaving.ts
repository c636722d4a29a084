import type { UserId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { revokeConsentsOf } from './consents.ts';

/** Deletes a user's credentials and withdraws all they allowed apps to do. */
export async function eraseCredentials(tx: Tx, userId: UserId): Promise<void> {
  const { query } = tx;
  await query('DELETE FROM passwords WHERE user_id = $1', [userId]);
  await query('DELETE FROM passkeys WHERE user_id = $1', [userId]);
  await query('DELETE FROM passkey_challenges WHERE user_id = $1', [userId]);
  await query('DELETE FROM email_codes WHERE user_id = $1', [userId]);
  await revokeConsentsOf(tx, userId);
}
