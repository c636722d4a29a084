import type { UserId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';
import { keepUntil } from '../db/keep-until.ts';

/** What a code sent by mail is for. It works for nothing else. */
export type EmailCodePurpose = 'sign-up' | 'reset' | 'change-old' | 'change-new' | 'passkey';

export const EMAIL_CODE_MINUTES = 10;

/** With six digits, one attacker in 200,000 guesses right. */
const MAX_TRIES = 5;

export type EmailCode = { readonly email: string; readonly userId: UserId | null };

export async function insertEmailCode(
  { query }: Queries,
  code: EmailCode & { readonly id: string; readonly purpose: EmailCodePurpose; readonly mac: Uint8Array },
): Promise<void> {
  await query(
    `INSERT INTO email_codes (id, purpose, email, user_id, mac, expires_at)
     VALUES ($1, $2, $3, $4, $5, now() + make_interval(mins => $6))`,
    [code.id, code.purpose, code.email, code.userId, Buffer.from(code.mac), EMAIL_CODE_MINUTES],
  );
}

/**
 * Takes one of the code's tries before anything is compared, so that concurrent attempts cannot exceed the limit. Null if the code is
 * unknown, for another purpose, used or expired, or has no tries left.
 */
export async function takeTry(
  { query }: Queries,
  id: string,
  purpose: EmailCodePurpose,
): Promise<(EmailCode & { readonly mac: Uint8Array }) | null> {
  const [row] = await query<EmailCode & { readonly mac: Buffer }>(
    `UPDATE email_codes SET tries = tries + 1
      WHERE id = $1 AND purpose = $2 AND tries < $3 AND spent_at IS NULL AND expires_at > now()
      RETURNING email, user_id AS "userId", mac`,
    [id, purpose, MAX_TRIES],
  );
  return row ?? null;
}

/** Marks a code as used. Of two concurrent calls exactly one gets true. */
export async function spendEmailCode({ query }: Queries, id: string): Promise<boolean> {
  const rows = await query('UPDATE email_codes SET spent_at = now() WHERE id = $1 AND spent_at IS NULL RETURNING 1', [
    id,
  ]);
  return rows.length === 1;
}

/**
 * Notes that the mail server has refused the mail with this code for good, where the person may learn it: a mail for a new account is the same
 * whether there is one or not, and so is the recipient of one for a change of address, but not its text. The mail for a new password
 * never says anything to the page that asked for it.
 */
export async function noteRefusedCode(
  { query }: Queries,
  id: string,
  { isOfContent }: { readonly isOfContent: boolean },
): Promise<void> {
  const purposes: EmailCodePurpose[] = isOfContent
    ? ['sign-up', 'change-old', 'passkey']
    : ['sign-up', 'change-old', 'change-new', 'passkey'];
  await query('UPDATE email_codes SET mail_refused = true WHERE id = $1 AND purpose = ANY($2)', [id, purposes]);
}

/** Which of these codes will not arrive, because the mail server has refused their mails. */
export async function refusedCodesAmong({ query }: Queries, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await query<{ id: string }>('SELECT id FROM email_codes WHERE id = ANY($1) AND mail_refused', [ids]);
  return new Set(rows.map(({ id }) => id));
}

export const KEPT_CODES = keepUntil(
  { from: 'FROM email_codes', key: 'id', since: 'expires_at' },
  { what: 'a code sent by mail, with the address', kept: `${EMAIL_CODE_MINUTES} minutes`, why: 'its use' },
);
