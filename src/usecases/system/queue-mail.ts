import type { Query } from '../../db/database.ts';
import { insertMail, newMailId } from '../../mail/mails.ts';
import type { Service } from '../service.ts';

/** Plain text. */
export type Mail = { readonly to: string; readonly subject: string; readonly text: string };

/**
 * Has a mail sent soon, at least once: inside a transaction, if and only if that commits. Nobody waits for the mail server, and
 * how long this takes tells nothing about the recipient.
 */
export async function queueMail({ vault }: Pick<Service, 'vault'>, db: { query: Query }, mail: Mail): Promise<void> {
  const id = newMailId();
  await insertMail(db, id, vault.seal(Buffer.from(JSON.stringify(mail)), mailContext(id)));
}

/** What a mail is sealed for. */
export const mailContext = (id: string) => `mail ${id}`;
