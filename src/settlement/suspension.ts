import { Problem } from '../base/problems.ts';
import { readSuspension } from '../ledger/suspension.ts';
import type { Service } from './service.ts';

/**
 * Throws `payments-suspended` if the database is older than the chain and the operator has not accepted that yet, and
 * `overloaded` while the check runs.
 */
export function refuseWhileSuspended({ readiness }: Pick<Service, 'readiness'>): void {
  if (readiness.suspended) {
    throw new Problem(
      'payments-suspended',
      'Payments are suspended until the operator has checked the database. Nothing was done.',
    );
  }
  if (readiness.compared === 'under-way') {
    throw new Problem('overloaded', 'The database is being compared with the chain. Try again in a moment.');
  }
}

/** Reads from the database whether payments are suspended, whichever process found it out and whoever accepted it. */
export async function noteSuspension({ db, readiness, log }: Pick<Service, 'db' | 'readiness' | 'log'>): Promise<void> {
  const suspension = await readSuspension(db);
  if (readiness.suspended === (suspension !== null)) return;
  readiness.suspended = suspension !== null;
  if (suspension) {
    log.error(
      { since: suspension.since, ...suspension.findings },
      'the database is older than the chain: no payment is accepted until the operator confirms that (quarters suspension)',
    );
  } else log.warn({}, 'the operator has accepted that the database is older than the chain: payments continue');
}
