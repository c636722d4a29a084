import type { AppId } from '../../base/ids.ts';
import { insertKey, type NewKey } from '../../identity/app-keys.ts';
import type { Service } from '../../settlement/service.ts';
import { requireApp } from '../apps/find-app.ts';
import { checkedKey } from './checked-key.ts';

/**
 * Creates a server API key or a client secret for an app; it is returned only once. Throws `not-found`,
 * `invalid-input`, `limit-reached`.
 */
export async function issueKey(
  { db, security }: Pick<Service, 'db' | 'security'>,
  id: AppId,
  key: NewKey,
): Promise<string> {
  const app = await requireApp({ db }, id);
  const secret = await db.transaction((tx) => insertKey(tx, app.id, checkedKey(app, key)));
  security.note('key-issued', { appId: app.id, what: key.kind });
  return secret;
}
