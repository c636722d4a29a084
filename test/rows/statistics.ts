import type { Database } from '../../src/db/database.ts';
import { waitForEconomy } from '../../src/wings/economy/store/cursor.ts';
import { startOver } from '../../src/wings/economy/store/undo.ts';
import { changing } from './statements.ts';

export const changeNotedDays = changing<{ readonly takenAt: Date }>('economy_days');

/** The times that statistics know, by table. The first step of a move keeps rows of one key apart. */
const MOVED = {
  requests:
    'transition_times = ARRAY(SELECT at + $1::interval FROM unnest(transition_times) WITH ORDINALITY AS made (at, place) ORDER BY place)',
  events: 'created_at = created_at + $1::interval',
  app_hours: 'hour = hour + $1::interval',
  app_hour_delays: 'hour = hour + $1::interval',
  postings: 'posted_at = posted_at + $1::interval',
} as const;

/**
 * Moves everything that happened that many hours into the past, as if they had passed. In one transaction, because a running service
 * would forget rows that are far back in between. The ledger has to be counted again.
 */
export async function letHoursPass(db: Pick<Database, 'transaction'>, hours: number): Promise<void> {
  const far = 1_000_000;
  await db.transaction(async (tx) => {
    await waitForEconomy(tx);
    await startOver(tx);
    for (const [table, change] of Object.entries(MOVED)) {
      for (const by of [-far, far - hours]) await tx.query(`UPDATE ${table} SET ${change}`, [`${by} hours`]);
    }
  });
}
