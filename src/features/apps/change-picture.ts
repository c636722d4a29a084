import { removePicture, storePicture } from '../../identity/app-pictures.ts';
import { endVerification } from '../../identity/apps.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';
import { checkedPicture } from './app-details.ts';
import { ownApp } from './own-app.ts';

/**
 * A developer sets or removes (`file`: null) an app's picture. An app that looks different is no longer verified.
 * Throws `not-found`, `invalid-input`, `token-expired`.
 */
export async function changePicture(
  { db, security }: Service,
  session: Session,
  id: string,
  file: Uint8Array | null,
): Promise<void> {
  const app = await ownApp({ db }, session.userId, id);
  const picture = file && checkedPicture(file);
  await db.transaction(async (tx) => {
    const changed = picture ? await storePicture(tx, app.id, picture) : await removePicture(tx, app.id);
    if (changed) await endVerification(tx, app.id);
    await holdSession(tx, session);
  });
  security.note('app-changed', { appId: app.id, what: 'picture' });
}
