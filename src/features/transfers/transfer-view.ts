import type { RequestId } from '../../base/ids.ts';
import { findRequests } from '../../requests/requests.ts';
import { completedAt } from '../../requests/transitions.ts';
import type { Service } from '../../settlement/service.ts';
import type { Transfer } from '../../settlement/tables/transfers.ts';

/** A transfer as the user and the app of its request see it. */
export type TransferView = Transfer & {
  /** When its request was completed; null before. */
  readonly completedAt: Date | null;
  /** The payment that it refunds. */
  readonly refundOf: RequestId | null;
};

export async function viewTransfers(
  { db }: Pick<Service, 'db'>,
  transfers: readonly Transfer[],
): Promise<TransferView[]> {
  const ids = [...new Set(transfers.flatMap(({ requestId }) => requestId ?? []))];
  const [requests, completions] = await Promise.all([findRequests(db, ids), completedAt(db, ids)]);
  const byId = new Map(requests.map((request) => [request.id, request]));
  return transfers.map((transfer) => {
    const request = transfer.requestId ? byId.get(transfer.requestId) : undefined;
    return {
      ...transfer,
      completedAt: request?.status === 'completed' ? (completions.get(request.id) ?? null) : null,
      refundOf: request?.refundOf ?? null,
    };
  });
}
