import type { Hash } from '../../base/hex.ts';
import type { RequestId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import type { TransferRequest } from '../../requests/requests.ts';
import type { Service } from '../../settlement/service.ts';
import { findTransfersOfRequest } from '../../settlement/tables/transfers.ts';

/** The result that the game gets when the page is done. */
export type ApprovalOutcome =
  | { readonly kind: 'approved'; readonly requestId: RequestId; readonly txHash: Hash }
  | { readonly kind: 'declined'; readonly requestId: RequestId }
  | {
      readonly kind: 'failed';
      readonly requestId: RequestId;
      readonly status: 'expired' | 'cancelled' | 'failed';
      readonly error: string;
    };

/** The player went back to the game without deciding, so the page can be opened again. */
export type NotAccepted = {
  readonly kind: 'not-enough';
  readonly requestId: RequestId;
  /** How much the request exceeds what they have. */
  readonly missing: Quarters;
  readonly expiresAt: Date;
  readonly error: string;
};

/** The outcome of a decided request, always the same; null while it is pending. */
export async function outcomeOf(
  { db }: Pick<Service, 'db'>,
  request: TransferRequest,
): Promise<ApprovalOutcome | null> {
  const requestId = request.id;
  switch (request.status) {
    case 'pending':
      return null;
    case 'declined':
      return { kind: 'declined', requestId };
    case 'expired':
    case 'cancelled':
    case 'failed':
      return {
        kind: 'failed',
        requestId,
        status: request.status,
        error: `The request has ${request.status === 'cancelled' ? 'been cancelled' : request.status}.`,
      };
    case 'approved':
    case 'submitted':
    case 'completed': {
      const [transfer] = await findTransfersOfRequest(db, requestId);
      return { kind: 'approved', requestId, txHash: transfer!.txHash };
    }
  }
}

/** Signs how a request was decided, for the app that made it. A new proof is made for each call. */
export function proveOutcome(
  { results }: Pick<Service, 'results'>,
  { appId }: Pick<TransferRequest, 'appId'>,
  outcome: ApprovalOutcome,
): Promise<string> {
  const { kind, requestId } = outcome;
  return results.sign(appId, { outcome: kind, requestId, ...(kind === 'approved' && { txId: outcome.txHash }) });
}
