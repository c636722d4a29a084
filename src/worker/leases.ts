import { randomUUID } from 'node:crypto';
import { forgetProcess, seeProcess } from '../chain/processes.ts';
import { countRelayers, releaseLeases, renewLeases, takeLeases } from '../chain/relayers.ts';
import type { Service } from '../usecases/service.ts';

/** After a kill -9 the relayers are free again this long afterwards; deciding waits for it. */
const LEASE_SECONDS = 5;

/** This process's share of the relayers. */
export type LeaseKeeper = {
  /** Prolongs what is held, gives back what is too much, takes what is free; to be called well within the lease time. */
  keep(): Promise<boolean>;
  release(): Promise<void>;
};

/**
 * Shares the settlement relayers among the living processes: each holds at most its fair part, so that one that joins finds
 * some, and what a dead one held is taken over when its lease runs out.
 */
export function leaseKeeper({ db, settings, settlement, log }: Service): LeaseKeeper {
  const holder = randomUUID();
  let warned = false;
  return {
    async keep() {
      const { alive, before } = await seeProcess(db, holder, LEASE_SECONDS);
      settlement.processes = alive;
      // Others may have made more relayers than this process knows of; whether they have ether is theirs to see to.
      const fair = Math.ceil(((await countRelayers(db, 'settlement')) - before) / alive);
      const share = Math.max(0, Math.min(settings.relayers, fair));
      const renewed = await renewLeases(db, settlement.leases, holder, LEASE_SECONDS);
      const held = settlement.leases.filter(({ address }) => renewed.has(address));
      const kept = held.slice(0, share);
      // First out of use here, then free for others.
      settlement.leases = kept;
      await releaseLeases(db, held.slice(share));
      const taken =
        kept.length < share ? await takeLeases(db, 'settlement', holder, LEASE_SECONDS, share - kept.length) : [];
      settlement.leases = [...kept, ...taken];
      if (settlement.leases.length === 0 && !warned) {
        log.warn(
          { processes: alive },
          'no relayer is free for this process: set RELAYERS to at least the number of processes',
        );
      }
      warned = settlement.leases.length === 0;
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
