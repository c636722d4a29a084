import { randomInt, randomUUID } from 'node:crypto';
import { asciiDigits } from '../../base/digits.ts';
import { type UserId, uuidFrom } from '../../base/ids.ts';
import { keyHash, takeFromBudget } from '../../identity/attempts.ts';
import {
  type EmailCode,
  type EmailCodePurpose,
  insertEmailCode,
  refusedCodesAmong,
  spendEmailCode,
  takeTry,
} from '../../identity/email-codes.ts';
import { foldEmail } from '../../identity/users.ts';
import type { Service } from '../../service/service.ts';
import { countAttempt, limitsOfClient, noteLockout, tooManyTries } from '../attempts/throttle.ts';
import type { WriteMail } from '../mails/mail-layout.ts';
import { queueMail } from '../mails/mails.ts';

export type CodeToSend = {
  readonly purpose: EmailCodePurpose;
  readonly email: string;
  /** Whose code it is, if somebody has an account already. */
  readonly userId?: UserId;
  /** The address of the visitor, if nobody is signed in: one place must not send mails to the whole world. */
  readonly client?: string | undefined;
  /** The session (its uid) that asks for it, if somebody is signed in. */
  readonly session?: string;
  /** The name under which the account knows this browser, if it does. */
  readonly knownBrowser?: string | null;
  /** The language of the page that asks for it, for an address of no account. */
  readonly locale?: string | null | undefined;
  /** The mail around the six digits. */
  readonly mail: (code: string) => WriteMail;
};

/**
 * Sends six digits to an e-mail address; returns the id they are redeemed with. The digits cannot be read from what is
 * stored. Throws `too-many-tries`: each code allows a few attempts, so codes are throttled as attempts are.
 */
export async function sendCode(service: Service, wanted: CodeToSend): Promise<string> {
  await countCode(service, wanted);
  const { purpose, email, userId, locale, mail } = wanted;
  const id = randomUUID();
  const code = randomInt(1_000_000).toString().padStart(6, '0');
  await service.db.transaction(async (tx) => {
    const mac = service.vault.mac('email code', macText(purpose, id, code));
    await insertEmailCode(tx, { id, purpose, email, userId: userId ?? null, mac });
    await queueMail(service, tx, { to: email, locale, codeId: id, write: mail(code) });
  });
  service.security.note('code-sent', { userId, what: purpose });
  return id;
}

const DAY_MINUTES = 24 * 60;

/**
 * Shared by everybody for one address. With five attempts each, strangers guess one of these codes in 10,000 days of
 * constant mailing.
 */
const OF_ALL = { most: 20, minutes: DAY_MINUTES };
const OF_KNOWN_BROWSER = { most: 10, minutes: DAY_MINUTES };

/**
 * A browser known to the account has codes of its own, which strangers cannot use up; after those it is treated like
 * any other. For all others the tight limits include the place or the session, so a thief elsewhere uses up only a part
 * of what the owner needs.
 */
async function countCode(
  service: Service,
  { purpose, email, userId, client, session, knownBrowser }: CodeToSend,
): Promise<void> {
  const what = `code ${purpose}`;
  const to = `to ${foldEmail(email)}`;
  if (knownBrowser) {
    const budget = { key: keyHash(what, 'known browser', knownBrowser), ...OF_KNOWN_BROWSER };
    if (await takeFromBudget(service.db, budget)) return;
  }
  const from = client ?? `session ${session}`;
  await countAttempt(service, what, [
    ...(client === undefined ? [] : limitsOfClient(client, 30, 15)),
    ...limitsOfClient(from, 5, 15, to),
    ...limitsOfClient(from, 8, DAY_MINUTES, to),
  ]);
  const taken = await takeFromBudget(service.db, { key: keyHash(what, to), ...OF_ALL });
  if (taken?.count === OF_ALL.most) noteLockout(service, what, OF_ALL, userId);
  if (taken) return;
  throw tooManyTries({ code: 'wait-up-to-a-day' });
}

/** Whether the mail server has refused the mail with this code, and the person who waits for it may learn that. `text`: its id, as sent. */
export async function isCodeRefused({ db }: Pick<Service, 'db'>, text: string | undefined): Promise<boolean> {
  const id = text === undefined ? null : uuidFrom(text);
  return id !== null && (await refusedCodesAmong(db, [id])).size > 0;
}

/**
 * Redeems a code. `code`: what was entered, in digits of any script; spaces and hyphens between them are ignored. Null if it is wrong,
 * spent, expired, for another purpose, or was tried too often; the caller does not learn which.
 */
export async function redeemCode(
  service: Service,
  typed: { id: string; purpose: EmailCodePurpose; code: string },
): Promise<EmailCode | null> {
  const redeemed = await spendCode(service, typed);
  if (!redeemed) service.security.note('code-failed', { what: typed.purpose });
  return redeemed;
}

async function spendCode(
  { db, vault }: Service,
  { id: text, purpose, code }: Parameters<typeof redeemCode>[1],
): Promise<EmailCode | null> {
  const id = uuidFrom(text);
  if (!id) return null;
  const tried = await takeTry(db, id, purpose);
  if (!tried) return null;
  const { mac, email, userId } = tried;
  const digits = asciiDigits(code).replace(/[\s\p{Pd}]/gu, '');
  if (!vault.macMatches('email code', macText(purpose, id, digits), mac)) return null;
  return (await spendEmailCode(db, id)) ? { email, userId } : null;
}

function macText(purpose: EmailCodePurpose, id: string, code: string): string {
  return `${purpose}.${id}.${code}`;
}
