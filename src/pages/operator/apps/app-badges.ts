import { html } from 'hono/html';
import type { App } from '../../../identity/apps.ts';
import { badge } from '../../../web/console.ts';
import type { Markup } from '../../../web/layout.ts';

/** The states of an app, the most serious one first. */
export function appBadges({ deletedAt, suspendedAt, verifiedAt, autoApprove, autoApproveRequestedAt }: App): Markup {
  if (deletedAt) return badge('Deleted', 'plain');
  return html`${suspendedAt && badge('Suspended', 'bad')}${verifiedAt ? badge('Verified', 'good') : badge('Not verified', 'plain')}${
    autoApprove && badge('Spending limits', 'plain')
  }${!autoApprove && autoApproveRequestedAt && badge('Asks for spending limits', 'wait')}`;
}
