import type { UserId } from '../../base/ids.ts';
import { noteAutoApprovalRequest } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';
import { ownApp } from './own-app.ts';

/** A developer asks the operator to enable an app for auto approval. Throws `not-found`. */
export async function requestAutoApproval({ db }: Service, ownerId: UserId, id: string): Promise<void> {
  const app = await ownApp({ db }, ownerId, id);
  await noteAutoApprovalRequest(db, app.id);
}
