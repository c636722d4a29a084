import { randomUUID } from 'node:crypto';
import { forgetProcess, seeProcess } from '../chain/processes.ts';
import { type Lease, listRelayers, releaseLeases, renewLeases, takeLeases } from '../chain/relayers.ts';
import type { Service } from '../usecases/service.ts';
import { relayersInUse } from '../usecases/system/next-relayer.ts';

/** After a kill -9 another process sends for the dead one's relayers this long afterwards. */
const LEASE_SECONDS = 5;

/** This process's share of the relayers. */
export type LeaseKeeper = {
  /** Prolongs what is held, gives back what is too much, takes what is free; to be called well within the lease time. */
  keep(): Promise<boolean>;
  release(): Promise<void>;
};

/**
 * Shares the relayers among the living processes: each sends for at most its fair part of those of settlement, so that one that joins
 * finds some, and what a dead one held is taken over when its lease runs out. The operator's goes to whoever finds it free.
 */
export function leaseKeeper({ db, settings, settlement }: Service): LeaseKeeper {
  const holder = randomUUID();
  return {
    async keep() {
      const { alive, before } = await seeProcess(db, holder, LEASE_SECONDS);
      settlement.processes = alive;
      const all = await listRelayers(db);
      settlement.relayers = relayersInUse(all, settings);
      const count = all.filter(({ purpose }) => purpose === 'settlement').length;
      const share = Math.max(0, Math.ceil((count - before) / alive));
      const renewed = await renewLeases(db, settlement.leases, holder, LEASE_SECONDS);
      const held = settlement.leases.filter(({ address }) => renewed.has(address));
      const [ofSettlement, ofOperator] = byPurpose(held);
      const kept = ofSettlement.slice(0, share);
      // First out of use here, then free for others.
      settlement.leases = [...kept, ...ofOperator];
      await releaseLeases(db, ofSettlement.slice(share));
      const missing = share - kept.length;
      const taken = missing > 0 ? await takeLeases(db, 'settlement', holder, LEASE_SECONDS, missing) : [];
      const alsoTaken = ofOperator.length === 0 ? await takeLeases(db, 'operator', holder, LEASE_SECONDS, 1) : [];
      settlement.leases = [...kept, ...taken, ...ofOperator, ...alsoTaken];
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
