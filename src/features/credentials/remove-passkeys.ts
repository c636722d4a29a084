import { deletePasskeysOf } from '../../identity/passkeys.ts';
import type { User } from '../../identity/users.ts';
import { endSessionsOf, holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';
import { queueMail } from '../mails/queue-mail.ts';

/**
 * Removes all of a person's passkeys and ends their other sessions, because one of them may have been opened with a
 * passkey a moment ago. Informs the owner by mail. Does nothing if there are none. Throws `token-expired`.
 */
export async function removePasskeys(service: Service, user: User, session: Session): Promise<void> {
  const { db, publicUrl, security } = service;
  const names = await db.transaction(async (tx) => {
    const removed = await deletePasskeysOf(tx, user.id);
    if (removed.length === 0) return removed;
    // A concurrent sign-in with one of them holds its row, so its session exists by now and ends here.
    await endSessionsOf(tx, user.id, session.uid);
    await holdSession(tx, session);
    await queueMail(service, tx, { to: user.email, ...removedMail(publicUrl, removed) });
    return removed;
  });
  if (names.length > 0) security.note('passkeys-removed', { userId: user.id, what: names.length });
}

function removedMail(publicUrl: string, names: readonly string[]) {
  return {
    subject: 'All passkeys were removed',
    text: `All passkeys were removed from your Quarters account, and you were signed out everywhere else. These no longer sign you in:

${names.map((name) => `    “${name}”`).join('\n')}

If it wasn’t you, set a new password:

    ${publicUrl}/forgot`,
  };
}
