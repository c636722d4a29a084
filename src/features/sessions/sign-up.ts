import { createUserKey } from '../../custody/new-keys.ts';
import { EMAIL_CODE_MINUTES } from '../../identity/email-codes.ts';
import { requireGoodPassword } from '../../identity/password-rules.ts';
import { hashPassword, storePassword } from '../../identity/passwords.ts';
import { findUserByEmail, insertFullUser } from '../../identity/users.ts';
import { openAccount } from '../../ledger/accounts.ts';
import type { AuthMethod } from '../../oauth/sessions.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import { countAttempt, limitsOfClient } from '../attempts/throttle.ts';
import type { WriteMail } from '../mails/mail-layout.ts';
import { noteSignIn, openSession, openSessionByPassword } from './sign-in.ts';

export type NewPerson = {
  /** Proved by a code. */
  readonly email: string;
  readonly displayName: string;
  readonly password: string;
  /** The address of the caller. */
  readonly client: string;
  /** The session cookie's earlier value. */
  readonly former: string | undefined;
  /** Browser and system, in words. */
  readonly browser?: string | null;
};

/** A code sent by mail was entered, and a password set. */
const METHODS: readonly AuthMethod[] = ['otp', 'pwd'];

/**
 * Creates an account for somebody who has proved an e-mail address, and signs them in. Returns the session cookie's
 * value; null if the address has an account already.
 */
export async function signUp(service: Service, person: NewPerson): Promise<string | null> {
  const { db, vault } = service;
  const { email, displayName, password, client, former, browser = null } = person;
  await requireGoodPassword(password, person);
  await countAttempt(service, 'sign-up', limitsOfClient(client, 30, 15));
  const hash = await hashPassword(password, client);
  const { userId, address, keyId } = createUserKey(vault);
  const made = await db.transaction(async (tx) => {
    const user = await insertFullUser(tx, { id: userId, email, displayName });
    if (!user) return null;
    await openAccount(tx, address, { kind: 'user', userId }, keyId);
    await storePassword(tx, user.id, hash);
    const session = await openSession(tx, { userId: user.id, methods: METHODS, former, browser });
    await recordChange(tx, { action: 'account-created', subject: { kind: 'user', id: user.id }, by: user.id });
    return { userId: user.id, session };
  });
  if (made === null) return signInInstead(service, person);
  service.security.note('account-created', { userId: made.userId });
  noteSignIn(service, made.userId, METHODS);
  return made.session;
}

/**
 * A form sent twice finds the account it has just made: after a double click the browser shows only the second answer.
 * Somebody who has proved the address and knows the password may be signed in.
 */
async function signInInstead(service: Service, { email, ...person }: NewPerson): Promise<string | null> {
  const user = await findUserByEmail(service.db, email);
  return user && openSessionByPassword(service, { ...person, userId: user.id, methods: METHODS });
}

/** The mail with the code for a new account. It is the same if the address already has an account. */
export function signUpMail({ settings }: Pick<Service, 'settings'>): (code: string) => WriteMail {
  return (code) =>
    ({ mails }) => ({
      subject: mails.signUp.subject(code, settings.brandName),
      heading: mails.signUp.heading(settings.brandName),
      parts: [mails.signUp.enter, { code }, mails.code(EMAIL_CODE_MINUTES), mails.ignore],
    });
}
