import { printable } from '../base/printable.ts';
import type { Queries } from '../db/database.ts';

/** What a mail server answered where it refuses for good (RFC 5321, section 4.2.1): to repeat the same is of no use. */
export type Refusal = {
  /** Its words, without any address: the log names nobody. */
  readonly reply: string;
  /** It refused this mail, and not all of them, as with a wrong password. So this mail is given up. */
  readonly isOfMail: boolean;
  /** It had read the mail. Otherwise only sender and recipient can be the reason. */
  readonly isOfContent: boolean;
};

/** As nodemailer throws it. */
type SendError = { readonly code?: string; readonly responseCode?: number; readonly response?: string };

/** Null: the server did not refuse for good, so it may take the mail later. */
export function refusalOf(error: unknown, to: string): Refusal | null {
  const { code, responseCode = 0 } = error as SendError;
  if (responseCode < 500) return null;
  const isOfContent = code === 'EMESSAGE';
  return { reply: replyWithout(to, error) ?? '', isOfMail: isOfContent || code === 'EENVELOPE', isOfContent };
}

const MAX_REPLY_CHARACTERS = 300;

/** What the server said, in one line without the recipient, nor any other address. Undefined: it said nothing. */
export function replyWithout(to: string, error: unknown): string | undefined {
  const { response } = error as SendError;
  if (!response) return undefined;
  const [, code = '', text = ''] = /^(\d{3}[ -]?)?(.*)$/s.exec(response)!;
  const at = to.lastIndexOf('@');
  const named = [to, to.slice(0, at), to.slice(at + 1)].filter(Boolean).map(RegExp.escape).join('|');
  const anonymous = text
    .replace(/[^\s<>()"',;:]+@[^\s<>()"',;:]+/g, '…')
    .replace(new RegExp(`(?<![\\p{L}\\p{N}])(${named})(?![\\p{L}\\p{N}])`, 'giu'), '…');
  return printable(`${code}${anonymous}`.replace(/\s+/g, ' ')).slice(0, MAX_REPLY_CHARACTERS);
}

/**
 * Whether the reply says that the recipient's address is the reason: no such mailbox or domain, or a mailbox that is closed or full
 * (RFC 3463, X.1.1 to X.1.3, X.1.6 and X.2; RFC 7505). Servers without such codes do not say.
 */
export function isAboutRecipient(reply: string): boolean {
  return /^5\d\d[ -]5\.(1\.([1236]|10)|2\.\d+)\b/.test(reply);
}

/** The mails that the server has refused for good since it last accepted one. */
export type RefusedMails = { readonly count: number; readonly since: Date; readonly reply: string };

export async function recordRefusedMail({ query }: Queries, reply: string): Promise<void> {
  await query(
    `INSERT INTO refused_mails (count, reply) VALUES (1, $1)
     ON CONFLICT (singleton) DO UPDATE SET count = refused_mails.count + 1, reply = excluded.reply`,
    [reply],
  );
}

/** A mail was accepted. */
export async function forgetRefusedMails({ query }: Queries): Promise<void> {
  await query('DELETE FROM refused_mails');
}

/** Null if there is none. */
export async function readRefusedMails({ query }: Queries): Promise<RefusedMails | null> {
  const [row] = await query<RefusedMails>('SELECT count::integer, since, reply FROM refused_mails');
  return row ?? null;
}
