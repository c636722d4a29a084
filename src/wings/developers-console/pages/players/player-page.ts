import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { toChecksum } from '../../../../base/address.ts';
import type { App } from '../../../../identity/apps.ts';
import type { Reward } from '../../../../ledger/rewards.ts';
import { appConsolePage, appIdOf, developerPaymentPaths } from '../../../../pages/consoles/app-frame.ts';
import { badge, consoleTime, panel, sendConsolePage } from '../../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../../pages/consoles/console-table.ts';
import { paymentsAddress } from '../../../../pages/consoles/payments-filter.ts';
import { paymentColumns } from '../../../../pages/consoles/payments-list.ts';
import type { TransferRequest } from '../../../../requests/requests.ts';
import { appFor, asDeveloper } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { copyable } from '../../../../web/copyable.ts';
import { gameText } from '../../../../web/game-text.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import type { SignedInRoutes } from '../../../../web/visitor.ts';
import { type AppPlayer, inspectPlayer } from '../../views/inspect-player.ts';

/** GET …/players/{userId} shows a player of an app, with what the app may know of them. */
export function playerRoutes(visitors: SignedInRoutes, service: Service): void {
  visitors.get('/developer/apps/:id/players/:userId', async (request, reply, { session }) => {
    const app = await appFor(service, asDeveloper(session), appIdOf(request), 'read');
    const { userId } = request.params as { userId: string };
    return sendConsolePage(reply, playerPage(app, await inspectPlayer(service, app.id, userId)));
  });
}

function playerPage(app: App, player: AppPlayer): Page {
  const { id, displayName, payments, open } = player;
  const places = developerPaymentPaths(app.id);
  const list = (caption: string, requests: readonly TransferRequest[]) =>
    dataTable(caption, paymentColumns(places.one), requests, { kind: 'payments' });
  const content = html`<p><a href="${places.list}">All payments</a></p>
${profile(player)}
${open.length > 0 && panel('Waiting for an answer', list('Requests that the player has not answered', open))}
${panel(
  'Payments',
  payments.length === 0
    ? html`<p>No payments yet.</p>`
    : html`${list('Payments between your app and this player, newest first', payments)}
<p><a href="${paymentsAddress(places.list, { userId: id })}">All payments with this player</a></p>`,
)}
${rewards(player)}`;
  const title = (displayName !== null && gameText(displayName, 80)) || 'Player';
  return appConsolePage(app, 'payments', { title, content });
}

function profile({ kind, isOwnGuest, ...player }: AppPlayer): Markup {
  const { id, email, address, canSpend, consent, mandate } = player;
  const row = (label: string, value: Markup | string | null | false) =>
    value ? html`<div><dt>${label}</dt><dd>${value}</dd></div>` : '';
  const access = consent
    ? html`${consent.scopes.join(', ')} <span class="hint">since ${consoleTime(consent.grantedAt)}</span>`
    : html`none <p class="hint">Without it, your app gets no name, no e-mail address and no balance.</p>`;
  return panel(
    'Profile',
    html`<dl class="facts">
${row('Kind', KINDS[kind])}
${row('User id', copyable(en, id, 'user id'))}
${row('E-mail', email !== null && copyable(en, email, 'e-mail address'))}
${row('Account', address && copyable(en, toChecksum(address), 'address'))}
${row('Can spend', canSpend !== null && en.quarters(canSpend))}
${row('Access', isOwnGuest ? 'Your guest: your server holds the tokens.' : kind !== 'closed' && access)}
${row(
  'Spending limit',
  mandate
    ? html`${en.number(mandate.maxPerTransfer)} a payment, ${en.number(mandate.spentToday)} of ${en.number(mandate.maxPerDay)} spent today <span class="hint">until ${consoleTime(mandate.expiresAt)}</span>`
    : kind !== 'closed' && 'none: each payment is asked for',
)}
</dl>`,
  );
}

const KINDS = {
  guest: badge('Guest', 'plain'),
  full: badge('Full user', 'good'),
  closed: badge('Closed', 'plain'),
} as const;

function rewards({ rewards: earned }: AppPlayer): Markup | false {
  if (earned.length === 0) return false;
  const columns: ShownColumn<Reward>[] = [
    { label: 'Granted', value: ({ grantedAt }) => grantedAt },
    { label: 'For', value: ({ source }) => (source === 'welcome' ? 'Their first payment' : 'A share of a payment') },
    { label: 'Quarters', kind: 'number', value: ({ amount }) => amount },
  ];
  return panel('Rewards', dataTable('Rewards that payments to your app have earned, newest first', columns, earned));
}
