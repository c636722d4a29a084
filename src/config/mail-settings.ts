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
    'on: allow a start without SMTP_URL even with an https PUBLIC_URL and DATABASE_URL',
  ),
  mailFrom: setting('MAIL_FROM', 'Quarters <quarters@localhost>', (text) => text, 'sender of our mails'),
  mailHelo: setting(
    'MAIL_HELO',
    '',
    optional(heloName),
    'this machine’s name for the mail server (EHLO); unset: its full name, or the host of `PUBLIC_URL`',
  ),
} as const;

/** A full domain name, or an IP address in brackets (RFC 5321, section 4.1.3). */
function heloName(text: string): string {
  if (/^(?=.{1,255}$)([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d-]{2,63}$|^\[(IPv6:)?[\da-f.:]+\]$/i.test(text))
    return text;
  throw new Error(`must be a full name such as quarters.example, or an address such as [203.0.113.7], not "${text}"`);
}
