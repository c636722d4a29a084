import { insertKey, type NewKey } from '../../identity/app-keys.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';
import { ownApp } from '../apps/own-app.ts';
import { checkedKey } from './checked-key.ts';

/**
 * A developer creates a server API key or a client secret; it is returned only once. Throws `not-found`,
 * `invalid-input`, `limit-reached`, `token-expired`.
 */
export async function issueKey({ db, security }: Service, session: Session, id: string, key: NewKey): Promise<string> {
  const app = await ownApp({ db }, session.userId, id);
  const secret = await db.transaction(async (tx) => {
    const issued = await insertKey(tx, app.id, checkedKey(app, key));
    await holdSession(tx, session);
    return issued;
  });
  security.note('key-issued', { appId: app.id, what: key.kind });
  return secret;
}
