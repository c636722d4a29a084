import type { AppId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';
import { ownApp } from '../apps/own-app.ts';

/**
 * Lets a developer do in the console what the server of their own app may do through the API. Throws `not-found`,
 * `token-expired`.
 */
export async function actAsOwnApp<T>(
  { db }: Pick<Service, 'db'>,
  session: Session,
  id: string,
  act: (tx: Tx, appId: AppId) => Promise<T>,
): Promise<T> {
  const app = await ownApp({ db }, session.userId, id);
  return db.transaction(async (tx) => {
    const result = await act(tx, app.id);
    await holdSession(tx, session);
    return result;
  });
}
