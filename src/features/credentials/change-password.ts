import { type Problem, refusedEntry } from '../../base/problems.ts';
import { usePasskey } from '../../identity/passkeys.ts';
import { requireGoodPassword } from '../../identity/password-rules.ts';
import { hashPassword, markPassword, passwordMatches, replacePassword, wasJustSet } from '../../identity/passwords.ts';
import type { User } from '../../identity/users.ts';
import { endSessionsOf, holdSession, type Session } from '../../oauth/sessions.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import { refuseWhileFrozen } from '../../service/stopped.ts';
import { countAttempt, limitsOfClient } from '../attempts/throttle.ts';
import type { WriteMail } from '../mails/mail-layout.ts';
import { queueMail } from '../mails/mails.ts';
import { checkPasskeyAnswer, useIn } from './passkey-use.ts';

/** Proves, in the same step, that the owner changes the password: the current password, or a passkey's answer. */
export type OwnerProof =
  | { readonly kind: 'password'; readonly password: string }
  | { readonly kind: 'passkey'; readonly answer: object };

export type PasswordChange = {
  readonly password: string;
  readonly proof: OwnerProof;
  /** The address of the caller. */
  readonly client: string;
};

/** What a passkey signs that proves it. */
export const passwordUse = (session: Session, password: string) => useIn(session, 'new-password', password);

/**
 * Replaces the current password and ends the user's other sessions, so that nobody who knew the old password stays
 * signed in. Even a fresh session alone is not enough (OWASP ASVS 4.0, 2.1.6). Attempts are counted, because hashing is
 * costly.
 *
 * Throws `invalid-input`, whose fault points at `/password` or at `/proof`, and `too-many-tries`.
 */
export async function changePassword(
  service: Service,
  user: User,
  session: Session,
  change: PasswordChange,
): Promise<void> {
  const { password, proof, client } = change;
  await requireGoodPassword(password, user);
  await countAttempt(service, 'change password', [
    ...limitsOfClient(client, 30, 15),
    // A signed-in thief must not use up what the owner, signed in elsewhere, needs.
    { key: `session ${session.uid}`, most: 10, minutes: 60 },
    { key: `user ${user.id}`, most: 100, minutes: 60 },
  ]);
  if (await replaceProved(service, user, session, change)) {
    service.security.note('password-changed', { userId: user.id, what: proof.kind });
    return;
  }
  // A form sent twice finds the password it has just set: after a double click the browser shows only the second
  // answer. At any other time the new password would be one more attempt at the current one.
  if ((await wasJustSet(service.db, user.id)) && (await passwordMatches(service.db, user.id, password, client))) return;
  service.security.note('sign-in-failed', { userId: user.id, what: 'password-change' });
  throw unproved(proof);
}

/** Returns false without effect if the proof does not hold, or the password was changed since it was read. */
async function replaceProved(
  service: Service,
  user: User,
  session: Session,
  { password, proof, client }: PasswordChange,
): Promise<boolean> {
  const { db } = service;
  // Read before the proof is checked: a proof by another password replaces nothing.
  const seen = await markPassword(db, user.id);
  const passkey =
    proof.kind === 'passkey' ? await checkPasskeyAnswer(service, proof.answer, passwordUse(session, password)) : null;
  if (proof.kind === 'passkey' ? !passkey : !(await passwordMatches(db, user.id, proof.password, client))) return false;
  const hash = await hashPassword(password, client);
  return db.transaction(async (tx) => {
    const replaced = await replacePassword(tx, user.id, seen, hash, user.email);
    if (passkey && !(await usePasskey(tx, passkey.id, passkey.signCount))) throw unproved(proof);
    if (replaced) await endSessionsOf(tx, user.id, session.uid);
    await holdSession(tx, session);
    if (!replaced) return false;
    await refuseWhileFrozen(tx, service, user.id);
    await queueMail(service, tx, { to: user.email, write: changedMail(service) });
    const after = { confirmedBy: proof.kind };
    await recordChange(tx, { action: 'password-changed', subject: { kind: 'user', id: user.id }, after, by: user.id });
    return true;
  });
}

function unproved({ kind }: OwnerProof): Problem {
  return refusedEntry(['/proof', { code: kind === 'password' ? 'password-wrong' : 'passkey-not-theirs' }]);
}

function changedMail({ publicUrl, settings }: Pick<Service, 'publicUrl' | 'settings'>): WriteMail {
  return ({ mails }) => ({
    subject: mails.passwordChanged.subject,
    parts: [
      mails.passwordChanged.elsewhere(settings.brandName),
      mails.intruder,
      { link: `${publicUrl}/forgot`, label: mails.setPassword },
    ],
  });
}
