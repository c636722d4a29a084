import type { AppId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { endKey } from '../../identity/app-keys.ts';
import type { Service } from '../../settlement/service.ts';
import { requireApp } from '../apps/find-app.ts';

/** Ends one of an app's keys at once, by its id. Throws `not-found`. */
export async function revokeKey(
  { db, security }: Pick<Service, 'db' | 'security'>,
  id: AppId,
  keyId: string,
): Promise<void> {
  const app = await requireApp({ db }, id);
  if (!(await endKey(db, app.id, keyId))) {
    throw new Problem('not-found', `The app has no active key "${keyId}".`);
  }
  security.note('key-revoked', { appId: app.id, what: keyId });
}
