import { newTransferId } from '../../base/ids.ts';
import { Problem, type ProblemCode } from '../../base/problems.ts';
import { findTreasury } from '../../ledger/accounts.ts';
import { markSwept, unsweptAccounts } from '../../ledger/closed-accounts.ts';
import { endRewards } from '../../ledger/rewards.ts';
import type { Service } from '../../settlement/service.ts';

/** The most accounts swept in one round. */
const MOST = 100;

const NOTHING_FREE: ReadonlySet<ProblemCode> = new Set(['insufficient-quarters', 'quarters-unconfirmed']);

/**
 * Sends the balance of closed accounts back to the treasury, what they held at closing and what reaches them later, and
 * ends their rewards. Only accounts that may have received something since the last round are checked. Two processes
 * may see the same quarters, but the second transfer is refused because they are held already.
 *
 * Returns true if there may be more to do at once.
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

/** Another process has just swept it. Or a reorganisation took it back, and it is swept once it is there again. */
function unlessSwept(error: unknown): void {
  if (!(error instanceof Problem) || !NOTHING_FREE.has(error.code)) throw error;
}
