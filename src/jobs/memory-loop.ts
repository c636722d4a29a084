import { takeIn } from '../membership/take-in.ts';
import type { Service } from '../service/service.ts';
import { refreshSuspension } from '../settlement/readiness.ts';
import { type Loop, repeat } from './repeat.ts';

/** Reads again what this process keeps in memory of the database: whether payments are accepted. */
export const refreshMemory = ({ db, self, ...service }: Service): Promise<void> =>
  takeIn(db, self.id, () => refreshSuspension({ db, ...service }));

/** A change is announced. Polling finds one whose announcement a pooler has swallowed, or that nobody announces. */
export function memoryLoop(service: Service, pauseMs: () => number, firstAfterMs: number): Loop {
  const refresh = async () => {
    await refreshMemory(service);
    return false;
  };
  const loop = repeat('memory', service, pauseMs, refresh, firstAfterMs);
  service.db.onAnnounced('memory', loop.wake);
  return loop;
}
