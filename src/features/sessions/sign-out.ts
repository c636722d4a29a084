import { endSession } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';

/** Ends the session of a cookie. Apps keep their access, which is withdrawn one by one. */
export async function signOut({ db, security }: Service, cookie: string): Promise<void> {
  await endSession(db, cookie);
  security.note('sign-out');
}
