import { html } from 'hono/html';
import { transferIdFrom } from '../../../base/ids.ts';
import type { Quarters } from '../../../base/quarters.ts';
import { consoleTime, sendConsolePage } from '../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { appLink, pathTo, shortLink } from '../../../pages/consoles/entity-parts.ts';
import { type OperatorRoutes, operatorPage } from '../../../pages/consoles/operator-frame.ts';
import { archivedHint, pager } from '../../../pages/consoles/pager.ts';
import { paymentBadge } from '../../../pages/consoles/payment-words.ts';
import { filterOf, MAX_TEXT, paymentsAddress, paymentsQuery } from '../../../pages/consoles/payments-filter.ts';
import type { Service } from '../../../service/service.ts';
import { KINDS } from '../../../views/payments/payment-columns.ts';
import { gameText } from '../../../web/game-text.ts';
import type { Markup, Page } from '../../../web/layout.ts';
import { parameter } from '../../../web/request-parameters.ts';
import type { Visitor } from '../../../web/visitor.ts';
import { type AnyPayment, type AnyPaymentPage, listAnyPayments } from '../views/list-payments.ts';

const PATH = '/operator/payments';

/** What narrows the list. Days are in UTC, both included. */
type Query = {
  readonly text: string | undefined;
  readonly amount: Quarters | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
};

/** GET /operator/payments lists what all apps and the operator have moved, and finds a payment by its amount and its description. */
export function anyPaymentsRoute(operators: OperatorRoutes, service: Service): void {
  operators.get(PATH, async (request, reply, visitor) => {
    const asked = paymentsQuery(request.query);
    const { text, amount, from, to } = asked;
    const query = { text, amount, from, to };
    const { createdFrom, createdBefore } = filterOf(asked);
    const before = transferIdFrom(parameter(request.query, 'before') ?? '');
    const filter = { createdFrom, createdBefore, amount: amount ?? null, text: text ?? null };
    const page = await listAnyPayments(service, filter, before);
    return sendConsolePage(reply, anyPaymentsPage(visitor, query, page, before === null));
  });
}

function anyPaymentsPage(visitor: Visitor, query: Query, page: AnyPaymentPage, isFirst: boolean): Page {
  const { payments, next, searchedTo } = page;
  const content = html`<section class="card">
${filters(query)}
${payments.length > 0 ? dataTable('Payments, newest first', COLUMNS, payments) : nothing(query, page)}
${searchedTo && html`<p class="hint">Searched back to ${consoleTime(searchedTo)}. With a day, the search begins there.</p>`}
${pager(
  !isFirst && paymentsAddress(PATH, query),
  next !== null && paymentsAddress(PATH, query, next),
  searchedTo ? 'Search older payments' : 'Older',
)}${archivedHint(page.archived)}
<p class="hint">Only payments that were accepted. What players declined, or did not answer, is in the payments of the app, and on the player’s page.</p>
</section>`;
  return operatorPage(visitor, 'payments', { title: 'Payments', content });
}

function filters({ text, amount, from, to }: Query): Markup {
  const day = (name: string, label: string, value: string | undefined) =>
    html`<div class="field"><label for="${name}">${label}</label><input id="${name}" type="date" name="${name}" value="${value ?? ''}"></div>`;
  return html`<form method="get" action="${PATH}" role="search" class="filters">
<div class="field wide"><label for="q">Description</label><input id="q" type="search" name="q" value="${text ?? ''}" maxlength="${MAX_TEXT}" autocomplete="off" spellcheck="false"></div>
<div class="field"><label for="amount">Amount</label><input id="amount" name="amount" value="${amount?.toString() ?? ''}" inputmode="numeric" maxlength="24" autocomplete="off"></div>
${day('from', 'From (UTC)', from)}
${day('to', 'To (UTC)', to)}
<button class="secondary">Apply</button>
</form>`;
}

const COLUMNS: readonly ShownColumn<AnyPayment>[] = [
  { label: 'Time', value: timeLink },
  { label: 'Kind', value: ({ request }) => (request ? KINDS[request.source] : 'Other') },
  { label: 'App', value: ({ app }) => app && appLink(app.id, app.name) },
  { label: 'Player', value: ({ request }) => request && shortLink('user', request.userId) },
  { label: 'Description', value: ({ request }) => request && html`<bdi>${gameText(request.description, 80)}</bdi>` },
  { label: 'Status', value: ({ transfer, request }) => paymentBadge(request?.status ?? transfer.status) },
  { label: 'Quarters', kind: 'number', value: ({ transfer, request }) => request?.amount ?? transfer.amount },
];

function timeLink({ transfer, request }: AnyPayment): Markup {
  const path = request ? pathTo('payment', request.id) : pathTo('transfer', transfer.id);
  return html`<a href="${path}">${consoleTime(transfer.createdAt)}</a>`;
}

function nothing(query: Query, { next }: AnyPaymentPage): Markup {
  if (Object.values(query).every((value) => value === undefined)) return html`<p>No payments yet.</p>`;
  return html`<p>${next ? 'Nothing found so far.' : 'There is no such payment.'} <a href="${PATH}">Show all payments</a></p>`;
}
