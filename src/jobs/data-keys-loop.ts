import { readMasterKey } from '../custody/master-key.ts';
import { noteDataKey } from '../membership/processes.ts';
import type { Service } from '../service/service.ts';
import { type Loop, repeat } from './repeat.ts';

/** A new data key is announced. Polling finds one whose announcement a pooler has swallowed. */
const PAUSE_MS = 5_000;

/** Takes over new data keys, and records which this process holds: nothing is sealed under one that a process lacks. */
export function dataKeysLoop(
  service: Pick<Service, 'db' | 'log' | 'loopFaults' | 'self' | 'settings' | 'vault'>,
  firstAfterMs: number,
  pauseMs = PAUSE_MS,
): Loop {
  const { db, self, settings, vault } = service;
  const update = async () => {
    await noteDataKey(db, self.id, await vault.update(db, () => readMasterKey(settings)));
    return false;
  };
  const loop = repeat('data keys', service, pauseMs, update, firstAfterMs);
  db.onAnnounced('data keys', loop.wake);
  return loop;
}
