import { html } from 'hono/html';
import type { TransferRequest } from '../../requests/requests.ts';
import { REQUEST_STATUSES } from '../../requests/states.ts';
import type { PaymentPage } from '../../views/payments/search-payments.ts';
import { hidden } from '../../web/fields.ts';
import { gameText } from '../../web/game-text.ts';
import type { Markup } from '../../web/layout.ts';
import { consoleTime } from './console.ts';
import { consoleTable } from './console-table.ts';
import { KINDS, paymentBadge, signedAmount } from './payment-words.ts';
import { MAX_TEXT, ON_ITS_WAY, type PaymentPlaces, type PaymentsQuery, paymentsAddress } from './payments-filter.ts';

/** A page of an app's payments, and what was asked for. */
export type ListedPayments = {
  readonly places: PaymentPlaces;
  readonly query: PaymentsQuery;
  readonly page: PaymentPage;
  readonly isFirst: boolean;
  /** Why the search could not be done. */
  readonly notice?: string | undefined;
};

/** The most that an export holds. */
export const MOST_EXPORTED = 10_000;

/** An app's payments, newest first, with what narrows them. `none`: what stands there before the first payment. */
export function paymentsCard(view: ListedPayments, none: Markup): Markup {
  const { places, query, page, notice } = view;
  return html`<section class="card">
${filters(places, query)}
${notice && html`<p class="notice bad" role="alert">${notice}</p>`}
${page.requests.length > 0 ? paymentsTable(places, page.requests) : !notice && nothing(view, none)}
${pager(view)}
</section>`;
}

function filters({ list }: PaymentPlaces, query: PaymentsQuery): Markup {
  const option = (value: string, label: string, chosen: string | undefined) =>
    html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;
  return html`<form method="get" action="${list}" role="search" class="filters">
<div class="field wide"><label for="q">Search</label><input id="q" type="search" name="q" value="${query.text ?? ''}" maxlength="${MAX_TEXT}" placeholder="Id, transaction, user or words" autocomplete="off" spellcheck="false"></div>
<div class="field"><label for="kind">Kind</label><select id="kind" name="kind">${option('', 'All', query.source)}${Object.entries(KINDS).map(([value, label]) => option(value, label, query.source))}</select></div>
<div class="field"><label for="status">Status</label><select id="status" name="status">${option('', 'All', query.status)}${option(ON_ITS_WAY, 'on its way', query.status)}${REQUEST_STATUSES.map((status) => option(status, status, query.status))}</select></div>
<div class="field"><label for="from">From (UTC)</label><input id="from" type="date" name="from" value="${query.from ?? ''}"></div>
<div class="field"><label for="to">To (UTC)</label><input id="to" type="date" name="to" value="${query.to ?? ''}"></div>
${hidden('user', query.userId)}
<button class="secondary">Apply</button>
</form>
${
  query.userId &&
  html`<p class="chips"><a href="${paymentsAddress(list, { ...query, userId: undefined })}" aria-current="true">Only user ${query.userId} ×</a></p>`
}`;
}

/** Requests as rows, newest first. */
function paymentsTable(places: PaymentPlaces, requests: readonly TransferRequest[]): Markup {
  return consoleTable(
    'Payments, newest first',
    html`<thead><tr><th scope="col">Time</th><th scope="col">Kind</th><th scope="col">User</th><th scope="col">Status</th><th scope="col">Description</th><th scope="col" class="number">Quarters</th></tr></thead>
<tbody>${requests.map((request) => row(places, request))}</tbody>`,
    'payments',
  );
}

function row({ list, one }: PaymentPlaces, request: TransferRequest): Markup {
  const { id, userId, source, status, createdAt, description } = request;
  return html`<tr>
<td data-label="Time"><a href="${one(id)}">${consoleTime(createdAt)}</a></td>
<td data-label="Kind">${KINDS[source]}</td>
<td data-label="User"><a href="${paymentsAddress(list, { userId })}" title="${userId}"><code>${userId.slice(0, 8)}…</code></a></td>
<td data-label="Status">${paymentBadge(status)}</td>
<td data-label="Description" class="text"><bdi>${gameText(description, 80)}</bdi></td>
<td data-label="Quarters" class="number">${signedAmount(request)}</td>
</tr>`;
}

function isNarrowed(query: PaymentsQuery): boolean {
  return Object.values(query).some((value) => value !== undefined);
}

function nothing({ places, query, page }: ListedPayments, none: Markup): Markup {
  if (!isNarrowed(query)) return none;
  return html`<p>${page.next ? 'Nothing found so far.' : 'There is no such payment of this app.'} <a href="${places.list}">Show all payments</a></p>`;
}

function pager({ places, query, page, isFirst }: ListedPayments): Markup | '' {
  const newest = !isFirst && html`<a href="${paymentsAddress(places.list, query)}">Newest</a>`;
  const older =
    page.next &&
    html`<a href="${paymentsAddress(places.list, query, page.next)}" rel="next">${page.isFull ? 'Older' : 'Search older payments'}</a>`;
  return newest || older ? html`<p class="pager">${newest} ${older}</p>` : '';
}
