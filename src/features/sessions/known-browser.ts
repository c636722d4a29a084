import type { UserId } from '../../base/ids.ts';
import { type KnownBrowser, recognise, rememberAccount } from '../../identity/known-browsers.ts';
import { markPassword } from '../../identity/passwords.ts';
import { findSession, holdSessions } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';

/**
 * The name under which an account knows this browser from an earlier sign-in; null if it does not, or the password was
 * changed since. It grants no access and only chooses which limits count.
 */
export async function recogniseBrowser(
  { db }: Pick<Service, 'db'>,
  userId: UserId | null,
  browsers: readonly KnownBrowser[],
): Promise<string | null> {
  if (userId === null || !browsers.some((browser) => browser.userId === userId)) return null;
  return recognise(browsers, userId, await markPassword(db, userId));
}

/**
 * The accounts that know a browser from now on, after this session was opened or its password changed in it. `session`:
 * the cookie's value.
 */
export async function rememberBrowser(
  { db, settings }: Pick<Service, 'db' | 'settings'>,
  browsers: readonly KnownBrowser[],
  session: string,
): Promise<readonly KnownBrowser[]> {
  return db.transaction(async (tx) => {
    const found = await findSession(tx, session, settings.sessionIdleMinutes);
    // A change of the password ends sessions in its own transaction. While this session is held, it belongs to the
    // password that is read.
    if (!found || !(await holdSessions(tx, [found.uid])).has(found.uid)) return browsers;
    return rememberAccount(browsers, found.userId, await markPassword(tx, found.userId));
  });
}
