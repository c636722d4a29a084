import type { AppId, UserId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { deleteInvitationsBy } from '../../identity/app-invitations.ts';
import { deleteMember } from '../../identity/app-members.ts';
import { looksLike } from '../../identity/app-name.ts';
import { type Picture, removePicture, storePicture } from '../../identity/app-pictures.ts';
import {
  type App,
  type AppDetails,
  endVerification,
  lockApp,
  readApps,
  storeDetails,
  storeOwner,
} from '../../identity/apps.ts';
import { changeAs } from '../../service/change-as.ts';
import { type AppManager, appFor, type Developer, type Operator } from '../../service/managers.ts';
import type { Service } from '../../service/service.ts';
import { checkedDetails, checkedPicture, refuseImitation } from './app-details.ts';
import { recordAppChange } from './record-app-change.ts';

type Deps = Pick<Service, 'db' | 'security'>;
type Updating = Deps & Pick<Service, 'settings' | 'publicUrl' | 'development'>;

/** Fields that are left out stay as they are. `picture`: a file's bytes; null removes it. */
export type AppChanges = Partial<AppDetails> & { readonly picture?: Uint8Array | null };

/** Only an operator gives an app to another owner. */
type OperatorChanges = AppChanges & { readonly ownerId?: UserId };

/**
 * Changes an app. If its developer changes its name or picture, the app is no longer verified. The operator sees what they change, so the
 * app stays verified.
 */
export async function updateApp(
  service: Updating,
  caller: Operator,
  id: string,
  changes: OperatorChanges,
): Promise<void>;
export async function updateApp(service: Updating, caller: Developer, id: string, changes: AppChanges): Promise<void>;
export async function updateApp(
  service: Updating,
  caller: AppManager,
  id: string,
  { ownerId, picture, ...changes }: OperatorChanges,
): Promise<void> {
  const app = await appFor(service, caller, id, 'configure');
  const what = {
    details: Object.keys(changes).length > 0,
    owner: ownerId !== undefined,
    picture: picture !== undefined,
  };
  const details = what.details ? checkedDetails(service, { ...app, ...changes }, app.name) : app;
  if (details.name !== app.name) await refuseImitation(service, app.id, details.name);
  const newPicture = picture && checkedPicture(picture);
  const change = async (tx: Tx) => {
    if (what.details) await storeDetails(tx, app.id, details, caller.kind);
    if (ownerId !== undefined) await changeOwner(tx, app.id, ownerId);
    if (newPicture !== undefined) await changePicture(tx, caller, app.id, newPicture);
  };
  await changeAs(service, caller, app, 'configure', (tx) =>
    recordAppChange(tx, 'app-changed', app.id, () => change(tx)),
  );
  for (const [name, changed] of Object.entries(what)) {
    if (changed) service.security.note('app-changed', { appId: app.id, what: name });
  }
}

/**
 * An owner is no member besides. The former owner loses all access, also what an invitation of theirs would give back, since only the
 * operator knows why the app changes hands.
 */
async function changeOwner(tx: Tx, id: AppId, ownerId: UserId): Promise<void> {
  const former = (await lockApp(tx, id))?.ownerId;
  await deleteMember(tx, id, ownerId);
  if (former && former !== ownerId) await deleteInvitationsBy(tx, id, former);
  await storeOwner(tx, id, ownerId);
}

async function changePicture(tx: Tx, caller: AppManager, id: AppId, picture: Picture | null): Promise<void> {
  const changed = picture ? await storePicture(tx, id, picture) : await removePicture(tx, id);
  if (changed && caller.kind === 'developer') await endVerification(tx, id);
}

/** The other apps whose names players may confuse with this one's. */
export async function appsAlike({ db }: Pick<Service, 'db'>, app: App): Promise<readonly App[]> {
  return (await readApps(db)).filter((other) => other.id !== app.id && looksLike(other.name, app.name));
}
