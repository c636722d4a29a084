import type { ReplicaState } from '../../db/reads.ts';
import { type Finding, good } from './finding.ts';

/** Nothing waits for a replica, so one that is away is no reason to be red. */
export function findingOfReplica({ isInUse, reason, lagMs }: ReplicaState): Finding {
  const facts = lagMs === null ? [] : [{ name: 'Lag', value: `${lagMs.toFixed(0)} ms` }];
  if (isInUse) return good('Consoles, exports and lists are read from the replica.', facts);
  const remedy = {
    says: 'Look at the standby that DATABASE_READ_URL leads to, and at its network.',
    docs: 'docs/operate/high-availability.md#a-read-replica',
  };
  return { state: 'warning', says: `The primary reads everything. Of the replica: ${reason}.`, facts, remedy };
}
