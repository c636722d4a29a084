import type { Chore } from '../../../jobs/additions.ts';
import { type Loop, repeat } from '../../../jobs/repeat.ts';
import type { Service } from '../../../service/service.ts';
import { checkLogDaily } from '../features/check-log-daily.ts';
import { deletePruned } from '../features/prune-log.ts';
import { chainEntries } from '../store/chain.ts';

/** New entries are announced. Polling finds those of a process that died. */
const PAUSE_MS = 5_000;
const MOST = 500;

/** Gives new entries of the operator's log their places in its chain. */
export function operatorLogLoop(service: Service, firstAfterMs: number): Loop {
  const { db } = service;
  const chain = async () => (await db.transaction((tx) => chainEntries(tx, MOST))) === MOST;
  const loop = repeat("operator's log", service, PAUSE_MS, chain, firstAfterMs);
  db.onAnnounced('log', loop.wake);
  return loop;
}

export const LOG_CHORES: Readonly<Record<string, Chore>> = {
  "check the operator's log": async (service) => {
    await checkLogDaily(service);
    // If a pruning was interrupted.
    await deletePruned(service);
    return false;
  },
};
