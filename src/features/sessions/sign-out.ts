import { endSession, endSessionByUid, endSessionsOf, holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../service/service.ts';

/** Ends the session of a cookie. Apps keep their access, which is withdrawn one by one. */
export async function signOut({ db, security }: Service, cookie: string): Promise<void> {
  await endSession(db, cookie);
  security.note('sign-out');
}

/** A form may contain text that PostgreSQL refuses. */
const SESSION_UID = /^[\w-]{1,60}$/;

type Deps = Pick<Service, 'db' | 'security'>;

/** Ends all other sessions of the same person. Apps keep their access. */
export async function signOutElsewhere({ db, security }: Deps, session: Session): Promise<void> {
  await db.transaction(async (tx) => {
    await endSessionsOf(tx, session.userId, session.uid);
    await holdSession(tx, session);
  });
  security.note('sessions-ended', { userId: session.userId });
}

/**
 * Ends one other session of the same person, by its uid. A payment being approved in it is decided first; none is
 * afterwards. A session that has ended, or is somebody else's, changes nothing.
 */
export async function endOtherSession({ db, security }: Deps, session: Session, uid: string): Promise<void> {
  const ended = await db.transaction(async (tx) => {
    const found = SESSION_UID.test(uid) && (await endSessionByUid(tx, session, uid));
    await holdSession(tx, session);
    return found;
  });
  if (ended) security.note('session-ended', { userId: session.userId });
}
