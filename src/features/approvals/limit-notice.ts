import type { App } from '../../identity/apps.ts';
import type { MandateLimits } from '../../identity/mandates.ts';
import type { Service } from '../../service/service.ts';
import { words } from '../../words/words.ts';
import type { Mail } from '../mails/mails.ts';
import { nameInMail } from '../mails/name-in-mail.ts';

/** The mail to a player whom an app need not ask any more within limits. */
export function limitNotice(
  { publicUrl }: Pick<Service, 'publicUrl'>,
  app: App,
  { email, expiresAt }: { readonly email: string; readonly expiresAt: Date },
  { maxPerTransfer, maxPerDay }: MandateLimits,
): Mail {
  const name = nameInMail(app.name);
  const { subject, limit, remove, removeLink } = words.mails.spendingLimit;
  return {
    to: email,
    subject: subject(name),
    parts: [
      limit(name, words.quarters(maxPerTransfer), words.number(maxPerDay), words.day(expiresAt)),
      remove,
      { link: `${publicUrl}/account/apps`, label: removeLink },
    ],
  };
}
