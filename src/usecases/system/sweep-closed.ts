import { newTransferId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { findTreasury } from '../../ledger/accounts.ts';
import { closedWithQuarters } from '../../ledger/closed-accounts.ts';
import { endRewardsOfClosed } from '../../ledger/rewards.ts';
import type { Service } from '../service.ts';

/** Accounts swept in one go. */
const MOST = 100;

/**
 * Sends what closed accounts can spend back to the treasury: what they held when they were closed, and what reaches them later;
 * and ends their rewards. Two processes at it see the same quarters, and the decision about the second transfer finds them set aside already.
 *
 * Returns true where there may be more to do at once.
 */
export async function sweepClosed(service: Pick<Service, 'db' | 'decide'>): Promise<boolean> {
  const { address: treasury } = await findTreasury(service.db);
  const ended = await service.db.transaction((tx) => endRewardsOfClosed(tx, treasury, MOST));
  const closed = await closedWithQuarters(service.db, MOST);
  await Promise.all(
    closed.map(({ address, free }) =>
      service
        .decide({ transferId: newTransferId(), from: address, to: treasury, amount: free, origin: { kind: 'closing' } })
        .catch(unlessSwept),
    ),
  );
  return closed.length === MOST || ended === MOST;
}

/** By another process, just now. */
function unlessSwept(error: unknown): void {
  if (!(error instanceof Problem) || error.code !== 'insufficient-quarters') throw error;
}
