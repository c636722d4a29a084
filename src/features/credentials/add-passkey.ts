import { newChallenge, takeChallenge } from '../../identity/passkey-challenges.ts';
import { insertPasskey, listPasskeys, MAX_PASSKEYS } from '../../identity/passkeys.ts';
import type { User } from '../../identity/users.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';
import { queueMail } from '../mails/queue-mail.ts';
import { ceremonies } from './passkey-proof.ts';

/** The options with which the browser creates a passkey. */
export async function offerPasskey({ db, publicUrl }: Service, user: User) {
  const { creationOptions } = await ceremonies();
  return creationOptions(publicUrl, await newChallenge(db, user.id), user, await listPasskeys(db, user.id));
}

/**
 * Stores the passkey that the browser created and informs its owner by mail; otherwise returns the reason as a
 * sentence.
 */
export async function addPasskey(
  service: Service,
  user: User,
  session: Session,
  { name, answer }: { name: string; answer: object },
): Promise<string | null> {
  const { db, publicUrl, security } = service;
  const { challengeOf, verifyCreation } = await ceremonies();
  const challenge = challengeOf(answer);
  if (challenge === null || !(await takeChallenge(db, challenge, user.id))) return 'That took too long. Try again.';
  const passkey = await verifyCreation(publicUrl, answer, challenge);
  if (!passkey) return 'We couldn’t verify this passkey. Try another one.';
  const fault = await db.transaction(async (tx) => {
    if (!(await insertPasskey(tx, { ...passkey, userId: user.id, name }))) {
      return `You already added it, or you have ${MAX_PASSKEYS} passkeys.`;
    }
    await holdSession(tx, session);
    await queueMail(service, tx, {
      to: user.email,
      subject: 'A passkey was added',
      text: `The passkey “${name}” was just added to your Quarters account. Anyone who has it can sign in.

If it wasn’t you, remove it and set a new password:

    ${publicUrl}/account/passkeys`,
    });
    return null;
  });
  if (fault === null) security.note('passkey-added', { userId: user.id });
  return fault;
}
