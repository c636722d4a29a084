import { randomUUID } from 'node:crypto';
import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { asQuarters, type Quarters } from '../../../../base/quarters.ts';
import { appConsolePage, developerPaymentPaths } from '../../../../pages/consoles/app-frame.ts';
import { consoleForm, panel } from '../../../../pages/consoles/console.ts';
import type { RequestView } from '../../../../requests/requests.ts';
import { type ManagedApp, mayManage } from '../../../../service/managers.ts';
import { field, hidden } from '../../../../web/fields.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import type { Visitor } from '../../../../web/visitor.ts';

/** What a refused form leaves on the page. */
export type RefusedRefund = { readonly typed: string; readonly error: string };

type View = {
  readonly app: ManagedApp;
  readonly request: RequestView;
  readonly visitor: Pick<Visitor, 'csrf'>;
};

/** What of a payment can still be refunded; 0 if it cannot be. */
export function leftToRefund({ source, status, amount, refunded }: RequestView): Quarters {
  return asQuarters(source === 'user' && status === 'completed' ? amount - refunded : 0n);
}

/** The amount that somebody typed; null if it is not one that is left. */
export function readRefundAmount(text: string, left: Quarters): Quarters | null {
  const amount = /^[1-9]\d{0,15}$/.test(text) ? BigInt(text) : 0n;
  return amount > 0n && amount <= left ? asQuarters(amount) : null;
}

export const amountFault = (left: Quarters): string => `Enter a whole number from 1 to ${left}, digits only.`;

/** The form of a payment that can be refunded, for whom that is allowed. Its id makes it refund once, however often it is sent. */
export function refundPanel({ app, request, visitor }: View, refused: RefusedRefund | undefined): Markup | false {
  const left = leftToRefund(request);
  if (left === 0n || !mayManage(app, 'refund')) return false;
  const page = developerPaymentPaths(app.id).one(request.id);
  const content = html`${hidden('form', randomUUID())}
${field({
  name: 'amount',
  label: 'Quarters',
  inputmode: 'numeric',
  maxlength: 16,
  autocomplete: 'off',
  value: refused?.typed ?? String(left),
  hint: `All or a part of the ${en.quarters(left)} that are left.`,
  error: refused?.error,
})}
<button class="secondary">Refund…</button>`;
  return panel('Refund', consoleForm(visitor, `${page}/refund`, page, content));
}

/** Says what will happen, with one button. */
export function refundConfirmPage({ app, request, visitor }: View, amount: Quarters, formId: string): Page {
  const page = developerPaymentPaths(app.id).one(request.id);
  const content = html`${hidden('form', formId)}${hidden('amount', String(amount))}${hidden('confirmed', 'true')}
<p class="actions"><button class="primary">Refund ${en.quarters(amount)}</button> <a href="${page}">Cancel</a></p>`;
  return appConsolePage(app, 'payments', {
    title: 'Refund this payment?',
    content: html`<section class="card">
<p><strong>The player gets ${en.quarters(amount)} back from your app’s account.</strong></p>
<dl class="facts">
<div><dt>Payment</dt><dd>${en.quarters(request.amount)}</dd></div>
${request.refunded > 0n && html`<div><dt>Refunded before</dt><dd>${en.quarters(request.refunded)}</dd></div>`}
<div><dt>Left to refund after</dt><dd>${en.quarters(asQuarters(leftToRefund(request) - amount))}</dd></div>
</dl>
<p>This cannot be undone.</p>
${consoleForm(visitor, `${page}/refund`, page, content)}
</section>`,
  });
}
