import type { AppId } from '../../../base/ids.ts';
import { type App, endVerification, storeVerified } from '../../../identity/apps.ts';
import { noSuchApp } from '../../../service/managers.ts';
import { recordAppChange } from '../../apps/record-app-change.ts';
import { appsAlike } from '../../apps/update-app.ts';
import type { ActionDeed, ActionPreview, ActionResult } from '../action-deed.ts';
import { livingApp } from '../named-subjects.ts';

type Params = { readonly app: AppId };

/** Marks an app as verified. */
export const VERIFY_APP: ActionDeed<Params> = {
  async preview(service, { app: id }): Promise<ActionPreview> {
    const app = await livingApp(service, id);
    const alike = await appsAlike(service, app);
    return {
      sentence: `Mark the app ${app.name} as verified. Nobody can then register a name that looks like its name.`,
      facts: [['Verified', `${app.verifiedAt ? 'yes' : 'no'} → yes`]],
      warnings: alike.map(
        (other) => `The app ${other.id} has a similar name: ${other.name}${other.verifiedAt ? ' (verified)' : ''}`,
      ),
    };
  },
  apply: async (_service, tx, { app }, { reason }) =>
    resultOf(app, await recordAppChange(tx, 'app-verified', app, () => storeVerified(tx, app), reason)),
  note: ({ security }, { app }) => security.note('app-verified', { appId: app }),
};

/** Takes the verified mark away. */
export const UNVERIFY_APP: ActionDeed<Params> = {
  async preview(service, { app: id }): Promise<ActionPreview> {
    const app = await livingApp(service, id);
    return {
      sentence: `Remove the verified mark of the app ${app.name}.`,
      facts: [['Verified', `${app.verifiedAt ? 'yes' : 'no'} → no`]],
    };
  },
  apply: async (_service, tx, { app }, { reason }) =>
    resultOf(app, await recordAppChange(tx, 'app-unverified', app, () => endVerification(tx, app), reason)),
  note: ({ security }, { app }) => security.note('app-unverified', { appId: app }),
};

function resultOf(id: AppId, app: App | null): ActionResult {
  if (!app || app.deletedAt) throw noSuchApp(id);
  return { name: app.name, verifiedAt: app.verifiedAt?.toISOString() ?? null };
}
