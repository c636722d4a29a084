import type { TransferId } from '../base/ids.ts';
import type { Service } from '../service/service.ts';
import { maySend } from '../settlement/readiness.ts';
import { type ListTransfers, settleUsed } from '../settlement/settle-used.ts';
import { listStranded } from '../settlement/tables/transfer-transitions.ts';
import { type Loop, repeat } from './repeat.ts';

const FIRST_REST_MS = 60_000;
const MOST_REST_MS = 3_600_000;

/**
 * Settles transfers that lost their transaction because the chain had used their authorization in an earlier block. What nobody shows is
 * looked for again after growing rests, because that may read all blocks there are.
 */
export function usedLoop(service: Service, pauseMs: () => number, firstAfterMs: number): Loop {
  const { settlement, readiness } = service;
  let resting: ReadonlySet<TransferId> = new Set();
  let restMs = FIRST_REST_MS;
  let restsUntil = 0;
  const listOthers: ListTransfers = async (db, after, most) => {
    for (let from = after; ; ) {
      const page = await listStranded(db, from, most);
      const others = page.filter(({ id }) => !resting.has(id));
      if (others.length > 0 || page.length === 0) return others;
      from = page.at(-1)!.id;
    }
  };
  const settle = async () => {
    const isDue = settlement.strandedSuspected && settlement.leases.length > 0 && !readiness.suspended;
    if (!isDue || !maySend(readiness)) return false;
    const now = performance.now();
    if (now >= restsUntil) resting = new Set();
    const { notFound } = await settleUsed(service, listOthers);
    if (notFound.length > 0) {
      resting = new Set([...resting, ...notFound]);
      restsUntil = now + restMs;
      restMs = Math.min(restMs * 2, MOST_REST_MS);
    } else if (resting.size === 0) restMs = FIRST_REST_MS;
    return false;
  };
  return repeat('used authorizations', service, pauseMs, settle, firstAfterMs);
}
