import { createHash, randomUUID } from 'node:crypto';
import { changing, insertRows, type Queries } from './statements.ts';
import { ago, Expression } from './times.ts';

// Rows that are kept for a limited time only: counters, codes, challenges, answers, mails.

type AttemptColumns = { readonly key: Uint8Array; readonly count: number };

export const changeAttempts = changing<AttemptColumns>('attempts');

/** Resets the counts: everywhere, or where they would end within that time. */
export async function forgetAttempts({ query }: Queries, within = 'infinity'): Promise<void> {
  await query('DELETE FROM attempts WHERE resets_at < now() + $1::interval', [within]);
  await query('DELETE FROM attempt_budgets WHERE forget_at < now() + $1::interval', [within]);
}

const changeAttemptBudgets = changing<{ readonly key: Uint8Array; readonly taken: readonly Date[] }>('attempt_budgets');

/** Adds this many attempts to one throttle, made now. */
export function fillAttemptBudget(db: Queries, key: Uint8Array, count: number): Promise<void> {
  return changeAttemptBudgets(db, { key }, { taken: new Expression(`array_fill(now(), ARRAY[${count}])`) });
}

/** Makes all attempts of one throttle that much older. */
export function ageAttemptBudget(db: Queries, key: Uint8Array, age: string): Promise<void> {
  const earlier = new Expression(`ARRAY(SELECT moment - interval '${age}' FROM unnest(taken) moment)`);
  return changeAttemptBudgets(db, { key }, { taken: earlier });
}

type EmailCodeColumns = {
  readonly email: string;
  readonly purpose: 'sign-up' | 'reset';
  readonly expiresAt: Date;
  readonly mailRefused: boolean;
};

export const changeEmailCodes = changing<EmailCodeColumns>('email_codes');
export const changePasskeyChallenges = changing<{ readonly expiresAt: Date }>('passkey_challenges');
/** As if a day had passed since every answer. */
export async function forgetIdempotencyKeys({ query }: Queries): Promise<void> {
  await query('DELETE FROM idempotency_keys');
}

export const changeSignInLinks = changing<{ readonly expiresAt: Date }>('sign_in_links');
const changeFormerEmails = changing<{ readonly email: string; readonly leftAt: Date }>('former_emails');

/** Makes it so long ago that somebody had this e-mail address. */
export const ageFormerEmails = (db: Queries, email: string, age: string) =>
  changeFormerEmails(db, { email }, { leftAt: ago(age) });

/** As if all mails had been sent. */
export async function forgetMails({ query }: Queries): Promise<void> {
  await query('DELETE FROM mails');
}

export const changeMails = changing<{ readonly createdAt: Date; readonly nextAttemptAt: Date }>('mails');

/** A row for each table that deletes old rows, expired at `at`; `hash` is its own. */
const FORGOTTEN = {
  attempts: (at, hash) => ({ key: hash, count: 1, resetsAt: at }),
  attempt_budgets: (at, hash) => ({ key: hash, taken: [at], forgetAt: at }),
  email_codes: (at, hash) => ({
    id: randomUUID(),
    purpose: 'reset',
    email: 'ada@mail.example',
    mac: hash,
    expiresAt: at,
  }),
  passkey_challenges: (at, hash) => ({ hash, expiresAt: at }),
  orphaned_deposits: (at, _hash, n) => ({
    address: `0x${n.toString(16).padStart(40, '0')}`,
    amount: 1,
    orphanedAt: at,
  }),
  idempotency_keys: (at, hash) => ({ hash, bodyHash: hash, answer: {}, createdAt: at }),
  // Two kinds, which are deleted separately.
  oauth_records: (at, hash, n) => ({
    model: n % 2 === 0 ? 'Session' : 'AccessToken',
    hash,
    payload: {},
    expiresAt: at,
  }),
} satisfies Record<string, (at: Date, hash: Uint8Array, n: number) => object>;

export type ForgottenTable = keyof typeof FORGOTTEN;

/** Rows that expired two months ago, each a minute before the previous one; the same ones each time. */
export function insertForgottenRows(db: Queries, table: ForgottenTable, count = 1): Promise<void> {
  const last = Date.now() - 60 * 86_400_000;
  const rows = Array.from({ length: count }, (_, i) => {
    const hash = createHash('sha256')
      .update(`${i + 1}`)
      .digest();
    return FORGOTTEN[table](new Date(last - i * 60_000), hash, i + 1);
  });
  return insertRows(db, table, rows);
}

/** Lets time pass for the forms that were kept. `by`: an interval of PostgreSQL. */
export async function ageDrafts({ query }: Queries, by: string): Promise<void> {
  await query('UPDATE form_drafts SET expires_at = expires_at - $1::interval', [by]);
}
