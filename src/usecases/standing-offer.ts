import type { StandingLimits } from '../identity/standing-approvals.ts';
import { withoutAsking } from './confirmation.ts';
import type { Service } from './service.ts';

/** What "without asking" allows an app now. What was allowed earlier stays as it was said then. */
export function standingOffer(service: Pick<Service, 'settings'>): StandingLimits {
  const { settings } = service;
  return {
    maxPerTransfer: withoutAsking(service, settings.standingPerTransfer),
    maxPerDay: settings.standingPerDay,
    days: settings.standingDays,
  };
}
