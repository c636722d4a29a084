import type { Readiness, Service, Settlement } from '../service/service.ts';

/**
 * The service inside settlement, which alone changes what this process has seen of its database, its chain and its
 * relayers.
 */
export type Engine = Service & { readonly settlement: Settlement; readonly readiness: Readiness };
