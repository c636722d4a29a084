import type { RequestId, UserId } from '../../base/ids.ts';
import type { Caller } from '../../identity/callers.ts';
import { listRequests as list, type RequestFilter, stretchOf, type Whose } from '../../requests/request-list.ts';
import { type RequestView, viewRequests } from '../../settlement/request-view.ts';
import type { Service } from '../../settlement/service.ts';

export type RequestQuery = RequestFilter & {
  /** Only requests of this user. A user's token sees no others anyway. */
  readonly userId: UserId | null;
  readonly limit: number;
  /** Where the previous page ended. */
  readonly before: RequestId | null;
};

/**
 * `next`: where the next page begins; null if there is no more. A page may be short or even empty without being the
 * last.
 */
export type RequestPage = { readonly requests: readonly RequestView[]; readonly next: RequestId | null };

/** The app's requests, or those of the user through the token's app, newest first. */
export async function listRequests(service: Service, caller: Caller, query: RequestQuery): Promise<RequestPage> {
  const whose = visibleTo(caller, query.userId);
  if (!whose) return { requests: [], next: null };
  const stretch = await stretchOf(service.db, whose, query.before, query);
  const found = await list(service.db, whose, stretch, query.before, query, query.limit + 1);
  const requests = found.slice(0, query.limit);
  const edge = stretch.more ? (stretch.from as RequestId) : null;
  return {
    requests: await viewRequests(service, requests),
    next: found.length > query.limit ? requests.at(-1)!.id : edge,
  };
}

/** Whose requests a caller sees; null for nobody's, because another user was asked for. */
export function visibleTo(caller: Caller, userId: UserId | null): Whose | null {
  const { appId } = caller;
  if (caller.kind === 'app') return { appId, userId };
  return userId === null || userId === caller.userId ? { appId, userId: caller.userId } : null;
}
