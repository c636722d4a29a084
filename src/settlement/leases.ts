import { type Lease, type Relayer, releaseLeases, renewLeases, takeLeases } from '../chain/relayers.ts';
import type { Database } from '../db/database.ts';
import { joinProcesses } from '../membership/join.ts';
import {
  forgetProcess,
  PROCESS_LIVES_SECONDS,
  type ProcessSelf,
  renewWorking,
  type Said,
} from '../membership/processes.ts';
import { relayersInUse } from './accept/signing.ts';
import type { Engine } from './engine.ts';
import { isNewest } from './may-act.ts';
import { saidOf } from './said.ts';

/** How long after a kill -9 another process takes over the dead one's relayers. */
const LEASE_SECONDS = PROCESS_LIVES_SECONDS;

/** This process's share of the relayers. */
export type LeaseKeeper = {
  /**
   * Renews leases, returns surplus ones and takes free ones. Call it well within the lease time. Throws `IncompatibleRelease` if a
   * process of another release started while this one was not seen.
   */
  keep(): Promise<boolean>;
  release(): Promise<void>;
};

/**
 * Shares the relayers among the running processes. Each holds at most its fair share of the settlement relayers, so that a new
 * process finds some. The leases of a dead process are taken over when they expire. The operator's relayer, and retired ones, go to the first
 * process that finds them free.
 */
export function leaseKeeper(service: Engine): LeaseKeeper {
  const { db, settings, settlement, readiness, self } = service;
  const holder = self.id;
  return {
    async keep() {
      const { alive, before } = await showAlive(db, self, isNewest(readiness), saidOf(service));
      settlement.processes = alive;
      const { all, renewed } = await renewLeases(db, settlement.leases, holder, LEASE_SECONDS);
      settlement.relayers = relayersInUse(all, settings);
      const count = all.filter(({ purpose }) => purpose === 'settlement').length;
      const share = Math.max(0, Math.ceil((count - before) / alive));
      const held = settlement.leases.filter(({ address }) => renewed.has(address));
      const [ofSettlement, others] = byPurpose(held);
      const kept = ofSettlement.slice(0, share);
      // Stop using them here before releasing them to others.
      settlement.leases = [...kept, ...others];
      await releaseLeases(db, ofSettlement.slice(share));
      const missing = share - kept.length;
      const taken = missing > 0 ? await takeLeases(db, 'settlement', holder, LEASE_SECONDS, missing) : [];
      const alsoTaken: Lease[] = [];
      for (const purpose of ['operator', 'retired'] as const) {
        const countOf = (some: readonly Relayer[]) => some.filter((one) => one.purpose === purpose).length;
        const missing = countOf(all) - countOf(others);
        if (missing > 0) alsoTaken.push(...(await takeLeases(db, purpose, holder, LEASE_SECONDS, missing)));
      }
      settlement.leases = [...kept, ...taken, ...others, ...alsoTaken];
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

function byPurpose(leases: readonly Lease[]): [settlement: Lease[], others: Lease[]] {
  const isShared = ({ purpose }: Lease) => purpose === 'settlement';
  return [leases.filter(isShared), leases.filter((lease) => !isShared(lease))];
}

/** Records that this process is alive and works. It enters again if the others have forgotten it, after a long silence. */
async function showAlive(
  db: Database,
  self: ProcessSelf,
  compared: boolean,
  said: Said,
): Promise<{ readonly alive: number; readonly before: number }> {
  for (;;) {
    const place = await renewWorking(db, self.id, compared, said);
    if (place) return place;
    await joinProcesses(db, self);
  }
}
