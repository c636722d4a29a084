import type { Address } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';
import type { RequestId } from '../base/ids.ts';
import { completedAt, type TransferRequest } from '../requests/requests.ts';
import { findTransfersOfRequest } from '../transfers/transfers.ts';
import type { Service } from './service.ts';

/** A request as its user and its app see it. */
export type RequestView = TransferRequest & {
  readonly appAddress: Address;
  /** The transaction that pays it; null before it is approved. After a replacement: the mined one. */
  readonly txHash: Hash | null;
  readonly completedAt: Date | null;
};

export async function viewRequest({ db }: Pick<Service, 'db'>, request: TransferRequest): Promise<RequestView> {
  const appAddress = request.source === 'payout' ? request.from : request.to;
  if (request.status === 'pending' || request.status === 'declined') {
    return { ...request, appAddress, txHash: null, completedAt: null };
  }
  const [transfer] = await findTransfersOfRequest(db, request.id as RequestId);
  return {
    ...request,
    appAddress,
    txHash: transfer?.txHash ?? null,
    completedAt: request.status === 'completed' ? await completedAt(db, request.id) : null,
  };
}
