import { html } from 'hono/html';
import type { App } from '../../../../identity/apps.ts';
import { appConsolePage, pathOfApp } from '../../../../pages/consoles/app-frame.ts';
import { paymentsAddress } from '../../../../pages/consoles/payments-filter.ts';
import { type ListedPayments, paymentsCard } from '../../../../pages/consoles/payments-list.ts';
import { PAYMENT_FILES } from '../../../../pages/consoles/sections.ts';
import type { House } from '../../../../service/house.ts';
import { icon } from '../../../../web/icons.ts';
import type { Page } from '../../../../web/layout.ts';

/** An app's requests, newest first, with what narrows them. */
export function paymentsPage(view: ListedPayments & { readonly app: App; readonly house: House }): Page {
  const { app, house, query, page, places } = view;
  const files = house.of(PAYMENT_FILES);
  const none = html`<p>No payments yet. <a href="${pathOfApp(app.id)}">See how to ask for the first one.</a></p>`;
  const action =
    page.requests.length > 0 &&
    html`<div class="files">${files.map(({ path, label }) => html`<a href="${pathOfApp(app.id)}${path}">${label}</a>`)}<a class="secondary" href="${paymentsAddress(`${places.list}.csv`, query)}" title="The newest 10,000 of these">${icon('download')}Download CSV</a></div>`;
  return appConsolePage(app, 'payments', { title: 'Payments', content: paymentsCard(view, none), action });
}
