import type { UserId } from '../base/ids.ts';
import type { Queries, Tx } from '../db/database.ts';
import { keepUntil } from '../db/keep-until.ts';

/** For so long an owner whose address a thief has changed hears of what follows. */
const KEPT_DAYS = 30;
/** The oldest ones count, so that nobody pushes the owner's out by changing the address again and again. */
const MOST = 10;

/** Keeps an e-mail address that somebody has had until now. */
export async function keepFormerEmail({ query }: Tx, userId: UserId, email: string): Promise<void> {
  await query(
    `INSERT INTO former_emails (user_id, email) VALUES ($1, $2)
     ON CONFLICT DO NOTHING`,
    [userId, email],
  );
}

/** The e-mail addresses that somebody has had in the last 30 days, without the present one. */
export async function listFormerEmails(
  { query }: Queries,
  { id, email }: { readonly id: UserId; readonly email: string },
): Promise<string[]> {
  const rows = await query<{ email: string }>(
    `SELECT email FROM former_emails
      WHERE user_id = $1 AND email <> $2 AND left_at > now() - make_interval(days => $3) ORDER BY left_at LIMIT $4`,
    [id, email, KEPT_DAYS, MOST],
  );
  return rows.map((row) => row.email);
}

export const KEPT_FORMER_EMAILS = keepUntil(
  { from: 'FROM former_emails', key: 'user_id, email', since: 'left_at', age: `${KEPT_DAYS} days` },
  { what: 'a former e-mail address', kept: 'after its change', why: 'mails, in case a thief changed it' },
);
