import { amount, amountOrNone, explorerUrl, oneOf, optional, setting, smtpUrl, wholeNumber } from './parse.ts';

/** Mails to users and developers. */
export const MAIL_SETTINGS = {
  smtpUrl: setting(
    'SMTP_URL',
    '',
    optional(smtpUrl),
    'mail server, `smtp://user:password@host:587` or `smtps://…`; unset: mails go to the data folder and the log',
  ),
  mailWithoutSmtp: setting(
    'MAIL_WITHOUT_SMTP',
    'off',
    oneOf('on', 'off'),
    'on: start without SMTP_URL even if PUBLIC_URL is https and DATABASE_URL is set; otherwise such a start is refused',
  ),
  mailFrom: setting('MAIL_FROM', 'Quarters <quarters@localhost>', (text) => text, 'sender of our mails'),
} as const;

/** Spending limits, webhooks, and what users see and confirm on our pages. */
export const ACCOUNT_SETTINGS = {
  standingPerTransfer: setting(
    'AUTO_APPROVE_PER_TRANSFER',
    '100',
    amount,
    'most quarters per payment under a spending limit; at most AUTO_APPROVE_PER_DAY',
  ),
  webhookPrivateTargets: setting(
    'WEBHOOK_PRIVATE_TARGETS',
    'off',
    oneOf('on', 'off'),
    'on: webhooks may go to `http://` and to addresses inside our network; for development only',
  ),
  standingPerDay: setting('AUTO_APPROVE_PER_DAY', '1000', amount, 'most quarters per day under a spending limit'),
  standingDays: setting('AUTO_APPROVE_DAYS', '30', wholeNumber(1, 3650), 'days until a spending limit ends'),
  confirmAbove: setting(
    'CONFIRM_ABOVE',
    '10000',
    amountOrNone,
    'payments above this need a password or passkey from the last five minutes; guests, who have neither, are not asked; 0: never asked',
  ),
  sessionIdleMinutes: setting(
    'SESSION_IDLE_MINUTES',
    '2880',
    wholeNumber(5, 43_200),
    'minutes without use after which a sign-in on our pages ends; every sign-in ends after 30 days',
  ),
  explorerUrl: setting(
    'EXPLORER_URL',
    '',
    optional(explorerUrl),
    'a block explorer’s page for a transaction, such as `https://etherscan.io/tx/{tx}`; unset: hashes are plain text',
  ),
} as const;
