import { closedUsersAmong } from '../../identity/users.ts';
import { forgetNamesOf, listNamedUsers } from '../../operator-log/names.ts';
import type { Service } from '../../service/service.ts';

const CHUNK = 500;

/**
 * Forgets whom the pseudonyms of closed accounts stand for. Closing an account does that itself. A change by somebody else that was committed at the
 * same moment may have named the user once more.
 */
export async function forgetClosedNames({ db }: Pick<Service, 'db'>): Promise<void> {
  for (let after = ''; ; ) {
    const users = await listNamedUsers(db, after, CHUNK);
    const closed = await closedUsersAmong(db, users);
    if (closed.length > 0) await forgetNamesOf(db, closed);
    if (users.length < CHUNK) return;
    after = users.at(-1)!;
  }
}
