import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import type { WithdrawalAddress } from '../../../../identity/withdrawal-addresses.ts';
import type { Reward } from '../../../../ledger/rewards.ts';
import { badge, consoleTime, panel } from '../../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../../pages/consoles/console-table.ts';
import { appLink, pathTo, shortLink } from '../../../../pages/consoles/entity-parts.ts';
import { paymentBadge } from '../../../../pages/consoles/payment-words.ts';
import type { KnownReport } from '../../../../requests/reports.ts';
import type { Access } from '../../../../views/accounts/list-access.ts';
import type { Activity } from '../../../../views/accounts/read-activity.ts';
import { ACTIVITY_COLUMNS } from '../../../../views/inspection/activity-columns.ts';
import { REWARD_COLUMNS } from '../../../../views/inspection/found-columns.ts';
import type { InspectedUser } from '../../../../views/inspection/inspect-user.ts';
import { gameText } from '../../../../web/game-text.ts';
import type { Markup } from '../../../../web/layout.ts';

/** What was asked of a player, paid to them, and moved from or to the outside. */
export function activityTable(activities: readonly Activity[]): Markup {
  if (activities.length === 0) return html`<p>Nothing has moved yet.</p>`;
  const { time, what, status, quarters } = ACTIVITY_COLUMNS;
  const columns: ShownColumn<Activity>[] = [
    { ...time, value: timeOf },
    what,
    { label: 'With', value: withWhom },
    { ...status, value: statusOf },
    quarters,
  ];
  return dataTable('Payments, deposits and withdrawals, newest first', columns, activities);
}

function timeOf(activity: Activity): Markup {
  const { at } = activity;
  const path =
    activity.kind === 'request' ? pathTo('payment', activity.request.id) : pathTo('transaction', activity.txHash);
  return html`<a href="${path}">${at ? consoleTime(at) : 'Long ago'}</a>`;
}

function withWhom(activity: Activity): Markup | string {
  if (activity.kind === 'request') return appLink(activity.request.appId, activity.app?.name ?? '');
  const { otherSide, otherAddress } = activity.posting;
  return otherSide === 'treasury' ? 'Treasury' : shortLink('address', otherAddress);
}

function statusOf(activity: Activity): Markup {
  if (activity.kind === 'outside') return badge('completed', 'good');
  return html`${paymentBadge(activity.request.status)}${activity.withoutAsking && html` <span class="hint">without asking</span>`}`;
}

/** What apps may do for a player. */
export function gamesPanel({ access }: InspectedUser): Markup {
  if (access.length === 0) return panel('Connected games', html`<p>No game has access.</p>`);
  const columns: ShownColumn<Access>[] = [
    { label: 'Game', value: ({ app }) => appLink(app.id, app.name) },
    {
      label: 'Access',
      value: ({ consent }) =>
        consent
          ? html`${consent.scopes.join(', ')} <span class="hint">since ${consoleTime(consent.grantedAt)}</span>`
          : 'none',
    },
    {
      label: 'Spending limit',
      value: ({ mandate }) =>
        mandate
          ? html`${en.number(mandate.maxPerTransfer)} a payment, ${en.number(mandate.spentToday)} of ${en.number(mandate.maxPerDay)} spent today <span class="hint">until ${consoleTime(mandate.expiresAt)}</span>`
          : 'none',
    },
  ];
  return panel('Connected games', dataTable('Games with access or a spending limit', columns, access));
}

/** Where a player is signed in, and with what they can. */
export function signInPanel({ signIn: { sessions, passkeys } }: InspectedUser): Markup {
  const session = ({ browser, signedInAt, usedAt }: (typeof sessions)[number]) =>
    html`<li>${browser ?? 'Unknown browser'} <span class="hint">signed in ${consoleTime(signedInAt)}, last used ${consoleTime(usedAt)}</span></li>`;
  const passkey = ({ name, createdAt, lastUsedAt }: (typeof passkeys)[number]) =>
    html`<li><bdi>${name}</bdi> <span class="hint">added ${consoleTime(createdAt)}, ${lastUsedAt ? html`last used ${consoleTime(lastUsedAt)}` : 'never used'}</span></li>`;
  return panel(
    'Signed in',
    html`<h3>${counted(sessions.length, 'session')}</h3>
${sessions.length > 0 && html`<ul class="bare">${sessions.map(session)}</ul>`}
<h3>${counted(passkeys.length, 'passkey')}</h3>
${passkeys.length > 0 && html`<ul class="bare">${passkeys.map(passkey)}</ul>`}`,
  );
}

/** Where a player may withdraw to. */
export function withdrawalsPanel({ withdrawalAddresses }: InspectedUser): Markup | false {
  if (withdrawalAddresses.length === 0) return false;
  const columns: ShownColumn<WithdrawalAddress>[] = [
    { label: 'Address', value: ({ address }) => shortLink('address', address) },
    { label: 'Added', value: ({ addedAt }) => addedAt },
    { label: 'Ready from', value: ({ usableAt }) => usableAt ?? 'a day after its mail' },
    { label: 'State', value: ({ state }) => badge(state, state === 'ready' ? 'good' : 'plain') },
  ];
  return panel('Withdrawal addresses', dataTable('Addresses of their own, outside', columns, withdrawalAddresses));
}

const SOURCES: Readonly<Record<Reward['source'], string>> = {
  operator: 'The operator',
  welcome: 'Welcome reward',
  share: 'Share of a payment',
};

export function rewardsPanel({ rewards }: InspectedUser): Markup | false {
  if (rewards.length === 0) return false;
  const { granted, source, left, quarters } = REWARD_COLUMNS;
  const columns: ShownColumn<Reward>[] = [granted, { ...source, value: (one) => SOURCES[one.source] }, left, quarters];
  return panel('Rewards', dataTable('The newest rewards', columns, rewards));
}

export function reportsPanel({ reports }: InspectedUser): Markup | false {
  if (reports.length === 0) return false;
  const columns: ShownColumn<KnownReport>[] = [
    {
      label: 'Time',
      value: ({ createdAt, requestId }) =>
        requestId ? html`<a href="${pathTo('payment', requestId)}">${consoleTime(createdAt)}</a>` : createdAt,
    },
    { label: 'Reason', value: ({ reason }) => en.report.reasons[reason] },
    { label: 'Text', value: ({ text }) => html`<bdi>${gameText(text, 500)}</bdi>` },
    { label: 'State', value: ({ resolvedAt }) => (resolvedAt ? 'resolved' : badge('open', 'wait')) },
  ];
  return panel('Reports by this player', dataTable('Their newest reports', columns, reports));
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
