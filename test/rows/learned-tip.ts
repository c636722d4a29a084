import type { Database } from '../../src/db/database.ts';

/** The chain's tip was learned so many minutes ago. */
export async function ageLearnedTip(db: Database, minutes: number): Promise<void> {
  await db.query('UPDATE learned_tip SET learned_at = now() - make_interval(mins => $1)', [minutes]);
}
