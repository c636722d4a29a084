import { Problem } from '../../base/problems.ts';
import { endKey } from '../../identity/app-keys.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';
import { ownApp } from '../apps/own-app.ts';

/** Ends one of a developer's keys at once, by its id. Throws `not-found`, `token-expired`. */
export async function revokeKey({ db, security }: Service, session: Session, id: string, keyId: string): Promise<void> {
  const app = await ownApp({ db }, session.userId, id);
  await db.transaction(async (tx) => {
    if (!(await endKey(tx, app.id, keyId))) throw new Problem('not-found', 'There is no such key of yours.');
    await holdSession(tx, session);
  });
  security.note('key-revoked', { appId: app.id, what: keyId });
}
