import { invalidInput } from '../../base/problems.ts';
import { hashPassword, passwordFault, storePassword } from '../../identity/passwords.ts';
import type { User } from '../../identity/users.ts';
import { endSessionsOf, holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../service.ts';
import { countGuess, fromPlace } from '../system/count-guess.ts';
import { queueMail } from '../system/queue-mail.ts';

/**
 * Sets a new password for who has proved a moment ago who they are, and ends their other sessions: who knew the old password
 * is out. Hashing is costly, so it is counted. `client`: the address they come from. Throws `invalid-input`, `overloaded`,
 * `too-many-tries`, `token-expired`.
 */
export async function changePassword(
  service: Service,
  user: User,
  session: Session,
  { password, client }: { password: string; client: string },
): Promise<void> {
  const fault = passwordFault(password);
  if (fault) throw invalidInput('/password', fault);
  await countGuess(service, 'change password', [
    ...fromPlace(client, 30, 15),
    // A thief who is signed in must not use up what the owner, signed in elsewhere, needs.
    { key: `session ${session.uid}`, most: 10, minutes: 60 },
    { key: `user ${user.id}`, most: 100, minutes: 60 },
  ]);
  const hash = await hashPassword(password, client);
  await service.db.transaction(async (tx) => {
    await storePassword(tx, user.id, hash);
    await holdSession(tx, session);
    await endSessionsOf(tx, user.id, session.uid);
    await queueMail(service, tx, {
      to: user.email,
      subject: 'Your password was changed',
      text: `The password of your Quarters account was changed just now, and you were signed out everywhere else.

If it was not you, somebody else is signed in to your account. Set a new password, which signs them out:

    ${service.publicUrl}/forgot`,
    });
  });
  service.security.note('password-changed', { userId: user.id });
}
