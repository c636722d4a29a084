import { Problem } from '../../base/problems.ts';
import { EMAIL_CODE_MINUTES } from '../../identity/email-codes.ts';
import {
  changeEmailOf,
  EmailTaken,
  emailFault,
  findUserByEmail,
  normaliseEmail,
  type User,
} from '../../identity/users.ts';
import { endSessionsOf, holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';
import { redeemCode, sendCode } from '../credentials/email-code.ts';
import { countAttempt } from '../credentials/throttle.ts';
import { queueMail } from '../mails/mails.ts';

/** A change in progress. The page carries it, sealed, from one form to the next. */
export type EmailChange = {
  /** The session in which it began. */
  readonly sessionUid: string;
  readonly from: string;
  readonly to: string;
  /** The ids of the two codes; null after the code was entered. */
  readonly oldCodeId: string | null;
  readonly newCodeId: string | null;
  /** In ms since 1970. Sending a form again does not extend it. */
  readonly expiresAt: number;
};

/**
 * Sends a code to the current address and one to the new address. If the new address belongs to an account, only its
 * owner learns that, from the mail sent there.
 *
 * Throws `invalid-input`, `too-many-tries`.
 */
export async function startEmailChange(
  service: Service,
  user: User,
  session: Session,
  wanted: string,
): Promise<EmailChange> {
  const to = normaliseEmail(wanted);
  const fault = to === user.email ? 'This is already your address.' : emailFault(to);
  if (fault) throw new Problem('invalid-input', fault, [{ pointer: '/email', detail: fault }]);
  // The limit of the session comes first: a signed-in thief must not use up what the owner, signed in elsewhere, needs.
  await countAttempt(service, 'change e-mail', [
    { key: `session ${session.uid}`, most: 5, minutes: 60 },
    { key: `user ${user.id}`, most: 30, minutes: 60 },
  ]);
  const owner = await findUserByEmail(service.db, to);
  const taken = owner !== null && owner.id !== user.id;
  const oldCodeId = await sendCode(service, {
    purpose: 'change-old',
    email: user.email,
    userId: user.id,
    session: session.uid,
    mail: (code) => oldAddressMail(service.publicUrl, to, code),
  });
  const newCodeId = await sendCode(service, {
    purpose: 'change-new',
    email: to,
    userId: user.id,
    session: session.uid,
    mail: (code) => newAddressMail(code, taken),
  });
  const expiresAt = Date.now() + EMAIL_CODE_MINUTES * 60_000;
  return { sessionUid: session.uid, from: user.email, to, oldCodeId, newCodeId, expiresAt };
}

export type ChangeResult =
  | { readonly kind: 'changed' }
  /** A code is wrong, spent, or was tried too often. `change` keeps the code that was right. */
  | { readonly kind: 'wrong'; readonly change: EmailChange }
  /**
   * The new address belongs to an account. Only somebody who has proved that the address is theirs gets this answer.
   */
  | { readonly kind: 'taken' }
  /** The change belongs to another session, or its user has another address by now. */
  | { readonly kind: 'stale' };

/**
 * Changes the address after both codes were entered. The other sessions end, and the old address is informed. Throws
 * `too-many-tries`.
 */
export async function confirmEmailChange(
  service: Service,
  user: User,
  session: Session,
  change: EmailChange,
  typed: { readonly oldCode: string; readonly newCode: string },
): Promise<ChangeResult> {
  if (change.sessionUid !== session.uid || change.from !== user.email) return { kind: 'stale' };
  await countAttempt(service, 'change e-mail codes', [{ key: `session ${session.uid}`, most: 50, minutes: 60 }]);
  const redeem = async (purpose: 'change-old' | 'change-new', id: string | null, code: string) => {
    if (id === null || code === '') return id;
    const redeemed = await redeemCode(service, { id, purpose, code });
    return redeemed?.userId === user.id ? null : id;
  };
  const oldCodeId = await redeem('change-old', change.oldCodeId, typed.oldCode);
  const newCodeId = await redeem('change-new', change.newCodeId, typed.newCode);
  if (oldCodeId !== null || newCodeId !== null) {
    return { kind: 'wrong', change: { ...change, oldCodeId, newCodeId } };
  }
  return store(service, user, session, change.to);
}

async function store(service: Service, user: User, session: Session, to: string): Promise<ChangeResult> {
  try {
    const result = await service.db.transaction<ChangeResult>(async (tx) => {
      if (!(await changeEmailOf(tx, user.id, { from: user.email, to }))) return { kind: 'stale' };
      await endSessionsOf(tx, user.id, session.uid);
      await holdSession(tx, session);
      await queueMail(service, tx, { to: user.email, ...noticeMail(to) });
      return { kind: 'changed' };
    });
    if (result.kind === 'changed') service.security.note('email-changed', { userId: user.id });
    return result;
  } catch (error) {
    if (error instanceof EmailTaken) return { kind: 'taken' };
    throw error;
  }
}

/** The mails sent when somebody changes their e-mail address. */
type Words = { readonly subject: string; readonly text: string };

function oldAddressMail(publicUrl: string, to: string, code: string): Words {
  return {
    subject: `${code} is your code to change your e-mail address`,
    text: `Somebody signed in to your Quarters account asked to change its e-mail address to

    ${to}

If it was you, enter this code:

    ${code}

It works once and expires in 10 minutes. We sent a second code to the new address. Never share either, not even with us.

If it wasn’t you, somebody else is signed in to your account. Set a new password to sign them out:

    ${publicUrl}/forgot`,
  };
}

/** `taken`: the address belongs to another account, which only its owner may learn. */
function newAddressMail(code: string, taken: boolean): Words {
  const outlook = taken
    ? `This address already belongs to another Quarters account, so it cannot be used. If that account is yours too, first sign in to it and change its address or close it.`
    : `It works once and expires in 10 minutes. We sent a second code to the account’s current address.`;
  return {
    subject: `${code} is your code to change your e-mail address`,
    text: `Somebody asked to use this e-mail address for their Quarters account. If it was you, enter this code:

    ${code}

${outlook}

Never share it, not even with us. If it wasn’t you, ignore this e-mail.`,
  };
}

function noticeMail(to: string): Words {
  return {
    subject: 'Your e-mail address was changed',
    text: `The e-mail address of your Quarters account was just changed to

    ${to}

You were signed out everywhere else. E-mails about the account now go to the new address.

If it wasn’t you, somebody can read your e-mail and is signed in to your account. Secure your mailbox, and ask the operator of this service for help.`,
  };
}
