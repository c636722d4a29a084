import { Problem } from '../../base/problems.ts';
import { readSuspension } from '../../ledger/suspension.ts';
import type { Service } from '../service.ts';

/**
 * Throws `payments-suspended` where the database was found to be older than the chain and the operator has not accepted that
 * yet, and `overloaded` while it is being looked at.
 */
export function refuseWhileSuspended({ readiness }: Pick<Service, 'readiness'>): void {
  if (readiness.suspended) {
    throw new Problem('payments-suspended', 'Payments are stopped until the operator has looked. Nothing was decided.');
  }
  if (readiness.compared === 'under-way') {
    throw new Problem('overloaded', 'The database is being compared with the chain. Try again in a moment.');
  }
}

/** Learns from the database whether payments are suspended: whichever process has found out, and whoever has accepted it. */
export async function noteSuspension({ db, readiness, log }: Pick<Service, 'db' | 'readiness' | 'log'>): Promise<void> {
  const suspension = await readSuspension(db);
  if (readiness.suspended === (suspension !== null)) return;
  readiness.suspended = suspension !== null;
  if (suspension) {
    log.error(
      { since: suspension.since, ...suspension.findings },
      'the database is older than the chain: no payment is decided until the operator has accepted it (quarters suspension)',
    );
  } else log.warn({}, 'the operator has accepted that the database is older than the chain: payments go on');
}
