import type { UserId } from '../../base/ids.ts';
import { lesser, type Quarters } from '../../base/quarters.ts';
import type { AppMandateLimits } from '../../identity/app-auto-approval.ts';
import type { App } from '../../identity/apps.ts';
import { lookUpMandateWish, type MandateChoice, type MandateLimits } from '../../identity/mandates.ts';
import type { Session } from '../../oauth/sessions.ts';
import type { Service } from '../../service/service.ts';

/** How long a proof of identity counts for payments. It is also the time to approve after signing in again. */
const CONFIRMED_MS = 5 * 60_000;

/** A payment so large that its player must confirm their identity. `given`: they did so a moment ago. */
export type Confirmation = { readonly above: Quarters; readonly given: boolean };

type Deps = Pick<Service, 'settings'>;

/**
 * Null if none is needed. Guests (no session) have nothing to prove it with: their game holds everything that opens
 * their account, and could answer any question for them.
 */
export function confirmationOf({ settings }: Deps, amount: Quarters, session: Session | null): Confirmation | null {
  const above = settings.confirmAbove;
  if (!session || above === 0n || amount <= above) return null;
  return { above, given: Date.now() - session.signedInAt.getTime() < CONFIRMED_MS };
}

/**
 * The part of an amount that a game may take without asking, whatever was allowed: no more than needs no confirmation.
 */
export function withoutAsking({ settings }: Deps, amount: Quarters): Quarters {
  return settings.confirmAbove === 0n ? amount : lesser(amount, settings.confirmAbove);
}

/**
 * The mandate that an app can get now. Mandates given earlier keep the limits that were stated then, but for the operator's limits for
 * the app, which apply to all of them.
 */
export function mandateOffer(
  service: Pick<Service, 'settings'>,
  app: AppMandateLimits = { mandatePerTransfer: null, mandatePerDay: null },
): MandateLimits {
  const { settings } = service;
  return {
    maxPerTransfer: withoutAsking(service, within(settings.mandatePerTransfer, app.mandatePerTransfer)),
    maxPerDay: within(settings.mandatePerDay, app.mandatePerDay),
    days: settings.mandateDays,
  };
}

/** The mandate that an app can get from one player, who may have chosen less, or that the app asks every time. */
export async function offerTo(
  service: Pick<Service, 'db' | 'settings'>,
  app: App,
  userId: UserId,
): Promise<MandateChoice> {
  const wish = await lookUpMandateWish(service.db, { userId, appId: app.id });
  const offer = mandateOffer(service, app);
  const limits = {
    ...offer,
    maxPerTransfer: within(offer.maxPerTransfer, wish?.ownPerTransfer ?? null),
    maxPerDay: within(offer.maxPerDay, wish?.ownPerDay ?? null),
  };
  return { limits, asksAlways: wish?.asksAlways ?? false };
}

function within(amount: Quarters, limit: Quarters | null): Quarters {
  return limit === null ? amount : lesser(amount, limit);
}
