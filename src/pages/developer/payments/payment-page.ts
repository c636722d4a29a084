import { html } from 'hono/html';
import { toChecksum } from '../../../base/address.ts';
import { asQuarters } from '../../../base/quarters.ts';
import type { Bases } from '../../../config/bases.ts';
import type { CarriedTransfer, InspectedPayment, ShownAttempt } from '../../../features/requests/inspect-payment.ts';
import type { App } from '../../../identity/apps.ts';
import { isOnItsWay } from '../../../requests/states.ts';
import { PROGRESS_SCRIPT } from '../../../web/assets.ts';
import { consoleTime, panel } from '../../../web/console.ts';
import { copyable, copyBlock } from '../../../web/copyable.ts';
import { gameText } from '../../../web/game-text.ts';
import type { Markup, Page } from '../../../web/layout.ts';
import { words } from '../../../words/words.ts';
import { appConsolePage } from '../console.ts';
import { spokenTime } from '../spoken-time.ts';
import { eventsPanel } from './payment-events.ts';
import { explanation, KINDS, paymentBadge, signedAmount, transitionSentence } from './payment-words.ts';
import { paymentAddress, paymentsAddress } from './payments-filter.ts';

type View = InspectedPayment & {
  readonly app: App;
  readonly bases: Bases;
  /** The block explorer's address of a transaction, with `{tx}` for its hash. */
  readonly explorerUrl: string | undefined;
};

/** One request with everything that happened to it. */
export function paymentPage(view: View): Page {
  const { app, request } = view;
  const { id, source, status, amount } = request;
  const isOpen = status === 'pending' || isOnItsWay(status);
  // The script finds no such id in a newer copy of another state, and so loads the page again.
  const live = html`<span id="${status}" data-live${isOpen && html` data-progress="${paymentAddress(app.id, id)}/progress"`}>${paymentBadge(status)}</span>`;
  const about = explanation(status, attemptsOf(view).some(isMinedInVain(status)));
  const content = html`<p><a href="${paymentsAddress(app.id, {})}">All payments</a></p>
<dl class="figures">
<div class="figure"><dt>Amount</dt><dd>${signedAmount(request)} ${words.unit(amount)}</dd></div>
<div class="figure"><dt>Status</dt><dd>${live}</dd></div>
<div class="figure"><dt>Created</dt><dd>${consoleTime(request.createdAt)}</dd></div>
</dl>
${about && html`<p class="notice">${about}</p>`}
${detailsPanel(view)}
${panel('Timeline', timeline(view))}
${view.transfers.length > 0 && chainPanel(view)}
${view.refunds.length > 0 && refundsPanel(view)}
${eventsPanel(app, view)}
${panel('In the API', copyBlock(curlOf(view), 'call that reads this payment'))}`;
  const scripts = isOpen ? [PROGRESS_SCRIPT.path] : [];
  return appConsolePage(app, 'payments', { title: KINDS[source], content, scripts });
}

function attemptsOf({ transfers }: View): ShownAttempt[] {
  return transfers.flatMap(({ attempts }) => attempts);
}

const isMinedInVain =
  (status: string) =>
  ({ minedBlock }: ShownAttempt): boolean =>
    minedBlock !== null && status !== 'completed';

function detailsPanel({ app, request, fromReward }: View): Markup {
  const { id, userId, from, to, description, txHash, refundOf, refunded, status, expiresAt, completedAt } = request;
  const canBeRefunded = request.source === 'user' && status === 'completed';
  const row = (label: string, value: Markup | string | null | false) =>
    value ? html`<div><dt>${label}</dt><dd>${value}</dd></div>` : '';
  return panel(
    'Details',
    html`<dl>
${row('Request id', copyable(id, 'request id'))}
${row('User', html`${copyable(userId, 'user id')}<a href="${paymentsAddress(app.id, { userId })}">Payments of this user</a>`)}
${row('From', copyable(toChecksum(from), 'address that pays'))}
${row('To', copyable(toChecksum(to), 'address that is paid'))}
${row('Description', description !== '' && html`<bdi>${gameText(description, 280)}</bdi>`)}
${row('Transaction', txHash && copyable(txHash, 'transaction'))}
${row('Completed', completedAt && consoleTime(completedAt))}
${row('Expires', status === 'pending' && consoleTime(expiresAt))}
${row('Paid from a reward', fromReward > 0n && words.quarters(fromReward))}
${row('Refunded', refunded > 0n && words.quarters(refunded))}
${row('Left to refund', canBeRefunded && words.quarters(asQuarters(request.amount - refunded)))}
${row('Refund of', refundOf && html`<a href="${paymentAddress(app.id, refundOf)}"><code>${refundOf}</code></a>`)}
</dl>`,
  );
}

/** Steps often follow in the same minute, so each says how long after the one before it came. */
function timeline({ transitions, request }: View): Markup {
  return html`<ol class="timeline">${transitions.map((made, i) => {
    const before = transitions[i - 1];
    const later = before && `${spokenTime(made.at.getTime() - before.at.getTime())} later, `;
    return html`<li><span>${transitionSentence(made, request.source)}</span> <span class="hint">${later}${consoleTime(made.at)}</span></li>`;
  })}</ol>`;
}

const ATTEMPTS = { signed: 'signed', sent: 'sent', mined: 'mined', replaced: 'replaced' } as const;

function chainPanel(view: View): Markup {
  return panel('On the chain', html`${view.transfers.map((carried) => transferPart(view, carried))}`);
}

function transferPart({ explorerUrl, transfers, request }: View, { transfer, attempts }: CarriedTransfer): Markup {
  const isReward = request.source === 'user' && transfer.from !== request.from;
  const row = (attempt: ShownAttempt) => {
    const { hash, nonce, status, createdAt, minedBlock, confirmations } = attempt;
    const link = explorerUrl?.replace('{tx}', hash);
    return html`<tr>
<td data-label="Transaction"><div>${copyable(hash, 'transaction')}${link && html`<a href="${link}" rel="noreferrer">Explorer</a>`}</div></td>
<td data-label="Nonce" class="number">${words.number(nonce)}</td>
<td data-label="Signed">${consoleTime(createdAt)}</td>
<td data-label="State">${ATTEMPTS[status]}${minedBlock !== null && ` in block ${words.number(minedBlock)}`}</td>
<td data-label="Confirmations" class="number">${confirmations === null ? '–' : words.number(confirmations)}</td>
</tr>`;
  };
  return html`${
    transfers.length > 1 &&
    html`<h3>${isReward ? 'From a reward' : 'From the balance'}: ${words.quarters(transfer.amount)}</h3>`
  }
<p class="hint">Transfer ${copyable(transfer.id, 'transfer id')}</p>
<table class="data attempts">
<caption class="visually-hidden">Every transaction that has carried it, oldest first</caption>
<thead><tr><th scope="col">Transaction</th><th scope="col" class="number">Nonce</th><th scope="col">Signed</th><th scope="col">State</th><th scope="col" class="number">Confirmations</th></tr></thead>
<tbody>${attempts.map(row)}</tbody>
</table>`;
}

function refundsPanel({ app, refunds }: View): Markup {
  return panel(
    'Refunds',
    html`<table class="data">
<caption class="visually-hidden">Refunds of this payment, oldest first</caption>
<thead><tr><th scope="col">Time</th><th scope="col">Status</th><th scope="col" class="number">Quarters</th></tr></thead>
<tbody>${refunds.map(
      (refund) => html`<tr>
<td data-label="Time"><a href="${paymentAddress(app.id, refund.id)}">${consoleTime(refund.createdAt)}</a></td>
<td data-label="Status">${paymentBadge(refund.status)}</td>
<td data-label="Quarters" class="number">${words.number(refund.amount)}</td>
</tr>`,
    )}</tbody>
</table>`,
  );
}

function curlOf({ bases, request }: View): string {
  return `curl ${bases.api}/v1/requests/${request.id} \\\n  -H "Authorization: Bearer $QUARTERS_SERVER_KEY"`;
}
