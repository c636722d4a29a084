import { randomInt, randomUUID } from 'node:crypto';
import { type UserId, UUID_PATTERN } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { foldEmail } from '../../identity/email-address.ts';
import {
  type EmailCode,
  type EmailCodePurpose,
  insertEmailCode,
  spendEmailCode,
  takeTry,
} from '../../identity/email-codes.ts';
import { takeFromBudget } from '../../identity/guess-budgets.ts';
import type { Service } from '../service.ts';
import { countGuess, fromPlace, keyHash, noteLockout } from '../system/count-guess.ts';
import { queueMail } from '../system/queue-mail.ts';

export type CodeToSend = {
  readonly purpose: EmailCodePurpose;
  readonly email: string;
  /** Whose code it is, where somebody has an account already. */
  readonly userId?: UserId;
  /** Where the visitor comes from, where nobody is signed in: one place may not have mails sent to the whole world. */
  readonly client?: string | undefined;
  /** The session it is asked for in (its uid), where somebody is signed in. */
  readonly session?: string;
  /** What the browser is known by to the account it is for, where it is. */
  readonly knownBrowser?: string | null;
  /** The mail's words around the six digits. */
  readonly mail: (code: string) => { readonly subject: string; readonly text: string };
};

/**
 * Sends six digits to an e-mail address; returns the id they are redeemed with. What is stored does not tell them.
 * Throws `too-many-tries`: each code may be guessed at a few times, so codes are counted as guesses are.
 */
export async function sendCode(service: Service, wanted: CodeToSend): Promise<string> {
  await countCode(service, wanted);
  const { purpose, email, userId, mail } = wanted;
  const id = randomUUID();
  const code = randomInt(1_000_000).toString().padStart(6, '0');
  await service.db.transaction(async (tx) => {
    const mac = service.vault.mac('email code', macText(purpose, id, code));
    await insertEmailCode(tx, { id, purpose, email, userId: userId ?? null, mac });
    await queueMail(service, tx, { to: email, ...mail(code) });
  });
  service.security.note('code-sent', { userId, what: purpose });
  return id;
}

const DAY_MINUTES = 24 * 60;

/** What everybody shares for one address: with five tries each, strangers guess one of them in 10,000 days, mailing all the while. */
const OF_ALL = { most: 20, minutes: DAY_MINUTES };
const OF_KNOWN_BROWSER = { most: 10, minutes: DAY_MINUTES };

/**
 * A browser known to the account has codes of its own, which strangers cannot use up; afterwards it is like any other. Among those the
 * tight limits name the place, or the session: a thief with another one uses up a part only of what the owner needs.
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
  await countGuess(service, what, [
    ...(client === undefined ? [] : fromPlace(client, 30, 15)),
    ...fromPlace(from, 5, 15, to),
    ...fromPlace(from, 8, DAY_MINUTES, to),
  ]);
  const taken = await takeFromBudget(service.db, { key: keyHash(what, to), ...OF_ALL });
  if (taken?.count === OF_ALL.most) noteLockout(service, what, OF_ALL, userId);
  if (taken) return;
  throw new Problem('too-many-tries', 'Please wait up to a day and try again.');
}

/**
 * Spends a code. `code`: what was typed; spaces and hyphens between the digits do not matter.
 * Null: wrong, spent, expired, for something else, or tried too often; who types is not told which.
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
  { id, purpose, code }: Parameters<typeof redeemCode>[1],
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
