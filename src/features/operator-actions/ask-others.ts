import type { Tx } from '../../db/database.ts';
import { listOperatorRows } from '../../identity/operators.ts';
import type { ActionRow } from '../../operator-actions/operator-actions.ts';
import { consolePath, OPERATORS_CONSOLE } from '../../service/console-path.ts';
import type { Service } from '../../service/service.ts';
import type { WriteMail } from '../mails/mail-layout.ts';
import { queueMail } from '../mails/mails.ts';

/** Sends a mail to every operator who may approve this action. It says what kind of action it is, and not what it is about. */
export async function askOthers(
  service: Pick<Service, 'house' | 'vault' | 'settings' | 'languages' | 'publicUrl'>,
  tx: Tx,
  { id, askedBy }: Pick<ActionRow, 'id' | 'askedBy'>,
  title: string,
): Promise<void> {
  const console = consolePath(service.house, OPERATORS_CONSOLE);
  const write: WriteMail = ({ mails: { actionWaiting: says } }) => ({
    subject: says.subject(title),
    parts: [
      says.asked,
      ...(console ? [{ link: `${service.publicUrl}${console}/actions/${id}`, label: says.link }] : []),
    ],
  });
  for (const { userId, email } of await listOperatorRows(tx)) {
    if (email !== '' && `user:${userId}` !== askedBy) {
      await queueMail(service, tx, { to: email, write });
    }
  }
}
