import { html } from 'hono/html';
import type { App } from '../../../../identity/apps.ts';
import { misleadingNameFault } from '../../../../identity/misleading-name.ts';
import { badge } from '../../../../pages/consoles/console.ts';
import type { Markup } from '../../../../web/layout.ts';

/** The states of an app, the most serious one first. */
export function appBadges({
  name,
  deletedAt,
  suspendedAt,
  verifiedAt,
  autoApprove,
  autoApproveRequestedAt,
}: App): Markup {
  if (deletedAt) return badge('Deleted', 'plain');
  return html`${suspendedAt && badge('Suspended', 'bad')}${verifiedAt ? badge('Verified', 'good') : badge('Not verified', 'plain')}${
    !verifiedAt && misleadingNameFault(name) && badge('Misleading name', 'bad')
  }${
    autoApprove && badge('Spending limits', 'plain')
  }${!autoApprove && autoApproveRequestedAt && badge('Asks for spending limits', 'wait')}`;
}
