import { html } from 'hono/html';
import { en } from '../../../words/en.ts';
import type { Hash } from '../../base/hex.ts';
import type { TransferId } from '../../base/ids.ts';
import type { CarriedTransfer, InspectedPayment } from '../../views/payments/inspect-payment.ts';
import type { ShownAttempt } from '../../views/transfers/confirmations.ts';
import { ATTEMPT_FACTS } from '../../views/transfers/transfer-columns.ts';
import { copyable } from '../../web/copyable.ts';
import type { Markup } from '../../web/layout.ts';
import { consoleTime, panel } from './console.ts';
import { dataTable, type ShownColumn } from './console-table.ts';
import { type AppInWords, paymentBadge, transitionSentence } from './payment-words.ts';
import type { PaymentPaths } from './payments-filter.ts';
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
    html`<h3>${isReward ? 'From a reward' : 'From the balance'}: ${en.quarters(transfer.amount)}</h3>`
  }
<p class="hint">Transfer ${copyable(en, transfer.id, 'transfer id')}${links.transfer(transfer.id)}</p>
${attemptsTable(attempts, links)}`;
}

/** Transactions for the same transfers, oldest first. */
export function attemptsTable(attempts: readonly ShownAttempt[], links: Pick<ChainLinks, 'transaction'>): Markup {
  const { hash: transaction, nonce, createdAt: signed, status: state } = ATTEMPT_FACTS;
  const columns: ShownColumn<ShownAttempt>[] = [
    { ...transaction, value: ({ hash }) => html`${copyable(en, hash, 'transaction')}${links.transaction(hash)}` },
    ...[nonce, signed],
    {
      ...state,
      value: ({ status, minedBlock }) => (minedBlock === null ? status : `${status} in block ${en.number(minedBlock)}`),
    },
    { label: 'Confirmations', kind: 'number', value: ({ confirmations }) => confirmations },
  ];
  return dataTable('Every transaction that has carried it, oldest first', columns, attempts, { kind: 'attempts' });
}

/** The refunds of a payment, if it has any. */
export function refundsPanel({ refunds }: InspectedPayment, { one }: PaymentPaths): Markup | false {
  if (refunds.length === 0) return false;
  const columns: ShownColumn<InspectedPayment['refunds'][number]>[] = [
    { label: 'Time', value: ({ id, createdAt }) => html`<a href="${one(id)}">${consoleTime(createdAt)}</a>` },
    { label: 'Status', value: ({ status }) => paymentBadge(status) },
    { label: 'Quarters', kind: 'number', value: ({ amount }) => amount },
  ];
  return panel('Refunds', dataTable('Refunds of this payment, oldest first', columns, refunds));
}
