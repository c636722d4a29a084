import { Problem } from '../../base/problems.ts';
import { deletePasskey, isPasskeyId } from '../../identity/passkeys.ts';
import type { User } from '../../identity/users.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';
import { queueMail } from '../mails/queue-mail.ts';

/**
 * Removes a passkey, so that nobody can sign in with it, and informs its owner by mail. Throws `not-found` if it is not
 * the user's, and `token-expired`.
 */
export async function removePasskey(service: Service, user: User, session: Session, id: string): Promise<void> {
  await service.db.transaction(async (tx) => {
    const name = isPasskeyId(id) ? await deletePasskey(tx, user.id, id) : null;
    if (name === null) throw new Problem('not-found', 'There is no such passkey.');
    await holdSession(tx, session);
    await queueMail(service, tx, {
      to: user.email,
      subject: 'A passkey was removed',
      text: `The passkey “${name}” was just removed from your Quarters account. It no longer signs you in.

If it wasn’t you, set a new password:

    ${service.publicUrl}/forgot`,
    });
  });
  service.security.note('passkey-removed', { userId: user.id });
}
