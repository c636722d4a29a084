import type { Hash } from '../../base/hex.ts';
import type { RequestId, TransferId } from '../../base/ids.ts';
import { findRequest, type TransferRequest } from '../../requests/requests.ts';
import type { Service } from '../../settlement/service.ts';
import { attemptsFor, type TransactionAttempt } from '../../settlement/tables/attempts.ts';
import {
  findTransferByTransaction,
  findTransfers,
  findTransfersOfRequest,
  type Transfer,
} from '../../settlement/tables/transfers.ts';

export type TransferReport = {
  readonly transfer: Transfer;
  readonly request: TransferRequest | null;
  /** Every transaction that has carried it, oldest first. */
  readonly attempts: readonly TransactionAttempt[];
};

/**
 * Looks transfers up by a transfer's id, a request's id, or any transaction's hash. Returns an empty list if there is
 * none.
 */
export async function showTransfer({ db }: Pick<Service, 'db'>, key: string): Promise<TransferReport[]> {
  const transfers = await lookUp(db, key);
  return Promise.all(
    transfers.map(async (transfer) => ({
      transfer,
      request: transfer.requestId ? await findRequest(db, transfer.requestId) : null,
      attempts: await attemptsFor(db, transfer.id),
    })),
  );
}

async function lookUp(db: Service['db'], key: string): Promise<Transfer[]> {
  if (key.startsWith('0x')) {
    const transfer = await findTransferByTransaction(db, key.toLowerCase() as Hash);
    return transfer ? [transfer] : [];
  }
  const byId = await findTransfers(db, [key as TransferId]);
  return byId.length > 0 ? byId : findTransfersOfRequest(db, key as RequestId);
}
