import { refusedEntry } from '../../base/problems.ts';
import { EMAIL_CODE_MINUTES, refusedCodesAmong } from '../../identity/email-codes.ts';
import { keepFormerEmail } from '../../identity/former-emails.ts';
import {
  changeEmailOf,
  EmailTaken,
  emailFault,
  findUserByEmail,
  normaliseEmail,
  type User,
} from '../../identity/users.ts';
import { endSessionsOf, holdSession, type Session } from '../../oauth/sessions.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import { accountFrozen, isFrozen, refuseWhileFrozen } from '../../service/stopped.ts';
import { countAttempt } from '../attempts/throttle.ts';
import { redeemCode, sendCode } from '../credentials/email-code.ts';
import type { WriteMail } from '../mails/mail-layout.ts';
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
 * Sends a code to the current address and one to the new address. If the new address belongs to an account, only its owner learns that,
 * from the mail sent there.
 */
export async function startEmailChange(
  service: Service,
  user: User,
  session: Session,
  wanted: string,
): Promise<EmailChange> {
  if (await isFrozen(service, user.id)) throw accountFrozen(service.settings);
  const to = normaliseEmail(wanted);
  const fault = to === user.email ? ({ code: 'email-unchanged' } as const) : emailFault(to);
  if (fault) throw refusedEntry(['/email', fault]);
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
    mail: (code) => oldAddressMail(service, to, code),
  });
  const newCodeId = await sendCode(service, {
    purpose: 'change-new',
    email: to,
    userId: user.id,
    session: session.uid,
    locale: user.locale,
    mail: (code) => newAddressMail(service, code, taken),
  });
  const expiresAt = Date.now() + EMAIL_CODE_MINUTES * 60_000;
  return { sessionUid: session.uid, from: user.email, to, oldCodeId, newCodeId, expiresAt };
}

export type ChangeResult =
  | { readonly kind: 'changed' }
  /**
   * A code is wrong, spent, or was tried too often. `change` keeps the code that was right. `refused`: the ids of codes that do not arrive,
   * because the mail server refused them.
   */
  | { readonly kind: 'wrong'; readonly change: EmailChange; readonly refused: ReadonlySet<string> }
  /**
   * The new address belongs to an account. Only somebody who has proved that the address is theirs gets this answer.
   */
  | { readonly kind: 'taken' }
  /** The change belongs to another session, or its user has another address by now. */
  | { readonly kind: 'stale' };

/** Changes the address after both codes were entered. The other sessions end, and the old address is informed. */
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
    const left = [oldCodeId, newCodeId].filter((id) => id !== null);
    const refused = await refusedCodesAmong(service.db, left);
    return { kind: 'wrong', change: { ...change, oldCodeId, newCodeId }, refused };
  }
  return store(service, user, session, change.to);
}

async function store(service: Service, user: User, session: Session, to: string): Promise<ChangeResult> {
  try {
    const result = await service.db.transaction<ChangeResult>(async (tx) => {
      if (!(await changeEmailOf(tx, user.id, { from: user.email, to }))) return { kind: 'stale' };
      await keepFormerEmail(tx, user.id, user.email);
      await endSessionsOf(tx, user.id, session.uid);
      await holdSession(tx, session);
      await refuseWhileFrozen(tx, service, user.id);
      await queueMail(service, tx, { to: user.email, locale: user.locale, write: noticeMail(service, to) });
      await recordChange(tx, { action: 'email-changed', subject: { kind: 'user', id: user.id }, by: user.id });
      return { kind: 'changed' };
    });
    if (result.kind === 'changed') service.security.note('email-changed', { userId: user.id });
    return result;
  } catch (error) {
    if (error instanceof EmailTaken) return { kind: 'taken' };
    throw error;
  }
}

type Sender = Pick<Service, 'publicUrl' | 'settings'>;

function oldAddressMail({ publicUrl, settings }: Sender, to: string, code: string): WriteMail {
  return ({ mails }) => ({
    subject: mails.emailChange.subject(code),
    heading: mails.emailChange.heading,
    parts: [
      mails.emailChange.asked(settings.brandName),
      { lines: [to] },
      mails.emailChange.enter,
      { code },
      mails.emailChange.second(EMAIL_CODE_MINUTES),
      mails.intruder,
      { link: `${publicUrl}/forgot`, label: mails.setPassword },
    ],
  });
}

/** `taken`: the address belongs to another account, which only its owner may learn. */
function newAddressMail({ settings }: Sender, code: string, taken: boolean): WriteMail {
  return ({ mails }) => ({
    subject: mails.emailChange.subject(code),
    heading: mails.emailChange.heading,
    parts: [
      mails.emailChange.askedNew(settings.brandName),
      { code },
      taken ? mails.emailChange.taken(settings.brandName) : mails.emailChange.first(EMAIL_CODE_MINUTES),
      `${mails.neverShare} ${mails.ignore}`,
    ],
  });
}

function noticeMail({ settings }: Sender, to: string): WriteMail {
  return ({ mails }) => ({
    subject: mails.emailChange.changed,
    parts: [
      mails.emailChange.changedTo(settings.brandName),
      { lines: [to] },
      mails.emailChange.elsewhere,
      mails.emailChange.secure,
    ],
  });
}
