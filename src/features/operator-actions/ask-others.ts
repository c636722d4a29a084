import type { Tx } from '../../db/database.ts';
import { listOperatorRows } from '../../identity/operators.ts';
import type { ActionRow } from '../../operator-actions/operator-actions.ts';
import type { Service } from '../../service/service.ts';
import { words } from '../../words/words.ts';
import { queueMail } from '../mails/mails.ts';

/** Sends a mail to every operator who may approve this action. It says what kind of action it is, and not what it is about. */
export async function askOthers(
  service: Pick<Service, 'vault' | 'settings' | 'publicUrl'>,
  tx: Tx,
  { id, askedBy }: Pick<ActionRow, 'id' | 'askedBy'>,
  title: string,
): Promise<void> {
  const { subject, asked, link } = words.mails.actionWaiting;
  const parts = [asked, { link: `${service.publicUrl}/operator/actions/${id}`, label: link }];
  for (const { userId, email } of await listOperatorRows(tx)) {
    if (email !== '' && `user:${userId}` !== askedBy) {
      await queueMail(service, tx, { to: email, subject: subject(title), parts });
    }
  }
}
