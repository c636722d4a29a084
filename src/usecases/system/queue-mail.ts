import type { Tx } from '../../db/database.ts';
import { insertMail, newMailId } from '../../mail/mails.ts';
import type { Service } from '../service.ts';

/** Plain text. */
export type Mail = { readonly to: string; readonly subject: string; readonly text: string };

/**
 * Has a mail sent soon, at least once: inside a transaction, if and only if that commits. Nobody waits for the mail server, and
 * how long this takes tells nothing about the recipient.
 */
export async function queueMail({ vault }: Pick<Service, 'vault'>, tx: Tx, mail: Mail): Promise<void> {
  const id = newMailId();
  await insertMail(tx, id, vault.seal(Buffer.from(JSON.stringify(mail)), mailContext(id)));
  tx.announce('mails');
}

/** What a mail is sealed for. */
export const mailContext = (id: string) => `mail ${id}`;
