import type { RequestId } from '../../base/ids.ts';
import { type App, findApp } from '../../identity/apps.ts';
import { findUser } from '../../identity/users.ts';
import { findRequest, type TransferRequest } from '../../requests/requests.ts';
import type { Service } from '../../settlement/service.ts';

/** What a frame shows of a payment that the player decides in one of our windows. */
export type FrameOffer = { readonly app: App; readonly request: TransferRequest };

/**
 * A full user's request, for a frame, if nobody is signed in. Anybody who knows its id sees who asks and how much,
 * as does the game that made it. Null if there is none.
 */
export async function frameOffer({ db }: Service, requestId: RequestId): Promise<FrameOffer | null> {
  const request = await findRequest(db, requestId);
  if (request?.source !== 'user') return null;
  const [app, user] = await Promise.all([findApp(db, request.appId), findUser(db, request.userId)]);
  return app && user?.kind === 'full' ? { app, request } : null;
}
