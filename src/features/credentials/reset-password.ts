import type { UserId } from '../../base/ids.ts';
import { EMAIL_CODE_MINUTES } from '../../identity/email-codes.ts';
import type { KnownBrowser } from '../../identity/known-browsers.ts';
import { listPasskeys, type Passkey } from '../../identity/passkeys.ts';
import { requireGoodPassword } from '../../identity/password-rules.ts';
import { hashPassword, markPassword, type PasswordMark, replacePassword } from '../../identity/passwords.ts';
import { findUser, findUserByEmail, lookUpUser } from '../../identity/users.ts';
import { endSessionsOf } from '../../oauth/sessions.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import { hasAccess } from '../../views/accounts/list-access.ts';
import { adviseOn, countAttempt, limitsOfClient, recogniseBrowser } from '../attempts/throttle.ts';
import type { WriteMail } from '../mails/mail-layout.ts';
import { queueMail } from '../mails/mails.ts';
import { nameInMail } from '../mails/name-in-mail.ts';
import { noteSignIn, openSession, openSessionByPassword } from '../sessions/sign-in.ts';
import { redeemCode, sendCode } from './email-code.ts';

/** The page that lists what can use an account, and removes it. */
export const CHECK_PATH = '/account/check';

/** Who may set a new password, and which password it replaces; so it is set only once. */
export type ResetRight = { readonly userId: UserId; readonly email: string; readonly seen: PasswordMark };

/**
 * Sends a code for resetting a password; returns its id. An address without an account also gets a mail, with other
 * words and without a code, so the caller sees no difference, not even in time. Throws `too-many-tries`.
 */
export async function sendResetCode(
  service: Service,
  {
    email,
    locale,
    client,
    knownBrowsers,
  }: { email: string; locale?: string; client: string; knownBrowsers: readonly KnownBrowser[] },
): Promise<string> {
  const user = await findUserByEmail(service.db, email);
  const knownBrowser = await recogniseBrowser(service, user?.id ?? null, knownBrowsers);
  return sendCode(service, {
    purpose: 'reset',
    email: user?.email ?? email,
    locale,
    client,
    knownBrowser,
    ...(user && { userId: user.id }),
    mail: (code) => (user ? codeMail(service, code) : noAccountMail(service)),
  }).catch(adviseOn);
}

/** What was entered. `email`: the address that the code was sent to. */
export type ResetCode = {
  readonly email: string;
  readonly id: string;
  readonly code: string;
  readonly client: string;
  readonly knownBrowsers: readonly KnownBrowser[];
};

/**
 * Redeems the code. Null if it is wrong, spent, expired, or was tried too often. Throws `too-many-tries`. Nothing is
 * counted by account: the number of codes sent limits attempts, and nobody can use up the attempts at somebody else's
 * code.
 */
export async function redeemResetCode(
  service: Service,
  { email, id, code, client, knownBrowsers }: ResetCode,
): Promise<ResetRight | null> {
  const asked = await findUserByEmail(service.db, email);
  const browser = await recogniseBrowser(service, asked?.id ?? null, knownBrowsers);
  const limits =
    browser === null ? limitsOfClient(client, 50, 15) : [{ key: `browser ${browser}`, most: 50, minutes: 15 }];
  await countAttempt(service, 'reset code', limits);
  const redeemed = await redeemCode(service, { id, purpose: 'reset', code });
  if (!redeemed?.userId) return null;
  const user = await lookUpUser(service.db, redeemed.userId);
  // The address may have been changed, or the account closed, since the code was sent.
  if (user?.email !== redeemed.email) return null;
  return { userId: user.id, email: user.email, seen: await markPassword(service.db, user.id) };
}

/**
 * Stores the new password, ends every session of the user, informs them by mail, and signs in: returns the cookie's
 * value. Null if the password was changed or the account closed since the code was redeemed. Throws `invalid-input`,
 * `too-many-tries`.
 */
export async function resetPassword(
  service: Service,
  { userId, email, seen }: ResetRight,
  {
    password,
    client,
    ...newSession
  }: { password: string; client: string; former: string | undefined; browser?: string | null },
): Promise<string | null> {
  const { displayName } = (await lookUpUser(service.db, userId)) ?? { displayName: '' };
  await requireGoodPassword(password, { email, displayName });
  // Counted apart from password changes by a signed-in user: a signed-in thief must not use up what the owner needs.
  await countAttempt(service, 'reset password', [
    ...limitsOfClient(client, 30, 15),
    { key: `user ${userId}`, most: 20, minutes: 15 },
  ]);
  const hash = await hashPassword(password, client);
  const session = await service.db.transaction(async (tx) => {
    if (!(await replacePassword(tx, userId, seen, hash, email))) return null;
    await endSessionsOf(tx, userId);
    const user = await findUser(tx, userId);
    // Adding a passkey locks the user, as replacing the password does. A passkey that a thief was adding is stored by
    // now, or never will be.
    const left = { passkeys: await listPasskeys(tx, userId), games: await hasAccess(tx, userId) };
    await queueMail(service, tx, { to: user!.email, write: changedMail(service, left) });
    await recordChange(tx, { action: 'password-reset', subject: { kind: 'user', id: userId }, by: userId });
    return openSession(tx, { userId, methods: ['otp'], ...newSession });
  });
  if (session !== null) {
    service.security.note('password-reset', { userId });
    noteSignIn(service, userId, ['otp']);
    return session;
  }
  // A form sent twice finds the password it has just set: after a double click the browser shows only the second
  // answer.
  return openSessionByPassword(service, { userId, password, client, methods: ['otp', 'pwd'], ...newSession });
}

type Sender = Pick<Service, 'publicUrl' | 'settings'>;

function codeMail({ settings }: Sender, code: string): WriteMail {
  return ({ mails }) => {
    const { subject, heading, enter, ignore } = mails.reset;
    return {
      subject: subject(code),
      heading,
      parts: [enter(settings.brandName), { code }, mails.code(EMAIL_CODE_MINUTES), ignore],
    };
  };
}

function noAccountMail({ publicUrl, settings }: Sender): WriteMail {
  return ({ mails }) => {
    const { subject, asked, create, createLink } = mails.noAccount;
    return {
      subject,
      parts: [asked(settings.brandName), create, { link: `${publicUrl}/sign-up`, label: createLink }, mails.ignore],
    };
  };
}

type Left = { readonly passkeys: readonly Passkey[]; readonly games: boolean };

/** Names what can still use the account, and leaves out what does not exist. */
function changedMail({ publicUrl, settings }: Sender, { passkeys, games }: Left): WriteMail {
  return ({ mails, day }) => {
    const says = mails.passwordChanged;
    const lines = passkeys.map(({ name, createdAt }) => says.passkey(nameInMail(name), day(createdAt)));
    const check = { link: `${publicUrl}${CHECK_PATH}`, label: says.checkLink };
    return {
      subject: says.subject,
      parts: [
        says.everywhere(settings.brandName),
        ...(lines.length > 0 ? [says.passkeys, { lines }] : []),
        ...(games ? [says.games] : []),
        ...(lines.length > 0 || games ? [says.check, check] : []),
        says.secure,
        { link: `${publicUrl}/forgot`, label: mails.setPassword },
      ],
    };
  };
}
