import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { toChecksum } from '../../../../base/address.ts';
import { type Bases, basesOf } from '../../../../config/bases.ts';
import { appConsolePage, developerPaymentPaths } from '../../../../pages/consoles/app-frame.ts';
import { consoleTime, panel, sendConsolePage } from '../../../../pages/consoles/console.ts';
import { figureRow } from '../../../../pages/consoles/figures.ts';
import { KEY_HEADER } from '../../../../pages/consoles/first-payment.ts';
import { explanationOf, paymentDetails } from '../../../../pages/consoles/payment-details.ts';
import { chainPanel, explorerLink, refundsPanel, timelinePanel } from '../../../../pages/consoles/payment-panels.ts';
import { paymentBadge, signedAmount } from '../../../../pages/consoles/payment-words.ts';
import { isOnItsWay } from '../../../../requests/states.ts';
import type { ManagedApp } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import type { InspectedPayment } from '../../../../views/payments/inspect-payment.ts';
import { KINDS } from '../../../../views/payments/payment-columns.ts';
import { PROGRESS_SCRIPT } from '../../../../web/assets.ts';
import { copyable, copyBlock } from '../../../../web/copyable.ts';
import type { Page } from '../../../../web/layout.ts';
import type { Visitor } from '../../../../web/visitor.ts';
import { eventsPanel } from './payment-events.ts';
import { type RefusedRefund, refundPanel } from './refund-form.ts';

type Shown = {
  readonly app: ManagedApp;
  readonly payment: InspectedPayment;
  readonly visitor: Pick<Visitor, 'csrf'>;
  readonly refused?: RefusedRefund;
};

/** Sends one request with everything that happened to it. */
export function sendPaymentPage(service: Service, reply: FastifyReply, { payment, ...shown }: Shown) {
  const { explorerUrl } = service.settings;
  const bases = basesOf(service.settings, service.publicUrl);
  return sendConsolePage(reply, paymentPage({ ...payment, ...shown, bases, explorerUrl }), { live: true });
}

/** The unchecked id in the path. */
export function uncheckedRequestId({ params }: FastifyRequest): string {
  return (params as { requestId: string }).requestId;
}

type View = InspectedPayment &
  Omit<Shown, 'payment'> & {
    readonly bases: Bases;
    /** The block explorer's address of a transaction, with `{tx}` for its hash. */
    readonly explorerUrl: string | undefined;
  };

function paymentPage(view: View): Page {
  const { app, request } = view;
  const { id, source, status, amount, userId } = request;
  const places = developerPaymentPaths(app.id);
  const isOpen = status === 'pending' || isOnItsWay(status);
  // The script finds no such id in a newer copy of another state, and so loads the page again.
  const live = html`<span id="${status}" data-live${isOpen && html` data-progress="${places.one(id)}/progress"`}>${paymentBadge(status)}</span>`;
  const about = explanationOf(view);
  const user = html`${copyable(en, userId, 'user id')}<a href="${places.player(userId)}">Player’s page</a>`;
  const content = html`<p><a href="${places.list}">All payments</a></p>
${figureRow([
  ['Amount', `${signedAmount(request)} ${en.unit(amount)}`],
  ['Status', live],
  ['Created', consoleTime(request.createdAt)],
])}
${about && html`<p class="notice">${about}</p>`}
${paymentDetails(view, { places, user, address: (address) => copyable(en, toChecksum(address), 'address') })}
${timelinePanel(view, 'your app')}
${chainPanel(view, { transfer: () => '', transaction: (hash) => explorerLink(view.explorerUrl, hash) })}
${refundsPanel(view, places)}
${refundPanel(view, view.refused)}
${eventsPanel(app, view)}
${panel('In the API', copyBlock(en, curlOf(view), 'call that reads this payment'))}`;
  const scripts = isOpen ? [PROGRESS_SCRIPT.path] : [];
  return appConsolePage(app, 'payments', { title: KINDS[source], content, scripts });
}

function curlOf({ bases, request }: View): string {
  return `curl ${bases.api}/v1/requests/${request.id} \\\n  ${KEY_HEADER}`;
}
