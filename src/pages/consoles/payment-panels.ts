import { html } from 'hono/html';
import type { Hash } from '../../base/hex.ts';
import type { TransferId } from '../../base/ids.ts';
import type { CarriedTransfer, InspectedPayment } from '../../views/payments/inspect-payment.ts';
import type { ShownAttempt } from '../../views/transfers/confirmations.ts';
import { copyable } from '../../web/copyable.ts';
import type { Markup } from '../../web/layout.ts';
import { words } from '../../words/words.ts';
import { consoleTime, panel } from './console.ts';
import { consoleTable } from './console-table.ts';
import { type AppInWords, paymentBadge, transitionSentence } from './payment-words.ts';
import type { PaymentPlaces } from './payments-filter.ts';
import { spokenTime } from './spoken-time.ts';

/** Steps often follow in the same minute, so each says how long after the one before it came. */
export function timelinePanel({ transitions, request }: InspectedPayment, app: AppInWords): Markup {
  const steps = html`<ol class="timeline">${transitions.map((made, i) => {
    const before = transitions[i - 1];
    const later = before && `${spokenTime(made.at.getTime() - before.at.getTime())} later, `;
    return html`<li><span>${transitionSentence(made, request.source, app)}</span> <span class="hint">${later}${consoleTime(made.at)}</span></li>`;
  })}</ol>`;
  return panel('Timeline', steps);
}

/** Where a console shows what carries a payment. Each is empty if it has no such page. */
export type ChainLinks = {
  transfer(id: TransferId): Markup | '';
  /** Stands beside a transaction's hash. */
  transaction(hash: Hash): Markup | '';
};

/** A link to a block explorer. `url`: its address of a transaction, with `{tx}` for the hash; without it, nothing. */
export function explorerLink(url: string | undefined, hash: Hash): Markup | '' {
  return url === undefined ? '' : html`<a href="${url.replace('{tx}', hash)}" rel="noreferrer">Explorer</a>`;
}

/** The transactions of a payment, if it has any. */
export function chainPanel(payment: InspectedPayment, links: ChainLinks): Markup | false {
  if (payment.transfers.length === 0) return false;
  return panel('On the chain', html`${payment.transfers.map((carried) => transferPart(payment, carried, links))}`);
}

function transferPart(
  { transfers, request }: InspectedPayment,
  { transfer, attempts }: CarriedTransfer,
  links: ChainLinks,
): Markup {
  const isReward = request.source === 'user' && transfer.from !== request.from;
  return html`${
    transfers.length > 1 &&
    html`<h3>${isReward ? 'From a reward' : 'From the balance'}: ${words.quarters(transfer.amount)}</h3>`
  }
<p class="hint">Transfer ${copyable(transfer.id, 'transfer id')}${links.transfer(transfer.id)}</p>
${attemptsTable(attempts, links)}`;
}

/** Transactions for the same transfers, oldest first. */
export function attemptsTable(attempts: readonly ShownAttempt[], links: Pick<ChainLinks, 'transaction'>): Markup {
  const row = ({ hash, nonce, status, createdAt, minedBlock, confirmations }: ShownAttempt) => html`<tr>
<td data-label="Transaction"><div>${copyable(hash, 'transaction')}${links.transaction(hash)}</div></td>
<td data-label="Nonce" class="number">${words.number(nonce)}</td>
<td data-label="Signed">${consoleTime(createdAt)}</td>
<td data-label="State">${status}${minedBlock !== null && ` in block ${words.number(minedBlock)}`}</td>
<td data-label="Confirmations" class="number">${confirmations === null ? '–' : words.number(confirmations)}</td>
</tr>`;
  return consoleTable(
    'Every transaction that has carried it, oldest first',
    html`<thead><tr><th scope="col">Transaction</th><th scope="col" class="number">Nonce</th><th scope="col">Signed</th><th scope="col">State</th><th scope="col" class="number">Confirmations</th></tr></thead>
<tbody>${attempts.map(row)}</tbody>`,
    'attempts',
  );
}

/** The refunds of a payment, if it has any. */
export function refundsPanel({ refunds }: InspectedPayment, { one }: PaymentPlaces): Markup | false {
  if (refunds.length === 0) return false;
  return panel(
    'Refunds',
    consoleTable(
      'Refunds of this payment, oldest first',
      html`<thead><tr><th scope="col">Time</th><th scope="col">Status</th><th scope="col" class="number">Quarters</th></tr></thead>
<tbody>${refunds.map(
        (refund) => html`<tr>
<td data-label="Time"><a href="${one(refund.id)}">${consoleTime(refund.createdAt)}</a></td>
<td data-label="Status">${paymentBadge(refund.status)}</td>
<td data-label="Quarters" class="number">${words.number(refund.amount)}</td>
</tr>`,
      )}</tbody>`,
    ),
  );
}
