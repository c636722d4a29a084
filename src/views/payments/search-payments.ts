import { type Hash, hashFrom } from '../../base/hex.ts';
import { type AppId, type RequestId, type TransferId, type UserId, userIdFrom, uuidFrom } from '../../base/ids.ts';
import { type RequestFilter, readRequestPage, stretchOf } from '../../requests/request-list.ts';
import { findRequests, type RequestView, type TransferRequest } from '../../requests/requests.ts';
import type { Service } from '../../service/service.ts';
import { findTransfers, requestsCarriedBy } from '../../settlement/tables/transfers.ts';
import { archivedBefore, requireNotArchived } from '../requests/not-here.ts';
import { viewRequests } from '../requests/read-requests.ts';
import { senderOfTransaction } from '../transfers/read-transfers.ts';

/** Which of an app's requests to show. `userId`: those with this user. */
export type PaymentFilter = RequestFilter & { readonly userId: UserId | null };

/** What somebody looks for: one payment by a name that is its own, or anything with a text. */
export type PaymentTerm =
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'hash'; readonly hash: Hash }
  | { readonly kind: 'user'; readonly userId: UserId }
  | { readonly kind: 'text'; readonly text: string };

/** What a typed text names: a request or transfer by its id, a transaction by its hash, a user by their id, or words. */
export function paymentTerm(typed: string): PaymentTerm {
  const id = uuidFrom(typed);
  if (id) return { kind: 'id', id };
  const [hash, userId] = [hashFrom(typed), userIdFrom(typed)];
  if (hash) return { kind: 'hash', hash };
  return userId ? { kind: 'user', userId } : { kind: 'text', text: typed };
}

/**
 * An app's requests that a transfer's id, a request's id or a transaction's hash names; also of a transaction that another one has replaced.
 * Those of other apps are left out. Throws `chain-unavailable` for a hash that only the node knows, if it does not answer, and
 * `archived` for an id of a time whose payments are.
 */
export async function findPayments(
  service: Pick<Service, 'db' | 'reads' | 'rpc'>,
  appId: AppId,
  term: Extract<PaymentTerm, { kind: 'id' | 'hash' }>,
): Promise<TransferRequest[]> {
  const { reads } = service;
  const ids = term.kind === 'id' ? await requestsNamed(service, term.id) : await requestsIn(service, term.hash);
  const found = await findRequests(reads, ids);
  if (found.length === 0 && term.kind === 'id') await requireNotArchived(reads, term.id);
  return found.filter((request) => request.appId === appId);
}

async function requestsNamed({ reads }: Pick<Service, 'reads'>, id: string): Promise<RequestId[]> {
  const transfers = await findTransfers(reads, [id as TransferId]);
  return [id as RequestId, ...transfers.flatMap(({ requestId }) => requestId ?? [])];
}

async function requestsIn(service: Pick<Service, 'db' | 'reads' | 'rpc'>, hash: Hash): Promise<RequestId[]> {
  const sender = await senderOfTransaction(service, hash);
  return sender ? requestsCarriedBy(service.reads, { ...sender, hash }) : [];
}

/** `searchedTo`: the search stopped there, before the page was full; older requests may match. Null if there are none. */
export type PaymentPage = {
  readonly requests: readonly TransferRequest[];
  /** Where the next page begins; null if there is none. */
  readonly next: RequestId | null;
  readonly isFull: boolean;
  /** See `archivedBefore`. */
  readonly archived: Date | null;
};

/** An app's requests, newest first. A page reads at most 5,000 of them, so one may be short or empty without being the last. */
export async function searchPayments(
  { reads }: Pick<Service, 'reads'>,
  appId: AppId,
  filter: PaymentFilter,
  before: RequestId | null,
  limit: number,
): Promise<PaymentPage> {
  const whose = { appId, userId: filter.userId };
  const stretch = await stretchOf(reads, whose, before, filter);
  const found = await readRequestPage(reads, whose, stretch, before, filter, limit + 1);
  const requests = found.slice(0, limit);
  const isFull = found.length > limit;
  const edge = stretch.more ? stretch.from : null;
  const next = isFull ? requests.at(-1)!.id : edge;
  return { requests, isFull, next, archived: await archivedBefore(reads, next) };
}

const PIECE = 500;
/** A rare match may need many pages for one row. */
const MOST_PAGES = 200;

/** The same requests with their outcomes, at most `most`, in pieces, so that a long list is never in memory as a whole. */
export async function* allPayments(
  service: Pick<Service, 'reads'>,
  appId: AppId,
  filter: PaymentFilter,
  most: number,
): AsyncGenerator<readonly RequestView[]> {
  let before: RequestId | null = null;
  let left = most;
  for (let page = 0; page < MOST_PAGES && left > 0; page++) {
    const found: PaymentPage = await searchPayments(service, appId, filter, before, Math.min(PIECE, left));
    left -= found.requests.length;
    if (found.requests.length > 0) yield await viewRequests({ db: service.reads }, found.requests);
    before = found.next;
    if (before === null) return;
  }
}
