import { type Loop, repeat } from '../../../jobs/repeat.ts';
import { chainEntries } from '../../../operator-log/chain.ts';
import type { Service } from '../../../service/service.ts';

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
