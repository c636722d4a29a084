import { readCursor } from '../../ledger/blocks.ts';
import type { Service } from '../../service/service.ts';
import type { TransactionAttempt } from '../../settlement/tables/transaction-attempts.ts';

/** `confirmations`: how deep its block is, counting itself. Null if it is in none. */
export type ShownAttempt = TransactionAttempt & { readonly confirmations: bigint | null };

/** Returns what says how deep attempts are, as far as the ledger has followed the chain by now. */
export async function openConfirmations({
  db,
  settings,
}: Pick<Service, 'db' | 'settings'>): Promise<(attempt: TransactionAttempt) => ShownAttempt> {
  const cursor = await readCursor(db);
  // The ledger follows that many blocks behind the chain's newest.
  const head = (cursor?.number ?? 0n) + BigInt(settings.completeAfter - 1);
  return (attempt) => ({
    ...attempt,
    confirmations: attempt.minedBlock === null ? null : head - attempt.minedBlock + 1n,
  });
}
