import type { TransferId } from '../../../base/ids.ts';
import type { Quarters } from '../../../base/quarters.ts';
import { type App, findApps } from '../../../identity/apps.ts';
import { findRequests, type TransferRequest } from '../../../requests/requests.ts';
import type { Service } from '../../../service/service.ts';
import { findTransfers, type Transfer } from '../../../settlement/tables/transfers.ts';
import { archivedBefore } from '../../../views/requests/not-here.ts';
import { searchTransfers, type TransferSearch } from '../../../views/transfers/find-transfers.ts';

export type AnyPaymentFilter = Pick<TransferSearch, 'createdFrom' | 'createdBefore'> & {
  readonly amount: Quarters | null;
  readonly text: string | null;
};

/** `request` and `app`: null for what moves without an app. */
export type AnyPayment = {
  readonly transfer: Transfer;
  readonly request: TransferRequest | null;
  readonly app: App | null;
};

export type AnyPaymentPage = {
  readonly payments: readonly AnyPayment[];
  readonly next: string | null;
  /** The page has looked at as many as it may, back to here. Null: it is full, or the last. */
  readonly searchedTo: Date | null;
  /** See `archivedBefore`. */
  readonly archived: Date | null;
};

const PER_PAGE = 50;

/** Accepted payments of all apps, and what the operator has moved, newest first. A page looks at 100,000 of them. */
export async function listAnyPayments(
  { reads }: Pick<Service, 'reads'>,
  filter: AnyPaymentFilter,
  after: TransferId | null,
): Promise<AnyPaymentPage> {
  const search = { ...filter, appId: null, userId: null, statuses: null, after, limit: PER_PAGE };
  const { transfers, next } = await searchTransfers({ reads }, search);
  const found = await findRequests(reads, [...new Set(transfers.flatMap(({ requestId }) => requestId ?? []))]);
  const requests = new Map(found.map((request) => [request.id, request]));
  const apps = await findApps(reads, [...new Set(found.map(({ appId }) => appId))]);
  const payments = transfers.map((transfer) => {
    const request = (transfer.requestId && requests.get(transfer.requestId)) ?? null;
    return { transfer, request, app: request ? (apps.get(request.appId) ?? null) : null };
  });
  // A payment that a reward pays in part has two transfers, which follow each other.
  const each = payments.filter(({ request }, i) => request === null || payments[i - 1]?.request?.id !== request.id);
  const [edge] = next !== null && transfers.length < PER_PAGE ? await findTransfers(reads, [next as TransferId]) : [];
  const archived = await archivedBefore(reads, next);
  return { payments: each, next, searchedTo: edge?.createdAt ?? null, archived };
}
