import type { StandingLimits } from '../identity/standing-approvals.ts';
import type { Service } from './service.ts';

/** What "without asking" allows an app now. What was allowed earlier stays as it was said then. */
export function standingOffer({ settings }: Pick<Service, 'settings'>): StandingLimits {
  return {
    maxPerTransfer: settings.standingPerTransfer,
    maxPerDay: settings.standingPerDay,
    days: settings.standingDays,
  };
}
