import { setTimeout as delay } from 'node:timers/promises';
import { comparedSeenAt } from '../membership/processes.ts';
import type { Service } from '../service/service.ts';

const LOOK_AGAIN_MS = 200;
/** A process that works shows each second that it is alive. */
const LOOK_FOR_MS = 3_000;

/**
 * Whether another process, which is alive, knows this database to be the newest. A restored backup has rows of processes, too, and they may
 * be of a second ago. So only one counts that is seen alive once more while this looks.
 */
export async function isComparedByOthers({ db, self }: Pick<Service, 'db' | 'self'>): Promise<boolean> {
  const until = performance.now() + LOOK_FOR_MS;
  const before = await comparedSeenAt(db, self.id);
  while (before.size > 0 && performance.now() < until) {
    await delay(LOOK_AGAIN_MS);
    for (const [id, seenAt] of await comparedSeenAt(db, self.id)) {
      if (before.has(id) && before.get(id) !== seenAt) return true;
    }
  }
  return false;
}
