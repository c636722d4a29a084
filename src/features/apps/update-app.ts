import type { AppId, UserId } from '../../base/ids.ts';
import { removePicture, storePicture } from '../../identity/app-pictures.ts';
import { type AppDetails, storeDetails, storeOwner } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';
import { checkedDetails, checkedPicture, refuseImitation } from './app-details.ts';
import { requireApp } from './find-app.ts';

/** Fields that are left out stay as they are. `picture`: a file's bytes; null removes it. */
export type AppChanges = Partial<AppDetails> & { readonly ownerId?: UserId; readonly picture?: Uint8Array | null };

/**
 * Changes an app's details. The app stays verified, because the operator sees the change. Throws `not-found`,
 * `invalid-input`.
 */
export async function updateApp(
  { db, security }: Pick<Service, 'db' | 'security'>,
  id: AppId,
  { ownerId, picture, ...changes }: AppChanges,
): Promise<void> {
  const app = await requireApp({ db }, id);
  const details = checkedDetails({ ...app, ...changes });
  if (details.name !== app.name) await refuseImitation({ db }, app.id, details.name);
  const newPicture = picture && checkedPicture(picture);
  await db.transaction(async (tx) => {
    await storeDetails(tx, app.id, details, 'operator');
    if (ownerId !== undefined) await storeOwner(tx, app.id, ownerId);
    if (newPicture) await storePicture(tx, app.id, newPicture);
    if (newPicture === null) await removePicture(tx, app.id);
  });
  const what = {
    details: Object.keys(changes).length > 0,
    owner: ownerId !== undefined,
    picture: picture !== undefined,
  };
  for (const [name, changed] of Object.entries(what)) {
    if (changed) security.note('app-changed', { appId: app.id, what: name });
  }
}
