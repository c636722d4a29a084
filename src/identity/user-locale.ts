import type { UserId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';

/** Keeps the language that a full user has chosen or, with `ifNone`, the one they sign in with. */
export async function keepLocale(
  { query }: Queries,
  id: UserId,
  locale: string,
  { ifNone = false }: { readonly ifNone?: boolean } = {},
): Promise<void> {
  await query(`UPDATE users SET locale = $2 WHERE id = $1 AND kind = 'full' AND (locale IS NULL OR NOT $3)`, [
    id,
    locale,
    ifNone,
  ]);
}
