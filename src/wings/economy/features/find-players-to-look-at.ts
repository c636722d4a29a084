import type { Service } from '../../../service/service.ts';
import { readEconomyCursor } from '../store/cursor.ts';
import { findFarmedGuests } from '../store/farmed-guests.ts';
import { findNeverPaid } from '../store/never-paid.ts';

/**
 * Finds who has never paid, and which guests look farmed. It reads all players, so a job does it once an hour. Nobody is said to have never
 * paid before everything is counted.
 */
export async function findPlayersToLookAt({ db }: Pick<Service, 'db'>): Promise<void> {
  if ((await readEconomyCursor(db)).whole) await db.transaction(findNeverPaid);
  await db.transaction(findFarmedGuests);
}
