import type { UserId } from '../../base/ids.ts';
import { identifyCaller } from '../../base/log.ts';
import type { Tx } from '../../db/database.ts';
import type { KnownBrowser } from '../../identity/known-browsers.ts';
import { isStillPassword, passwordHash, passwordMatches } from '../../identity/passwords.ts';
import { emailFault, findUserByEmail, foldEmail, normaliseEmail } from '../../identity/users.ts';
import { type AuthMethod, endSession, startSession } from '../../oauth/sessions.ts';
import type { Service } from '../../service/service.ts';
import { attemptWithinBudget, limitsOfClient } from '../attempts/throttle.ts';

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
 * wrong password: work and delay are the same for both. Throws `too-many-tries`.
 */
export async function signIn(
  service: Service,
  { email: typed, password, client, former, browser = null, knownBrowsers }: SignIn,
): Promise<string | null> {
  const email = normaliseEmail(typed);
  // Text that cannot be an address is not looked up, because PostgreSQL refuses some of it.
  const user = emailFault(email) === null ? await findUserByEmail(service.db, email) : null;
  const userId = user?.kind === 'full' ? user.id : null;
  const source = { email: foldEmail(email), userId, knownBrowsers, client };
  const places = [...limitsOfClient(client, 100, 15), ...limitsOfClient(client, 10, 15, source.email)];
  const session = await attemptWithinBudget(service, 'sign-in', source, places, () =>
    openSessionByPassword(service, { userId, password, client, methods: ['pwd'], former, browser }),
  );
  // Without such an account the entered address is not recorded: it may be a password in the wrong field.
  if (session === null) service.security.note('sign-in-failed', { userId: userId ?? undefined, what: 'password' });
  return session;
}

type NewSession = {
  readonly userId: UserId;
  readonly methods: readonly AuthMethod[];
  readonly former: string | undefined;
  readonly browser?: string | null;
};

/**
 * Signs a user in and returns the cookie's value. `former`: the cookie's earlier value, even if another site set it; it is no
 * longer valid afterwards (session fixation). `browser`: browser and system in words, for the list of sessions.
 */
export async function openSession(tx: Tx, { userId, methods, former, browser }: NewSession): Promise<string> {
  if (former !== undefined) await endSession(tx, former);
  return startSession(tx, userId, methods, browser);
}

/**
 * Signs in the user with this password. Null if it is wrong, and also for a user without a password or no user (null),
 * with the same work done. `client`: the address of the caller.
 */
export async function openSessionByPassword(
  service: Pick<Service, 'db' | 'security'>,
  {
    userId,
    password,
    client,
    ...session
  }: Omit<NewSession, 'userId'> & { userId: UserId | null; password: string; client: string },
): Promise<string | null> {
  const { db } = service;
  const hash = await passwordHash(db, userId);
  const matches = await passwordMatches(db, userId, password, client);
  if (!matches || userId === null || hash === null) return null;
  const cookie = await db.transaction(async (tx) => {
    // A change of the password in between has ended all sessions, and this must not become a new one.
    if (!(await isStillPassword(tx, userId, hash))) return null;
    return openSession(tx, { userId, ...session });
  });
  if (cookie !== null) noteSignIn(service, userId, session.methods);
  return cookie;
}

/** Call this after the opened session is committed. */
export function noteSignIn(
  { security }: Pick<Service, 'security'>,
  userId: UserId,
  methods: readonly AuthMethod[],
): void {
  identifyCaller({ userId });
  const what = methods.includes('hwk') ? 'passkey' : methods.includes('otp') ? 'code' : 'password';
  security.note('sign-in', { userId, what });
}
