import type { StandingLimits } from '../../identity/mandates.ts';
import type { Service } from '../../settlement/service.ts';
import { withoutAsking } from './confirmation.ts';

/** The mandate that an app can get now. Mandates given earlier keep the limits that were stated then. */
export function standingOffer(service: Pick<Service, 'settings'>): StandingLimits {
  const { settings } = service;
  return {
    maxPerTransfer: withoutAsking(service, settings.standingPerTransfer),
    maxPerDay: settings.standingPerDay,
    days: settings.standingDays,
  };
}
