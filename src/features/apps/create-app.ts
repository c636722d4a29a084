import type { NewApp } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';
import { checkedDetails, refuseImitation } from './app-details.ts';
import { type CreatedApp, newAccount, storeNewApp } from './new-app.ts';

const NOTHING = {
  redirectUris: [],
  frameAncestors: [],
  resultOrigins: [],
  publicClient: false,
  autoApprove: false,
  ownerId: null,
};

/** Fields that are left out count as none, or no. */
export type AppInput = Pick<NewApp, 'name'> & Partial<NewApp>;

/** Registers an app with an account of its own. Throws `invalid-input`. */
export async function createApp(
  service: Pick<Service, 'db' | 'vault' | 'security'>,
  given: AppInput,
): Promise<CreatedApp> {
  const input: NewApp = { ...NOTHING, ...given };
  const details = checkedDetails(input);
  await refuseImitation(service, null, details.name);
  const account = newAccount(service);
  const created = await service.db.transaction((tx) => storeNewApp(tx, { ...input, ...details }, account));
  service.security.note('app-registered', { appId: created.app.id });
  return created;
}
