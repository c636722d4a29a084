import type { Service } from '../../../src/service/service.ts';
import { until } from '../unit/until.ts';

/**
 * How many transactions wait for a lock in a test's database at the moment. Every second a service renews its leases on relayers, which waits
 * for whoever holds one: that is nobody whom a test waits for.
 */
export async function lockWaiters(service: Pick<Service, 'db'>): Promise<number> {
  return (await waitingQueries(service)).length;
}

async function waitingQueries({ db }: Pick<Service, 'db'>): Promise<string[]> {
  const waiting = await db.query<{ query: string }>(
    `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
        AND query NOT LIKE '%lease_expires_at%'`,
  );
  return waiting.map(({ query }) => query);
}

export function lockWaitersAre(service: Pick<Service, 'db'>, count: number): Promise<void> {
  return until(
    `${count} wait for a lock`,
    async () => (await lockWaiters(service)) === count,
    async () => (await waitingQueries(service)).join('\n'),
  );
}
