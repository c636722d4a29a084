import { findOutOfTime } from '../requests/requests.ts';
import type { Service } from '../settlement/service.ts';
import { moveRequests } from '../settlement/transition-requests.ts';

/** Marks pending requests that have run out of time as expired, at most `most`. Returns how many. */
export async function expireRequests({ db }: Pick<Service, 'db'>, most: number): Promise<number> {
  const ids = await findOutOfTime(db, most);
  return (await db.transaction((tx) => moveRequests(tx, ids, 'expire', 'clock'))).length;
}
