import type { RequestId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { Caller } from '../../identity/callers.ts';
import { findRequest, type TransferRequest } from '../../requests/requests.ts';
import { type RequestView, viewRequests } from '../../settlement/request-view.ts';
import type { Service } from '../../settlement/service.ts';

/**
 * A request, for the user it concerns (through the app that made it) and for that app's server, which verifies a
 * payment this way without trusting a browser. Throws `not-found` for everybody else.
 */
export async function readRequest(service: Service, caller: Caller, id: RequestId): Promise<RequestView> {
  const request = await findRequest(service.db, id);
  if (!request || !mayRead(caller, request)) throw new Problem('not-found', 'There is no such request of yours.');
  return (await viewRequests(service, [request]))[0]!;
}

export function mayRead(caller: Caller, { appId, userId }: Pick<TransferRequest, 'appId' | 'userId'>): boolean {
  return appId === caller.appId && (caller.kind === 'app' || userId === caller.userId);
}
