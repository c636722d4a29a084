import { amount, amountOrNone, explorerUrl, oneOf, optional, setting, wholeNumber } from './parse.ts';

/** Guests, spending limits, and what users see and confirm on our pages. */
export const ACCOUNT_SETTINGS = {
  guestTokenDays: setting(
    'GUEST_TOKEN_DAYS',
    '365',
    wholeNumber(1, 36_500),
    "days after their last use when a guest's tokens expire",
  ),
  guestsPerDay: setting(
    'GUESTS_PER_DAY',
    '100000',
    wholeNumber(1, 1_000_000_000),
    'most guests that one app may create per day',
  ),
  mandatePerTransfer: setting(
    'AUTO_APPROVE_PER_TRANSFER',
    '100',
    amount,
    'most quarters per payment under a spending limit; at most AUTO_APPROVE_PER_DAY',
  ),
  mandatePerDay: setting('AUTO_APPROVE_PER_DAY', '1000', amount, 'most quarters per day under a spending limit'),
  mandateDays: setting('AUTO_APPROVE_DAYS', '30', wholeNumber(1, 3650), 'days until a spending limit ends'),
  defaultConsent: setting(
    'DEFAULT_CONSENT',
    'approval',
    oneOf('approval', 'box'),
    'how players agree to a spending limit of an app enabled without `--consent`: by approving a payment, or by ticking a box (for [children](minors.md))',
  ),
  confirmAbove: setting(
    'CONFIRM_ABOVE',
    '10000',
    amountOrNone,
    'payments above this need a password or passkey from the last five minutes, except of guests; 0: never',
  ),
  sessionIdleMinutes: setting(
    'SESSION_IDLE_MINUTES',
    '2880',
    wholeNumber(5, 43_200),
    'minutes without use until a sign-in on our pages ends; each ends after 30 days',
  ),
  explorerUrl: setting(
    'EXPLORER_URL',
    '',
    optional(explorerUrl),
    'a block explorer’s page for a transaction, such as `https://etherscan.io/tx/{tx}`; unset: hashes are plain text',
  ),
} as const;
