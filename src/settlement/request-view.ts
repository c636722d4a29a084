import { type Address, toChecksum } from '../base/address.ts';
import { timestamp } from '../base/dates.ts';
import type { Hash } from '../base/hex.ts';
import type { RequestId } from '../base/ids.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import { findRequest, refundedOf, type TransferRequest } from '../requests/requests.ts';
import { completedAt } from '../requests/transitions.ts';
import type { Service } from './service.ts';
import { transactionsOfRequests } from './tables/transfers.ts';

/** A request as its user and its app see it. */
export type RequestView = TransferRequest & {
  readonly appAddress: Address;
  /** The transaction that pays it, after a replacement the mined one; null before it is approved. */
  readonly txHash: Hash | null;
  readonly completedAt: Date | null;
  /** What was refunded of it, or is on its way back. */
  readonly refunded: Quarters;
};

/** The requests, in the given order, each with its outcome. A hundred take as many statements as one. */
export async function viewRequests(
  { db }: Pick<Service, 'db'>,
  requests: readonly TransferRequest[],
): Promise<RequestView[]> {
  const approved = requests.filter(({ status }) => status !== 'pending' && status !== 'declined').map(({ id }) => id);
  const completed = requests.filter(({ status }) => status === 'completed').map(({ id }) => id);
  const [transactions, completions, refunds] = await Promise.all([
    transactionsOfRequests(db, approved),
    completedAt(db, completed),
    refundedOf(db, approved),
  ]);
  return requests.map((request) => ({
    ...request,
    appAddress: appAddressOf(request),
    txHash: transactions.get(request.id) ?? null,
    completedAt: completions.get(request.id) ?? null,
    refunded: refunds.get(request.id) ?? asQuarters(0),
  }));
}

/** An existing request with its outcome. */
export async function viewRequest(service: Pick<Service, 'db'>, id: RequestId): Promise<RequestView> {
  const request = await findRequest(service.db, id);
  if (!request) throw new Error(`The request ${id} is not stored`);
  return (await viewRequests(service, [request]))[0]!;
}

export function appAddressOf({ source, from, to }: TransferRequest): Address {
  return source === 'user' ? to : from;
}

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
