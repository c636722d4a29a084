import type { KeptRows } from '../db/keep-until.ts';
import { KEPT_KEYS } from '../idempotency/keys.ts';
import { KEPT_INVITATIONS } from '../identity/app-invitations.ts';
import { KEPT_ATTEMPTS, KEPT_BUDGETS } from '../identity/attempts.ts';
import { KEPT_CODES } from '../identity/email-codes.ts';
import { KEPT_DRAFTS } from '../identity/form-drafts.ts';
import { KEPT_FORMER_EMAILS } from '../identity/former-emails.ts';
import { KEPT_CHALLENGES } from '../identity/passkeys.ts';
import { KEPT_SEEN } from '../identity/seen-players.ts';
import { KEPT_LINKS } from '../identity/sign-in-links.ts';
import { KEPT_ORPHANED_DEPOSITS } from '../ledger/orphaned-deposits.ts';
import { KEPT_WITHDRAWALS } from '../ledger/withdrawals.ts';
import { KEPT_RECORDS } from '../oauth/records.ts';
import { KEPT_ACTIONS } from '../operator-actions/operator-actions.ts';
import { KEPT_APP_HOURS } from '../requests/app-hours.ts';
import { KEPT_REPORTS } from '../requests/reports.ts';
import { KEPT_EVENTS } from '../webhooks/events.ts';

/** What the core keeps for a limited time, by the loop that forgets it. docs/operate/kept.md is made from it. */
export const KEPT_ROWS: Readonly<Record<string, readonly KeptRows[]>> = {
  'forget idempotency keys': [KEPT_KEYS],
  'forget codes': [KEPT_CODES],
  'forget attempt budgets': [KEPT_BUDGETS],
  'forget attempts': [KEPT_ATTEMPTS],
  'forget invitations': [KEPT_INVITATIONS],
  'forget form drafts': [KEPT_DRAFTS],
  'forget challenges': [KEPT_CHALLENGES],
  'forget former e-mail addresses': [KEPT_FORMER_EMAILS],
  'forget sign-in links': [KEPT_LINKS],
  'forget seen players': [KEPT_SEEN],
  'forget reports': [KEPT_REPORTS],
  'forget operator actions': [KEPT_ACTIONS],
  'forget events': [KEPT_EVENTS],
  'forget statistics': KEPT_APP_HOURS,
  'forget OAuth records': [KEPT_RECORDS],
  'forget orphaned deposits': [KEPT_ORPHANED_DEPOSITS],
  'forget withdrawals': [KEPT_WITHDRAWALS],
};
