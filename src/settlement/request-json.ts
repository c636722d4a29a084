import { toChecksum } from '../base/address.ts';
import { timestamp } from '../base/dates.ts';
import type { RequestView } from './request-view.ts';

/** A request as the API and events show it: the API's fields and the current status. */
export function requestJson(view: RequestView) {
  return {
    id: view.id,
    tokens: Number(view.amount),
    appId: view.appId,
    appAddress: toChecksum(view.appAddress),
    embedCode: view.id,
    description: view.description,
    type: 'transfer' as const,
    endpoint: `/v1/requests/${view.id}`,
    created: timestamp(view.createdAt),
    userId: view.userId,
    status: view.status,
    txId: view.txHash,
    completed: view.completedAt && timestamp(view.completedAt),
    refunded: Number(view.refunded),
    refundOf: view.refundOf,
  };
}
