import { Problem } from '../../base/problems.ts';
import { CommitUnknown, isConnectionFailure } from '../../db/database.ts';
import { groupCommit } from '../../transfers/group-commit.ts';
import type { Service } from '../service.ts';
import { decideTransfers } from './decide-transfers.ts';
import type { Decided, Order } from './orders.ts';
import { outcomeUnknown } from './outcome-unknown.ts';

/** Orders decided in one transaction at the most: enough to use a commit well, few enough to keep locks short. */
export const MAX_GROUP = 200;
/** How long an answer waits for a database that went away during COMMIT. */
const UNCERTAIN_FOR_MS = 30_000;

/** Decides orders in groups; `drained` resolves when none is under way. */
export function openDecider(deps: Pick<Service, 'db' | 'vault' | 'chain' | 'settlement' | 'settings'>): {
  decide(order: Order): Promise<Decided>;
  drained(): Promise<void>;
} {
  const group = groupCommit(decideTransfers(deps), {
    maxGroup: MAX_GROUP,
    uncertainForMs: UNCERTAIN_FOR_MS,
    payerOf: ({ from }) => from,
  });
  return {
    async decide(order) {
      // Refused before anything is decided, never after.
      refuseBeyondBacklog(deps);
      try {
        return await group.submit(order);
      } catch (error) {
        throw readable(error);
      }
    },
    drained: group.drained,
  };
}

/** Throws `overloaded` where too many signed transactions wait to be mined. */
export function refuseBeyondBacklog({ settings, settlement }: Pick<Service, 'settings' | 'settlement'>): void {
  if (settlement.backlog >= settings.maxBacklog) {
    throw new Problem('overloaded', 'Too many transfers are on their way. Try again in a moment.');
  }
}

function readable(error: unknown): unknown {
  if (error instanceof CommitUnknown) return outcomeUnknown();
  if (!isConnectionFailure(error)) return error;
  return new Problem('database-unavailable', 'The database can not be reached; nothing was decided. Try again.');
}
