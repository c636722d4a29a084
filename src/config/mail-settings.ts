import { oneOf, optional, orFile, setting, smtpUrl } from './parse.ts';

/** Mails to users and developers. */
export const MAIL_SETTINGS = {
  smtpUrl: orFile(
    setting(
      'SMTP_URL',
      '',
      optional(smtpUrl),
      'mail server, `smtp://user:password@host:587` or `smtps://…`; unset: mails go to the data folder and the log',
    ),
  ),
  mailWithoutSmtp: setting(
    'MAIL_WITHOUT_SMTP',
    'off',
    oneOf('on', 'off'),
    'on: start without SMTP_URL even if PUBLIC_URL is https and DATABASE_URL is set; otherwise such a start is refused',
  ),
  mailFrom: setting('MAIL_FROM', 'Quarters <quarters@localhost>', (text) => text, 'sender of our mails'),
} as const;
