import type { UserId } from '../base/ids.ts';
import type { Query } from '../db/database.ts';

/** Which of these users are full users, not guests. */
export async function fullUsersAmong({ query }: { query: Query }, ids: readonly UserId[]): Promise<Set<UserId>> {
  const rows = await query<{ id: UserId }>(`SELECT id FROM users WHERE id = ANY($1) AND kind = 'full'`, [ids]);
  return new Set(rows.map(({ id }) => id));
}
