import { html } from 'hono/html';
import type { TransferRequest } from '../../requests/requests.ts';
import { REQUEST_STATUSES } from '../../requests/states.ts';
import { KINDS, PAYMENT_COLUMNS } from '../../views/payments/payment-columns.ts';
import type { PaymentPage } from '../../views/payments/search-payments.ts';
import { choice, hidden } from '../../web/fields.ts';
import { gameText } from '../../web/game-text.ts';
import type { Markup } from '../../web/layout.ts';
import { consoleTime } from './console.ts';
import { dataTable, type ShownColumn } from './console-table.ts';
import { archivedHint, pager } from './pager.ts';
import { paymentBadge, signedAmount } from './payment-words.ts';
import { MAX_TEXT, ON_ITS_WAY, type PaymentPaths, type PaymentsQuery, paymentsAddress } from './payments-filter.ts';

/** A page of an app's payments, and what was asked for. */
export type ListedPayments = {
  readonly places: PaymentPaths;
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
  const { places, query, page, isFirst, notice } = view;
  return html`<section class="card">
${filters(places, query)}
${notice && html`<p class="notice bad" role="alert">${notice}</p>`}
${page.requests.length > 0 ? paymentsTable(places, page.requests) : !notice && nothing(view, none)}
${pager(
  !isFirst && paymentsAddress(places.list, query),
  page.next && paymentsAddress(places.list, query, page.next),
  page.isFull ? 'Older' : 'Search older payments',
)}${archivedHint(page.archived)}
</section>`;
}

function filters({ list }: PaymentPaths, query: PaymentsQuery): Markup {
  const statuses = REQUEST_STATUSES.map((status) => [status, status] as const);
  return html`<form method="get" action="${list}" role="search" class="filters">
<div class="field wide"><label for="q">Search</label><input id="q" type="search" name="q" value="${query.text ?? ''}" maxlength="${MAX_TEXT}" placeholder="Id, transaction, user or words" autocomplete="off" spellcheck="false"></div>
<div class="field"><label for="amount">Amount</label><input id="amount" name="amount" value="${query.amount?.toString() ?? ''}" inputmode="numeric" maxlength="24" autocomplete="off"></div>
${choice({ name: 'kind', label: 'Kind', value: query.source, options: [['', 'All'], ...Object.entries(KINDS)] })}
${choice({ name: 'status', label: 'Status', value: query.status, options: [['', 'All'], [ON_ITS_WAY, 'on its way'], ...statuses] })}
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
function paymentsTable({ one, player }: PaymentPaths, requests: readonly TransferRequest[]): Markup {
  const [time, kind, ...others] = paymentColumns(one);
  const user: ShownColumn<TransferRequest> = {
    ...PAYMENT_COLUMNS.user,
    value: ({ userId }) => html`<a href="${player(userId)}" title="${userId}"><code>${userId.slice(0, 8)}…</code></a>`,
  };
  return dataTable('Payments, newest first', [time, kind, user, ...others], requests, { kind: 'payments' });
}

/** The columns of a list of requests, without their users. `one`: the address of a payment. */
export function paymentColumns(one: PaymentPaths['one']) {
  const { created, kind, status, description, quarters } = PAYMENT_COLUMNS;
  return [
    {
      ...created,
      label: 'Time',
      value: ({ id, createdAt }) => html`<a href="${one(id)}">${consoleTime(createdAt)}</a>`,
    },
    { ...kind, value: ({ source }) => KINDS[source] },
    { ...status, value: (request) => paymentBadge(request.status) },
    { ...description, value: (request) => html`<bdi>${gameText(request.description, 80)}</bdi>` },
    { ...quarters, value: signedAmount },
  ] as const satisfies readonly ShownColumn<TransferRequest>[];
}

function isNarrowed(query: PaymentsQuery): boolean {
  return Object.values(query).some((value) => value !== undefined);
}

function nothing({ places, query, page }: ListedPayments, none: Markup): Markup {
  if (!isNarrowed(query)) return none;
  return html`<p>${page.next ? 'Nothing found so far.' : 'There is no such payment of this app.'} <a href="${places.list}">Show all payments</a></p>`;
}
