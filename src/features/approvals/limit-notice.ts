import type { App } from '../../identity/apps.ts';
import type { MandateLimits } from '../../identity/mandates.ts';
import type { Service } from '../../service/service.ts';
import type { WriteMail } from '../mails/mail-layout.ts';
import type { Mail } from '../mails/mails.ts';
import { nameInMail } from '../mails/name-in-mail.ts';

/** The mail to a player whom an app need not ask any more within limits. */
export function limitNotice(
  { publicUrl }: Pick<Service, 'publicUrl'>,
  app: App,
  { email, locale, expiresAt }: { readonly email: string; readonly locale?: string | null; readonly expiresAt: Date },
  { maxPerTransfer, maxPerDay }: MandateLimits,
): Mail {
  const name = nameInMail(app.name);
  const write: WriteMail = ({ mails: { spendingLimit: says }, quarters, number, day }) => ({
    subject: says.subject(name),
    parts: [
      says.limit(name, quarters(maxPerTransfer), number(maxPerDay), day(expiresAt)),
      says.remove,
      { link: `${publicUrl}/account/apps`, label: says.removeLink },
    ],
  });
  return { to: email, locale, write };
}
