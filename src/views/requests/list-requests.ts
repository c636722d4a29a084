import type { RequestId, UserId } from '../../base/ids.ts';
import type { Caller } from '../../identity/callers.ts';
import { type RequestFilter, readRequestPage, stretchOf } from '../../requests/request-list.ts';
import { findConfirmedRequests, type RequestView } from '../../requests/requests.ts';
import type { Service } from '../../service/service.ts';
import { confirmApproved } from './confirm-approved.ts';
import { archivedBefore } from './not-here.ts';
import { viewRequests, visibleTo } from './read-requests.ts';
import { undecidedInTheDark } from './undecided.ts';

export type RequestQuery = RequestFilter & {
  /** Only requests of this user. A user's token sees no others anyway. */
  readonly userId: UserId | null;
  readonly limit: number;
  /** Where the previous page ended. */
  readonly before: RequestId | null;
};

/**
 * `next`: where the next page begins; null if there is no more. A page may be short or even empty without being the
 * last. `archivedBefore`: see {@link archivedBefore}.
 */
export type RequestPage = {
  readonly requests: readonly RequestView[];
  readonly next: RequestId | null;
  readonly archivedBefore: Date | null;
};

/** The app's requests, or those of the user through the token's app, newest first. */
export async function listRequests(service: Service, caller: Caller, query: RequestQuery): Promise<RequestPage> {
  const whose = visibleTo(caller, query.userId);
  if (!whose) return { requests: [], next: null, archivedBefore: null };
  const { reads } = service;
  const stretch = await stretchOf(reads, whose, query.before, query);
  const found = await readRequestPage(reads, whose, stretch, query.before, query, query.limit + 1);
  const page = found.slice(0, query.limit);
  const requests = await confirmApproved(page, query.statuses, (ids) => findConfirmedRequests(service.db, ids));
  const edge = stretch.more ? stretch.from : null;
  const next = found.length > query.limit ? page.at(-1)!.id : edge;
  return {
    requests: await viewRequests({ db: reads }, await undecidedInTheDark(service, requests)),
    next,
    archivedBefore: await archivedBefore(reads, next),
  };
}
