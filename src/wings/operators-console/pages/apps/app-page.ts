import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import type { AppKey } from '../../../../identity/app-keys.ts';
import type { App } from '../../../../identity/apps.ts';
import { available } from '../../../../ledger/accounts.ts';
import { badge, type ConsoleContent, consoleTime, panel } from '../../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../../pages/consoles/console-table.ts';
import { endpointState, recentText, shortUrl } from '../../../../pages/consoles/deliveries.ts';
import {
  addressInFull,
  factsPanel,
  operatorPaymentPaths,
  pathTo,
  shownElsewhere,
} from '../../../../pages/consoles/entity-parts.ts';
import { figureRow } from '../../../../pages/consoles/figures.ts';
import { operatorPage } from '../../../../pages/consoles/operator-frame.ts';
import { paymentsAddress } from '../../../../pages/consoles/payments-filter.ts';
import { type ListedPayments, paymentsCard } from '../../../../pages/consoles/payments-list.ts';
import type { House } from '../../../../service/house.ts';
import { KEY_FACTS } from '../../../../views/apps/app-columns.ts';
import { ENDPOINT_COLUMNS } from '../../../../views/webhooks/endpoint-columns.ts';
import type { ShownEndpoint } from '../../../../views/webhooks/show-webhooks.ts';
import { copyable } from '../../../../web/copyable.ts';
import { gameName } from '../../../../web/game-text.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import type { Visitor } from '../../../../web/visitor.ts';
import type { InspectedApp } from '../../views/inspect-app.ts';
import { actionsOn } from '../actions/forms.ts';
import { appBadges } from './app-badges.ts';

/** An app with all that is known of it. */
export function appPage(house: House, visitor: Visitor, inspected: InspectedApp): Page {
  const { shown, account } = inspected;
  const { app } = shown;
  const payments = operatorPaymentPaths(app.id).list;
  const content = html`${figureRow([
    ['Can spend', en.quarters(available(account))],
    ['Held for payouts', en.quarters(account.held)],
    ['Guests made', inspected.guestsMade],
    [
      'Open reports',
      html`${inspected.openReports > 0 ? html`<a href="/operator/player-reports">${counted(inspected.openReports)}</a>` : '0'}`,
    ],
  ])}
${about(house, inspected)}
${panel('Actions', app.deletedAt ? html`<p class="hint">This app is deleted.</p>` : actionsOn(visitor, `/operator/apps/${app.id}`, { on: 'app', shown: { ...app, consent: inspected.consent } }))}
${guestsPanel(inspected)}
${team(inspected)}
${keysPanel(shown.keys)}
${webhooksPanel(inspected)}
${callsPanel(inspected)}`;
  const action = html`<a class="secondary" href="${paymentsAddress(payments, {})}">Payments</a>`;
  return operatorPage(visitor, 'apps', { title: app.name, content, action });
}

function about(house: House, { shown: { app }, account }: InspectedApp): Markup {
  const {
    id,
    createdAt,
    deletedAt,
    suspendedAt,
    verifiedAt,
    autoApproveSince,
    autoApproveRequestedAt,
    topUpUrl,
    publicClient,
  } = app;
  return factsPanel('About', [
    ['State', appBadges(app)],
    ['App id', copyable(en, id, 'app id')],
    ['Account', addressInFull(account.address)],
    ['Registered', consoleTime(createdAt)],
    ['Suspended', suspendedAt && consoleTime(suspendedAt)],
    ['Verified', verifiedAt && consoleTime(verifiedAt)],
    ['Spending limits', app.autoApprove && autoApproveSince && html`since ${consoleTime(autoApproveSince)}`],
    ['Asked for them', !app.autoApprove && autoApproveRequestedAt && consoleTime(autoApproveRequestedAt)],
    ['Deleted', deletedAt && consoleTime(deletedAt)],
    ['Kind of client', publicClient ? 'public: it keeps no secret' : false],
    ['Where players buy', topUpUrl && html`<code>${topUpUrl}</code>`],
    ['Redirects to', lines(app.redirectUris)],
    ['Framed by', lines(app.frameAncestors)],
    ...shownElsewhere(house, 'app', id),
  ]);
}

function lines(texts: readonly string[]): Markup | false {
  return texts.length > 0 && html`${texts.map((text) => html`<code class="line">${text}</code>`)}`;
}

function guestsPanel({ shown: { app }, guests, guestsMade }: InspectedApp): Markup | false {
  if (guestsMade === 0) return false;
  const sum = guests
    ? html`<p>Guests with quarters: ${counted(guests.guests)}. Together they have ${en.quarters(guests.quarters)}.</p>`
    : html`<p><a href="${pathTo('app', app.id)}?guests=count">Add up what its guests have</a> <span class="hint">This reads every guest, and may take a few seconds.</span></p>`;
  return panel(
    'Guests',
    html`${sum}<p class="hint">Only the app reaches its guests’ quarters. They are lost with its keys.</p>`,
  );
}

function team({ owner, members }: InspectedApp): Markup {
  const rows = [
    ...(owner ? [{ userId: owner.id, displayName: owner.displayName, role: 'owner', addedAt: '' }] : []),
    ...members,
  ];
  if (rows.length === 0) return panel('Team', html`<p>The operator registered it. Nobody owns it.</p>`);
  const name = ({ userId, displayName }: (typeof rows)[number]) =>
    html`<a href="${pathTo('user', userId)}"><bdi>${displayName}</bdi></a>`;
  const columns: ShownColumn<(typeof rows)[number]>[] = [
    { label: 'Name', value: name },
    { label: 'Role', value: ({ role }) => role },
    { label: 'Since', value: ({ addedAt }) => addedAt },
  ];
  return panel('Team', dataTable('Owner and members', columns, rows));
}

function keysPanel(keys: readonly AppKey[]): Markup {
  if (keys.length === 0) return panel('Keys', html`<p>It has no keys.</p>`);
  const { id: key, scopes, createdAt: created, lastUsedAt: lastUsed } = KEY_FACTS;
  const columns: ShownColumn<AppKey>[] = [
    {
      ...key,
      value: ({ id, kind, name, ending }) =>
        html`${kind === 'server' ? 'Server key' : 'Client secret'} ${name && html`<bdi>${name}</bdi> `}…${ending} <code class="hint">${id}</code>`,
    },
    { ...scopes, value: (one) => one.scopes.join(', ') || '–' },
    ...[created, lastUsed],
    {
      label: 'State',
      value: ({ revokedAt }) =>
        revokedAt
          ? html`${badge('revoked', 'plain')} <span class="hint">${consoleTime(revokedAt)}</span>`
          : badge('active', 'good'),
    },
  ];
  return panel('Keys', dataTable('Keys, oldest first', columns, keys));
}

function webhooksPanel({ endpoints }: InspectedApp): Markup {
  if (endpoints.length === 0) return panel('Webhooks', html`<p>It has no webhook endpoints.</p>`);
  const columns: ShownColumn<ShownEndpoint>[] = [
    { ...ENDPOINT_COLUMNS.url, value: ({ url }) => html`<code>${shortUrl(url)}</code>` },
    { ...ENDPOINT_COLUMNS.state, value: endpointState },
    { label: 'Delivered in 24 hours', value: ({ recent }) => recentText(recent) },
  ];
  return panel('Webhooks', dataTable('Webhook endpoints', columns, endpoints));
}

function callsPanel({ calls: counts }: InspectedApp): Markup | false {
  if (!counts) return false;
  const { calls, refused, failed, errors } = counts;
  if (calls === 0) return panel('Calls of the last day', html`<p>It has not called the API.</p>`);
  return factsPanel('Calls of the last day', [
    ['Calls', counted(calls)],
    ['Refused (4xx)', counted(refused)],
    ['Failed (5xx)', counted(failed)],
    [
      'Most frequent errors',
      errors.length > 0 &&
        html`${errors.map(({ code, count }) => html`<span class="line"><code>${code}</code> ${counted(count)}</span>`)}`,
    ],
  ]);
}

const counted = (count: number): string => en.number(BigInt(count));

/** The payments of an app, with a search. */
export function appPaymentsContent(app: App, listed: ListedPayments): ConsoleContent {
  const back = html`<p><a href="${pathTo('app', app.id)}">${gameName(en, app.name)}</a></p>`;
  return { title: 'Payments', content: html`${back}${paymentsCard(listed, html`<p>It has no payments yet.</p>`)}` };
}
