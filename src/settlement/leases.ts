import { randomUUID } from 'node:crypto';
import { type Lease, releaseLeases, renewLeases, takeLeases } from '../chain/relayers.ts';
import type { Queries } from '../db/database.ts';
import { relayersInUse } from './accept/signing.ts';
import type { Engine } from './service.ts';

/** How long after a kill -9 another process takes over the dead one's relayers. */
const LEASE_SECONDS = 5;

/** This process's share of the relayers. */
export type LeaseKeeper = {
  /** Renews leases, returns surplus ones and takes free ones. Call it well within the lease time. */
  keep(): Promise<boolean>;
  release(): Promise<void>;
};

/**
 * Shares the relayers among the running processes. Each holds at most its fair share of the settlement relayers, so that a new
 * process finds some. The leases of a dead process are taken over when they expire. The operator's relayer goes to the first
 * process that finds it free.
 */
export function leaseKeeper({ db, settings, settlement }: Engine): LeaseKeeper {
  const holder = randomUUID();
  return {
    async keep() {
      const { alive, before } = await seeProcess(db, holder, LEASE_SECONDS);
      settlement.processes = alive;
      const { all, renewed } = await renewLeases(db, settlement.leases, holder, LEASE_SECONDS);
      settlement.relayers = relayersInUse(all, settings);
      const count = all.filter(({ purpose }) => purpose === 'settlement').length;
      const share = Math.max(0, Math.ceil((count - before) / alive));
      const held = settlement.leases.filter(({ address }) => renewed.has(address));
      const [ofSettlement, ofOperator] = byPurpose(held);
      const kept = ofSettlement.slice(0, share);
      // Stop using them here before releasing them to others.
      settlement.leases = [...kept, ...ofOperator];
      await releaseLeases(db, ofSettlement.slice(share));
      const missing = share - kept.length;
      const taken = missing > 0 ? await takeLeases(db, 'settlement', holder, LEASE_SECONDS, missing) : [];
      const alsoTaken = ofOperator.length === 0 ? await takeLeases(db, 'operator', holder, LEASE_SECONDS, 1) : [];
      settlement.leases = [...kept, ...taken, ...ofOperator, ...alsoTaken];
      settlement.outgoing.keepOnly(settlement.leases.map(({ address }) => address));
      return false;
    },
    async release() {
      const { leases } = settlement;
      settlement.leases = [];
      await releaseLeases(db, leases);
      await forgetProcess(db, holder);
    },
  };
}

function byPurpose(leases: readonly Lease[]): [settlement: Lease[], operator: Lease[]] {
  const those = (wanted: Lease['purpose']) => leases.filter(({ purpose }) => purpose === wanted);
  return [those('settlement'), those('operator')];
}

/**
 * Records that this process is alive. Returns how many are (by the database's clock), including itself, and how many of
 * them come before it in the order in which they share.
 */
async function seeProcess(
  { query }: Queries,
  id: string,
  lifeSeconds: number,
): Promise<{ alive: number; before: number }> {
  // A statement does not see its own changes, so this process is counted separately. A process that is being recorded
  // as alive right now is locked, and not deleted.
  const [row] = await query<{ alive: bigint; before: bigint }>(
    `WITH seen AS (
       INSERT INTO processes (id, seen_at) VALUES ($1, clock_timestamp())
       ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
     ), dead AS (
       SELECT id FROM processes
        WHERE id <> $1 AND abs(extract(epoch FROM clock_timestamp() - seen_at)) > $2
          FOR UPDATE SKIP LOCKED
     ), forgotten AS (
       DELETE FROM processes USING dead WHERE processes.id = dead.id
     )
     SELECT 1 + count(*) AS alive, count(*) FILTER (WHERE id < $1) AS before FROM processes
      WHERE id <> $1 AND abs(extract(epoch FROM clock_timestamp() - seen_at)) <= $2`,
    [id, lifeSeconds],
  );
  return { alive: Number(row!.alive), before: Number(row!.before) };
}

/** How many processes of the service are alive, by the database's clock. */
export async function countProcesses({ query }: Queries): Promise<number> {
  const [row] = await query<{ count: bigint }>(
    'SELECT count(*) FROM processes WHERE abs(extract(epoch FROM clock_timestamp() - seen_at)) <= $1',
    [LEASE_SECONDS],
  );
  return Number(row!.count);
}

/** Removes a process that ends in order, so that the others take over its share at once. */
async function forgetProcess({ query }: Queries, id: string): Promise<void> {
  await query('DELETE FROM processes WHERE id = $1', [id]);
}
