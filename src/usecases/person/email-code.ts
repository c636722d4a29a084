import { randomInt, randomUUID } from 'node:crypto';
import { type UserId, UUID_PATTERN } from '../../base/ids.ts';
import { foldEmail } from '../../identity/email-address.ts';
import {
  type EmailCode,
  type EmailCodePurpose,
  insertEmailCode,
  spendEmailCode,
  takeTry,
} from '../../identity/email-codes.ts';
import type { Service } from '../service.ts';
import { countGuess, fromPlace } from '../system/count-guess.ts';
import { queueMail } from '../system/queue-mail.ts';

export type CodeToSend = {
  readonly purpose: EmailCodePurpose;
  readonly email: string;
  /** Whose code it is, where somebody has an account already. */
  readonly userId?: UserId;
  /** Where the visitor comes from, where nobody is signed in: one place may not have mails sent to the whole world. */
  readonly client?: string | undefined;
  /** The mail's words around the six digits. */
  readonly mail: (code: string) => { readonly subject: string; readonly text: string };
};

/**
 * Sends six digits to an e-mail address; returns the id they are redeemed with. What is stored does not tell them.
 * Throws `too-many-tries`: each code may be guessed at a few times, so codes are counted as guesses are.
 */
export async function sendCode(
  service: Service,
  { purpose, email, userId, client, mail }: CodeToSend,
): Promise<string> {
  await countCode(service, purpose, foldEmail(email), client);
  const id = randomUUID();
  const code = randomInt(1_000_000).toString().padStart(6, '0');
  await service.db.transaction(async (tx) => {
    const mac = service.vault.mac('email code', macText(purpose, id, code));
    await insertEmailCode(tx, { id, purpose, email, userId: userId ?? null, mac });
    await queueMail(service, tx, { to: email, ...mail(code) });
  });
  return id;
}

/** The tight limits name the place, so that nobody can use up from one place what the owner of the address needs. */
async function countCode(service: Service, purpose: string, to: string, from = 'signed in'): Promise<void> {
  await countGuess(service, `code ${purpose}`, [
    ...(from === 'signed in' ? [] : fromPlace(from, 30, 15)),
    ...fromPlace(from, 5, 15, `to ${to}`),
    ...fromPlace(from, 15, 24 * 60, `to ${to}`),
    { key: `to ${to}`, most: 60, minutes: 24 * 60 },
  ]);
}

/**
 * Spends a code. `code`: what was typed; spaces and hyphens between the digits do not matter.
 * Null: wrong, spent, expired, for something else, or tried too often; who types is not told which.
 */
export async function redeemCode(
  { db, vault }: Service,
  { id, purpose, code }: { id: string; purpose: EmailCodePurpose; code: string },
): Promise<EmailCode | null> {
  if (!new RegExp(UUID_PATTERN).test(id)) return null;
  const tried = await takeTry(db, id, purpose);
  if (!tried) return null;
  const { mac, email, userId } = tried;
  const digits = code.replace(/[\s-]/g, '');
  if (!vault.macMatches('email code', macText(purpose, id, digits), mac)) return null;
  return (await spendEmailCode(db, id)) ? { email, userId } : null;
}

function macText(purpose: EmailCodePurpose, id: string, code: string): string {
  return `${purpose}.${id}.${code}`;
}
