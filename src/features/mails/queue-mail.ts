import type { Tx } from '../../db/database.ts';
import { insertMail, newMailId } from '../../mail/mails.ts';
import type { Service } from '../../settlement/service.ts';

/** A mail in plain text. */
export type Mail = { readonly to: string; readonly subject: string; readonly text: string };

/**
 * Queues a mail for sending, at least once, exactly if the caller's transaction commits. Nobody waits for the mail
 * server, so the response time reveals nothing about the recipient.
 */
export async function queueMail({ vault }: Pick<Service, 'vault'>, tx: Tx, mail: Mail): Promise<void> {
  const id = newMailId();
  await insertMail(tx, id, vault.seal(Buffer.from(JSON.stringify(mail)), mailContext(id)));
  tx.announce('mails');
}

/** The context that a mail is sealed for. */
export const mailContext = (id: string) => `mail ${id}`;
