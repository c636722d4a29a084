import type { RequestId, UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { asQuarters } from '../../base/quarters.ts';
import type { Queries } from '../../db/database.ts';
import type { Caller } from '../../identity/callers.ts';
import { refundedOf } from '../../requests/refunded.ts';
import type { Whose } from '../../requests/request-list.ts';
import { appAddressOf, lookUpRequest, type RequestView, type TransferRequest } from '../../requests/requests.ts';
import { completedAt } from '../../requests/transitions.ts';
import type { Service } from '../../service/service.ts';
import { transactionsOfRequests } from '../../settlement/tables/transfers.ts';
import { notHere } from './not-here.ts';
import { undecidedInTheDark } from './undecided.ts';

const NONE_OF_YOURS = 'There is no such request of yours.';

/** Whose requests a caller sees; null for nobody's, because another user was asked for. */
export function visibleTo(caller: Caller, userId: UserId | null): Whose | null {
  const { appId } = caller;
  if (caller.kind === 'app') return { appId, userId };
  return userId === null || userId === caller.userId ? { appId, userId: caller.userId } : null;
}

/**
 * A request, for the user it concerns (through the app that made it) and for that app's server, which verifies a
 * payment this way without trusting a browser. Throws `not-found` for everybody else, and `archived` as {@link notHere} says.
 */
export async function readRequest(service: Service, caller: Caller, id: RequestId): Promise<RequestView> {
  const request = await lookUpRequest(service.db, id);
  if (!request) throw await notHere(service.db, id, NONE_OF_YOURS);
  if (!mayRead(caller, request)) throw new Problem('not-found', NONE_OF_YOURS);
  return (await viewRequests(service, await undecidedInTheDark(service, [request])))[0]!;
}

export function mayRead(caller: Caller, { appId, userId }: Pick<TransferRequest, 'appId' | 'userId'>): boolean {
  return appId === caller.appId && (caller.kind === 'app' || userId === caller.userId);
}

/** The requests, in the given order, each with its outcome. A hundred take as many statements as one. */
export async function viewRequests(
  { db }: { readonly db: Queries },
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
  const request = await lookUpRequest(service.db, id);
  if (!request) throw new Error(`The request ${id} is not stored`);
  return (await viewRequests(service, [request]))[0]!;
}
