import type { RequestId } from '../../base/ids.ts';
import { type App, findApp } from '../../identity/apps.ts';
import { findUser } from '../../identity/users.ts';
import { findRequest, type TransferRequest } from '../../requests/requests.ts';
import type { Service } from '../service.ts';

/** What a frame shows of a payment that its player decides in a window of ours. */
export type FrameOffer = { readonly app: App; readonly request: TransferRequest };

/**
 * A full user's request, for a frame, where nobody is signed in: whoever knows its id sees who asks and how much, as the game
 * does that made it. Null where there is none.
 */
export async function frameOffer({ db }: Service, requestId: RequestId): Promise<FrameOffer | null> {
  const request = await findRequest(db, requestId);
  if (request?.source !== 'user') return null;
  const [app, user] = await Promise.all([findApp(db, request.appId), findUser(db, request.userId)]);
  return app && user?.kind === 'full' ? { app, request } : null;
}
