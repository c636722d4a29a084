import { html } from 'hono/html';
import { en } from '../../../words/en.ts';
import type { Address } from '../../base/address.ts';
import { asQuarters } from '../../base/quarters.ts';
import type { InspectedPayment } from '../../views/payments/inspect-payment.ts';
import { copyable } from '../../web/copyable.ts';
import { gameText } from '../../web/game-text.ts';
import type { Markup } from '../../web/layout.ts';
import { consoleTime, panel } from './console.ts';
import { explanation } from './payment-words.ts';
import type { PaymentPaths } from './payments-filter.ts';

/** Why nothing moved, or why it takes time. Null: there is nothing to explain. */
export function explanationOf({ request: { status }, transfers }: InspectedPayment): string | null {
  const mined = transfers.some(({ attempts }) => attempts.some(({ minedBlock }) => minedBlock !== null));
  return explanation(status, mined && status !== 'completed');
}

/** How a console shows those whom a payment is about. */
type Parties = { readonly places: PaymentPaths; readonly user: Markup; address(address: Address): Markup };

/** The facts of a payment. */
export function paymentDetails({ request, fromReward }: InspectedPayment, { places, user, address }: Parties): Markup {
  const { id, from, to, description, txHash, refundOf, refunded, status, expiresAt, completedAt } = request;
  const canBeRefunded = request.source === 'user' && status === 'completed';
  const row = (label: string, value: Markup | string | null | false) =>
    value ? html`<div><dt>${label}</dt><dd>${value}</dd></div>` : '';
  return panel(
    'Details',
    html`<dl>
${row('Request id', copyable(en, id, 'request id'))}
${row('User', user)}
${row('From', address(from))}
${row('To', address(to))}
${row('Description', description !== '' && html`<bdi>${gameText(description, 280)}</bdi>`)}
${row('Transaction', txHash && copyable(en, txHash, 'transaction'))}
${row('Completed', completedAt && consoleTime(completedAt))}
${row('Expires', status === 'pending' && consoleTime(expiresAt))}
${row('Paid from a reward', fromReward > 0n && en.quarters(fromReward))}
${row('Refunded', refunded > 0n && en.quarters(refunded))}
${row('Left to refund', canBeRefunded && en.quarters(asQuarters(request.amount - refunded)))}
${row('Refund of', refundOf && html`<a href="${places.one(refundOf)}"><code>${refundOf}</code></a>`)}
</dl>`,
  );
}
