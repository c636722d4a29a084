import { Problem } from '../base/problems.ts';
import type { Readiness } from '../service/service.ts';

// The one place that decides whether this process may act on what its database says. A database that was restored from an older backup
// does not know what was paid since. Whoever spends, expires, ends, grants or forgets something by it cannot take that back. So everything
// that does asks here first, and waits, or is refused, until the database was compared with the chain.

type Known = Pick<Readiness, 'compared' | 'trusted'>;
type Halted = Known & Pick<Readiness, 'suspended'>;

/** Seconds after which a caller should try again. A node that was away answers at any moment. */
const COMPARED_SOON_SECONDS = 5;

/** Whether the database is known to be as new as the chain, but for what a comparison has suspended payments for. */
export function isNewest({ compared, trusted }: Known): boolean {
  return compared === 'done' || trusted;
}

/** Whether this process may spend, expire, end, close, grant or forget something. Loops that do so wait while it may not. */
export function mayAct(readiness: Halted): boolean {
  return isNewest(readiness) && !readiness.suspended;
}

/** Throws `payments-suspended` unless this process {@link mayAct}. */
export function refuseInTheDark({ readiness }: { readonly readiness: Halted }): void {
  if (!mayAct(readiness)) throw inTheDark(readiness);
}

/**
 * For a sweep, which also has to work while a thief pays with our keys: to a comparison, that looks like a newer database. Throws
 * `payments-suspended` before the comparison.
 */
export function refuseUncompared({ readiness }: { readonly readiness: Halted }): void {
  if (!isNewest(readiness)) throw inTheDark(readiness);
}

/** As {@link refuseInTheDark}, and while quarters move to new addresses: for all that pays, but what moves them. */
export function refuseWhileSuspended(deps: { readonly readiness: Halted & Pick<Readiness, 'moving'> }): void {
  refuseInTheDark(deps);
  if (deps.readiness.moving) {
    throw new Problem(
      'payments-suspended',
      'Payments are suspended while quarters move to new addresses. Nothing was done. Try again later.',
    );
  }
}

/** Whether no payment is accepted. */
export function arePaymentsHalted({ readiness }: { readonly readiness: Halted & Pick<Readiness, 'moving'> }): boolean {
  return !mayAct(readiness) || readiness.moving;
}

/** The refusal of a process that may not act. */
export function inTheDark({ suspended }: Pick<Readiness, 'suspended'>): Problem {
  if (suspended) {
    return new Problem(
      'payments-suspended',
      'Payments are suspended until the operator has checked the database. Nothing was done.',
    );
  }
  return new Problem(
    'payments-suspended',
    'Payments wait until the database is compared with the chain. The chain node has to answer for that. Nothing was done. Try again.',
    [],
    undefined,
    COMPARED_SOON_SECONDS,
  );
}
