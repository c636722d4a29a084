import { html } from 'hono/html';
import type { Reward } from '../../../ledger/rewards.ts';
import type { KnownReport } from '../../../requests/reports.ts';
import type { Access } from '../../../views/accounts/list-access.ts';
import type { Activity } from '../../../views/accounts/read-activity.ts';
import type { InspectedUser } from '../../../views/inspection/inspect-user.ts';
import { gameName, gameText } from '../../../web/game-text.ts';
import type { Markup } from '../../../web/layout.ts';
import { words } from '../../../words/words.ts';
import { badge, consoleTime, panel } from '../../consoles/console.ts';
import { KINDS, paymentBadge } from '../../consoles/payment-words.ts';
import { REFUSED_KINDS, refusalReason } from '../economy/refusal-words.ts';
import { dataTable, pathTo, shortLink } from '../entity-parts.ts';

/** What was asked of a player, paid to them, and moved from or to the outside. */
export function activityTable(activities: readonly Activity[]): Markup {
  if (activities.length === 0) return html`<p>Nothing has moved yet.</p>`;
  const columns = [
    { label: 'Time' },
    { label: 'What' },
    { label: 'With' },
    { label: 'Status' },
    { label: 'Quarters', isNumber: true },
  ] as const;
  return dataTable('Payments, deposits and withdrawals, newest first', columns, activities.map(activityRow));
}

function activityRow(activity: Activity): (Markup | string)[] {
  if (activity.kind === 'request') {
    const { request, app, withoutAsking, amount } = activity;
    const status = html`${paymentBadge(request.status)}${withoutAsking && html` <span class="hint">without asking</span>`}`;
    return [
      html`<a href="${pathTo('payment', request.id)}">${consoleTime(request.createdAt)}</a>`,
      KINDS[request.source],
      html`<a href="${pathTo('app', request.appId)}"><bdi>${gameName(app?.name ?? '')}</bdi></a>`,
      status,
      words.signed(request.source === 'user' ? -amount : amount),
    ];
  }
  const { at, amount, txHash, posting } = activity;
  const isIn = posting.direction === 'in';
  return [
    html`<a href="${pathTo('transaction', txHash)}">${at ? consoleTime(at) : 'Long ago'}</a>`,
    isIn ? 'Deposit' : 'Withdrawal',
    posting.otherSide === 'treasury' ? 'Treasury' : shortLink('address', posting.otherAddress),
    badge('completed', 'good'),
    words.signed(isIn ? amount : -amount),
  ];
}

/** What apps may do for a player. */
export function gamesPanel({ access }: InspectedUser): Markup {
  if (access.length === 0) return panel('Connected games', html`<p>No game has access.</p>`);
  const columns = [{ label: 'Game' }, { label: 'Access' }, { label: 'Spending limit' }];
  const row = ({ app, consent, mandate }: Access) => [
    html`<a href="${pathTo('app', app.id)}"><bdi>${gameName(app.name)}</bdi></a>`,
    consent
      ? html`${consent.scopes.join(', ')} <span class="hint">since ${consoleTime(consent.grantedAt)}</span>`
      : 'none',
    mandate
      ? html`${words.number(mandate.maxPerTransfer)} a payment, ${words.number(mandate.spentToday)} of ${words.number(mandate.maxPerDay)} spent today <span class="hint">until ${consoleTime(mandate.expiresAt)}</span>`
      : 'none',
  ];
  return panel('Connected games', dataTable('Games with access or a spending limit', columns, access.map(row)));
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

const SOURCES: Readonly<Record<Reward['source'], string>> = {
  operator: 'The operator',
  welcome: 'Welcome reward',
  share: 'Share of a payment',
};

export function rewardsPanel({ rewards }: InspectedUser): Markup | false {
  if (rewards.length === 0) return false;
  const columns = [
    { label: 'Granted' },
    { label: 'Source' },
    { label: 'Left', isNumber: true },
    { label: 'Quarters', isNumber: true },
  ] as const;
  const row = ({ grantedAt, source, left, amount }: Reward) => [
    consoleTime(grantedAt),
    SOURCES[source],
    words.number(left),
    words.number(amount),
  ];
  return panel('Rewards', dataTable('The newest rewards', columns, rewards.map(row)));
}

export function reportsPanel({ reports }: InspectedUser): Markup | false {
  if (reports.length === 0) return false;
  const columns = [{ label: 'Time' }, { label: 'Reason' }, { label: 'Text' }, { label: 'State' }];
  const row = ({ createdAt, reason, text, requestId, resolvedAt }: KnownReport) => [
    requestId ? html`<a href="${pathTo('payment', requestId)}">${consoleTime(createdAt)}</a>` : consoleTime(createdAt),
    words.report.reasons[reason],
    html`<bdi>${gameText(text, 500)}</bdi>`,
    resolvedAt ? 'resolved' : badge('open', 'wait'),
  ];
  return panel('Reports by this player', dataTable('Their newest reports', columns, reports.map(row)));
}

/** Why payments of this player were refused lately. Only codes: the reasons in words may name amounts. */
export function refusalsPanel({ refusals }: InspectedUser): Markup | false {
  if (refusals.length === 0) return false;
  const columns = [
    { label: 'Last time' },
    { label: 'App' },
    { label: 'What' },
    { label: 'Reason' },
    { label: 'Times', isNumber: true },
  ] as const;
  const row = ({ lastAt, appId, appName, kind, code, times }: (typeof refusals)[number]) => [
    consoleTime(lastAt),
    html`<a href="${pathTo('app', appId)}"><bdi>${gameName(appName)}</bdi></a>`,
    REFUSED_KINDS[kind],
    refusalReason(code),
    words.number(BigInt(times)),
  ];
  return panel(
    'Refused payments',
    html`${dataTable('What was refused in the last 30 days', columns, refusals.map(row))}<p class="hint">Of the last 30 days.</p>`,
  );
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
