import { Problem } from '../../base/problems.ts';
import { type AppKey, insertKey, listKeys } from '../../identity/app-keys.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';
import { ownApp } from '../apps/own-app.ts';

/**
 * Creates a second key with the same rights. The old one works until it is revoked, so that the new one can be deployed
 * first. It is returned only once. Throws `not-found`, `limit-reached`, `token-expired`.
 */
export async function rotateKey(
  { db, security }: Service,
  session: Session,
  id: string,
  keyId: string,
): Promise<Pick<AppKey, 'kind' | 'scopes'> & { readonly secret: string }> {
  const app = await ownApp({ db }, session.userId, id);
  const key = (await listKeys(db, app.id, { living: true })).find((living) => living.id === keyId);
  if (!key) throw new Problem('not-found', 'There is no such key of yours.');
  const { kind, scopes } = key;
  const secret = await db.transaction(async (tx) => {
    const issued = await insertKey(tx, app.id, key);
    await holdSession(tx, session);
    return issued;
  });
  security.note('key-issued', { appId: app.id, what: kind });
  return { kind, scopes, secret };
}
