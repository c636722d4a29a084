import { setTimeout as delay } from 'node:timers/promises';
import type { TransferId } from '../../base/ids.ts';
import { listProcesses } from '../../membership/processes.ts';
import type { Service } from '../../service/service.ts';
import { findTransfers } from '../../settlement/tables/transfers.ts';

/** Two blocks of Ethereum, and somewhat more. */
const ARRIVES_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 50;
const AT_ONCE = 1_000;

/** `late`: the chain has not settled it in time. `unsent`: no service runs that would send it. */
export type Arrival = 'arrived' | 'late' | 'unsent';

/** Waits until what was accepted has settled, so that whoever gets it can spend it with the next call. It does not wait for ever. */
export async function waitForArrival(
  { db }: Pick<Service, 'db'>,
  hasArrived: () => Promise<boolean>,
  withinMs = ARRIVES_WITHIN_MS,
): Promise<Arrival> {
  const began = performance.now();
  while (!(await hasArrived())) {
    if (!(await listProcesses(db)).some(({ working }) => working)) return 'unsent';
    if (performance.now() - began > withinMs) return 'late';
    await delay(LOOK_AGAIN_MS);
  }
  return 'arrived';
}

/** Looks whether all of these transfers have settled, and never again at one that has. */
export function transfersArrived({ db }: Pick<Service, 'db'>, ids: readonly TransferId[]): () => Promise<boolean> {
  let left = [...ids];
  return async () => {
    while (left.length > 0) {
      const looked = await findTransfers(db, left.slice(0, AT_ONCE));
      const open = looked.filter(({ decidedBlock }) => decidedBlock === null).map(({ id }) => id);
      left = [...open, ...left.slice(AT_ONCE)];
      if (open.length > 0) return false;
    }
    return true;
  };
}
