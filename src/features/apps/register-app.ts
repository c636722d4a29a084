import type { UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { type AppDetails, lockAppCount } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';
import { checkedDetails, refuseImitation } from './app-details.ts';
import { type CreatedApp, newAccount, storeNewApp } from './new-app.ts';

const MAX_APPS = 20;

/** A developer registers an app of their own. Throws `invalid-input`, `limit-reached`, `not-found`. */
export async function registerApp(
  service: Service,
  ownerId: UserId,
  input: AppDetails & { readonly publicClient: boolean },
): Promise<CreatedApp> {
  const details = checkedDetails(input);
  await refuseImitation(service, null, details.name);
  const account = newAccount(service);
  const created = await service.db.transaction(async (tx) => {
    const count = await lockAppCount(tx, ownerId);
    if (count === null) throw new Problem('not-found', 'There is no such user.');
    if (count >= MAX_APPS) {
      throw new Problem('limit-reached', `You already have ${MAX_APPS} apps.`);
    }
    return storeNewApp(tx, { ...details, publicClient: input.publicClient, autoApprove: false, ownerId }, account);
  });
  service.security.note('app-registered', { appId: created.app.id });
  return created;
}
