import { emailFault, foldEmail, normaliseEmail } from '../../identity/email-address.ts';
import type { KnownBrowser } from '../../identity/known-browsers.ts';
import { findUserByEmail } from '../../identity/users.ts';
import type { Service } from '../../settlement/service.ts';
import { attemptWithinBudget, fromPlace } from '../credentials/throttle.ts';
import { openSessionByPassword } from './open-session.ts';

export type SignIn = {
  readonly email: string;
  readonly password: string;
  /** The address of the caller. */
  readonly client: string;
  /** The session cookie's earlier value. */
  readonly former: string | undefined;
  /** Which accounts know this browser. */
  readonly knownBrowsers: readonly KnownBrowser[];
  /** Browser and system, in words. */
  readonly browser?: string | null;
};

/**
 * Signs somebody in with their password and returns the new session cookie's value. Null means no such account or a
 * wrong password: work and delay are the same for both. Throws `too-many-tries`, `overloaded`.
 */
export async function signIn(
  service: Service,
  { email: typed, password, client, former, browser = null, knownBrowsers }: SignIn,
): Promise<string | null> {
  const email = normaliseEmail(typed);
  // Text that cannot be an address is not looked up, because PostgreSQL refuses some of it.
  const user = emailFault(email) === null ? await findUserByEmail(service.db, email) : null;
  const userId = user?.kind === 'full' ? user.id : null;
  const guesser = { email: foldEmail(email), userId, knownBrowsers, client };
  const places = [...fromPlace(client, 100, 15), ...fromPlace(client, 10, 15, guesser.email)];
  const session = await attemptWithinBudget(service, 'sign-in', guesser, places, () =>
    openSessionByPassword(service, { userId, password, client, methods: ['pwd'], former, browser }),
  );
  // Without such an account the entered address is not recorded: it may be a password in the wrong field.
  if (session === null) service.security.note('sign-in-failed', { userId: userId ?? undefined, what: 'password' });
  return session;
}
