import { Problem } from '../../base/problems.ts';
import { outsideContext } from '../../base/request-context.ts';
import { CommitUnknown, isUnavailable, lostToOthers } from '../../db/database.ts';
import { groupCommit } from '../../transfers/group-commit.ts';
import type { Service } from '../service.ts';
import { decideTransfers } from './decide-transfers.ts';
import type { Decided, Order } from './orders.ts';
import { outcomeUnknown } from './outcome-unknown.ts';
import { refuseWhileSuspended } from './suspension.ts';

/** Orders decided in one transaction at the most: enough to use a commit well, few enough to keep locks short. */
export const MAX_GROUP = 200;
/** How long an answer waits for a database that went away during COMMIT. */
const UNCERTAIN_FOR_MS = 30_000;

/** Far beyond what a group takes: the database does not commit, or nobody knows whether it did. */
const STALLED_AFTER_MS = 10_000;

/** Decides orders in groups; `drained` resolves when none is under way. `isStalled`: new orders would wait for one that does not end. */
export function openDecider(
  deps: Pick<Service, 'db' | 'vault' | 'chain' | 'settlement' | 'admission' | 'settings' | 'readiness'>,
): {
  decide(order: Order): Promise<Decided>;
  drained(): Promise<void>;
  isStalled(): boolean;
} {
  const decideGroup = decideTransfers(deps);
  // The first call of a run of groups begins it; the groups are everybody's.
  const group = groupCommit(
    (orders: readonly Order[], uncertain) => outsideContext(() => decideGroup(orders, uncertain)),
    {
      maxGroup: MAX_GROUP,
      uncertainForMs: UNCERTAIN_FOR_MS,
      payerOf: ({ from }) => from,
    },
  );
  return {
    async decide(order) {
      // Refused before anything is decided, never after.
      refuseWhileSuspended(deps);
      const place = deps.admission.enter(order);
      try {
        const decided = await group.submit(order);
        if (decided.replayed) place.giveBack();
        else place.keep();
        return decided;
      } catch (error) {
        const told = readable(error, order);
        if (told instanceof Problem && told.code === 'outcome-unknown') place.keep();
        else place.giveBack();
        throw told;
      }
    },
    drained: group.drained,
    isStalled: () => group.underWayMs() > STALLED_AFTER_MS,
  };
}

function readable(error: unknown, order: Order): unknown {
  if (error instanceof CommitUnknown) return outcomeUnknown();
  // What it waited for may be an equal call, in another process, that is just being committed.
  if (lostToOthers(error) && (order.idempotency || order.origin.kind === 'approval')) return outcomeUnknown();
  if (!isUnavailable(error)) return error;
  return new Problem('database-unavailable', 'The database can not be reached; nothing was decided. Try again.');
}
