import { newTransferId } from '../../base/ids.ts';
import { Problem, type ProblemCode } from '../../base/problems.ts';
import { findTreasury } from '../../ledger/accounts.ts';
import { markSwept, unsweptAccounts } from '../../ledger/closed-accounts.ts';
import { endRewards } from '../../ledger/rewards.ts';
import type { Service } from '../service.ts';

/** Accounts swept in one go. */
const MOST = 100;

const NOTHING_FREE: ReadonlySet<ProblemCode> = new Set(['insufficient-quarters', 'quarters-unconfirmed']);

/**
 * Sends what closed accounts can spend back to the treasury: what they held when they were closed, and what reaches them later;
 * and ends their rewards. Only those that can have received something since the last look are looked at. Two processes at it see the same quarters, and the decision about the second transfer finds them set aside already.
 *
 * Returns true where there may be more to do at once.
 */
export async function sweepClosed(service: Pick<Service, 'db' | 'decide'>): Promise<boolean> {
  const unswept = await unsweptAccounts(service.db, MOST);
  if (unswept.length === 0) return false;
  const addresses = unswept.map(({ address }) => address);
  const { address: treasury } = await findTreasury(service.db);
  const ended = await service.db.transaction((tx) => endRewards(tx, treasury, addresses, MOST));
  await service.db.transaction((tx) => markSwept(tx, addresses));
  const full = unswept.filter(({ free }) => free > 0n);
  await Promise.all(
    full.map(({ address, free }) =>
      service
        .decide({ transferId: newTransferId(), from: address, to: treasury, amount: free, origin: { kind: 'closing' } })
        .catch(unlessSwept),
    ),
  );
  return unswept.length === MOST || ended === MOST;
}

/** By another process, just now; or a reorganisation has taken it back, and it is swept once it is there again. */
function unlessSwept(error: unknown): void {
  if (!(error instanceof Problem) || !NOTHING_FREE.has(error.code)) throw error;
}
