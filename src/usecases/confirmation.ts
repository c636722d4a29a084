import { lesser, type Quarters } from '../base/quarters.ts';
import type { Session } from '../oauth/sessions.ts';
import type { Service } from './service.ts';

/** How long a proof of who somebody is counts for payments. Also the time they have to approve after the detour. */
const CONFIRMED_MS = 5 * 60_000;

/** A payment so large that its player proves once more who they are; `given`: they have done so a moment ago. */
export type Confirmation = { readonly above: Quarters; readonly given: boolean };

type Deps = Pick<Service, 'settings'>;

/**
 * Null where none is needed. Guests (no session) have nothing to prove it with: their game holds all that opens their account, and
 * could answer for them whatever we asked.
 */
export function confirmationOf({ settings }: Deps, amount: Quarters, session: Session | null): Confirmation | null {
  const above = settings.confirmAbove;
  if (!session || above === 0n || amount <= above) return null;
  return { above, given: Date.now() - session.signedInAt.getTime() < CONFIRMED_MS };
}

/** As much of an amount as a game may take without asking, whatever was allowed: no more than needs no confirmation. */
export function withoutAsking({ settings }: Deps, amount: Quarters): Quarters {
  return settings.confirmAbove === 0n ? amount : lesser(amount, settings.confirmAbove);
}
