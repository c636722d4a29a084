import type { UserId } from '../../base/ids.ts';
import { endSessionsOf } from '../../oauth/sessions.ts';
import type { Service } from '../service.ts';

/** Ends all of somebody's sessions on our pages. What apps may do is not touched. */
export async function signOutEverywhere({ db }: Pick<Service, 'db'>, userId: UserId): Promise<void> {
  // In a transaction, which is run again after a deadlock with somebody who holds one of them.
  await db.transaction((tx) => endSessionsOf(tx, userId));
}
