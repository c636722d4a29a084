import type { UserId } from '../../base/ids.ts';
import { identifyCaller } from '../../base/request-context.ts';
import type { Tx } from '../../db/database.ts';
import { isStillPassword, passwordHash, passwordMatches } from '../../identity/passwords.ts';
import { type AuthMethod, endSession, startSession } from '../../oauth/sessions.ts';
import type { Service } from '../service.ts';

type NewSession = {
  readonly userId: UserId;
  readonly methods: readonly AuthMethod[];
  readonly former: string | undefined;
  readonly browser?: string | null;
};

/**
 * Signs a user in: returns the cookie's value. `former`: what the browser's cookie held before, whoever put it there; it opens
 * nothing any more (session fixation). `browser`: browser and system in words, for the list of sessions.
 */
export async function openSession(tx: Tx, { userId, methods, former, browser }: NewSession): Promise<string> {
  if (former !== undefined) await endSession(tx, former);
  return startSession(tx, userId, methods, browser);
}

/**
 * Signs a user in whose password this is. Null where it is not, also for somebody without one and for nobody (null), with the
 * same work done. `client`: the address they come from. Throws `overloaded`, `too-many-tries`.
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
    // A change that came between has ended all sessions, and this must not be one more.
    if (!(await isStillPassword(tx, userId, hash))) return null;
    return openSession(tx, { userId, ...session });
  });
  if (cookie !== null) noteSignIn(service, userId, session.methods);
  return cookie;
}

/** To be called once the session that was opened is committed. */
export function noteSignIn(
  { security }: Pick<Service, 'security'>,
  userId: UserId,
  methods: readonly AuthMethod[],
): void {
  identifyCaller({ userId });
  const what = methods.includes('hwk') ? 'passkey' : methods.includes('otp') ? 'code' : 'password';
  security.note('sign-in', { userId, what });
}
