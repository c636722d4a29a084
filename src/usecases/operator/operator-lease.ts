import { randomUUID } from 'node:crypto';
import { Problem } from '../../base/problems.ts';
import { type Lease, releaseLeases, takeLeases } from '../../chain/relayers.ts';
import type { Service } from '../service.ts';

const LEASE_SECONDS = 30;
const LEASE_WAIT_MS = 40_000;

/**
 * Runs `work` with the operator's own relayer, leased for this one moment, so that commands work beside running services and
 * beside each other. Throws `overloaded` where another command holds it for too long.
 */
export async function withOperatorLease<T>(
  { db }: Pick<Service, 'db'>,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const holder = randomUUID();
  const deadline = Date.now() + LEASE_WAIT_MS;
  for (;;) {
    const [lease] = await takeLeases(db, 'operator', holder, LEASE_SECONDS, 1);
    if (lease) {
      try {
        return await work(lease);
      } finally {
        // It runs out by itself; a database that is away must not turn what was decided into a failure.
        await releaseLeases(db, [lease]).catch(() => {});
      }
    }
    if (Date.now() > deadline)
      throw new Problem('overloaded', "Another command holds the operator's relayer. Try again.");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
