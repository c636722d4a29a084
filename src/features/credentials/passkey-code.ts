import { EMAIL_CODE_MINUTES } from '../../identity/email-codes.ts';
import type { User } from '../../identity/users.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import type { Service } from '../../service/service.ts';
import { countAttempt } from '../attempts/throttle.ts';
import type { WriteMail } from '../mails/mail-layout.ts';
import { noteSignIn, openSession } from '../sessions/sign-in.ts';
import { redeemCode, sendCode } from './email-code.ts';

/** Mails a code to somebody whom a password alone has signed in, and who wants a passkey. Returns its id. */
export function sendPasskeyCode(service: Service, { id: userId, email }: User, { uid }: Session): Promise<string> {
  return sendCode(service, {
    ...{ purpose: 'passkey', email, userId, session: uid },
    mail: (code) => codeMail(service, code),
  });
}

/** `code`: as typed. `former`: the session cookie's value; `browser`: browser and system, in words. */
type TypedCode = {
  readonly id: string;
  readonly code: string;
  readonly former: string | undefined;
  readonly browser: string | null;
};

/**
 * Opens a session that the code has proved, in place of this one, and returns its cookie's value. Null if the code is wrong, spent, expired or
 * was tried too often.
 */
export async function provePasskeyCode(
  service: Service,
  user: User,
  session: Session,
  { id, code, former, browser }: TypedCode,
): Promise<string | null> {
  await countAttempt(service, 'passkey codes', [{ key: `session ${session.uid}`, most: 50, minutes: 60 }]);
  const redeemed = await redeemCode(service, { id, purpose: 'passkey', code });
  // The address may have changed meanwhile.
  if (redeemed?.userId !== user.id || redeemed.email !== user.email) return null;
  const methods = [...new Set([...session.methods, 'otp' as const])];
  const opened = await service.db.transaction(async (tx) => {
    await holdSession(tx, session);
    return openSession(tx, { userId: user.id, methods, former, browser });
  });
  noteSignIn(service, user.id, methods);
  return opened;
}

function codeMail({ publicUrl, settings }: Pick<Service, 'publicUrl' | 'settings'>, code: string): WriteMail {
  return ({ mails }) => ({
    subject: mails.passkeys.codeSubject(code),
    heading: mails.passkeys.codeHeading,
    parts: [
      mails.passkeys.asked(settings.brandName),
      { code },
      mails.code(EMAIL_CODE_MINUTES),
      mails.intruder,
      { link: `${publicUrl}/forgot`, label: mails.setPassword },
    ],
  });
}
