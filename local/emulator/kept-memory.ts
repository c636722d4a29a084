import { Outgoing } from '../../src/chain/outgoing.ts';
import type { Readiness, Service, Settlement } from '../../src/service/service.ts';

/** What a service keeps in memory of its database and its chain. */
export type KeptMemory = { readonly settlement: Settlement; readonly readiness: Readiness };

export function keepMemory({ settlement, readiness }: Service): KeptMemory {
  return {
    settlement: {
      ...settlement,
      raised: [],
      leases: [],
      atFeeCeiling: new Map(),
      outgoing: new Outgoing(),
      settledUnseen: new Set(),
      final: { ...settlement.final },
    },
    readiness: { ...readiness, proven: { ...readiness.proven } },
  };
}

/** Called while no loop of the service runs: they begin anew afterwards. */
export function bringBackMemory(service: Service, kept: KeptMemory): void {
  Object.assign(service.settlement, keepMemory({ ...service, ...kept }).settlement);
  Object.assign(service.readiness, { ...kept.readiness, proven: { ...kept.readiness.proven } });
}
