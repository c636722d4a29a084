import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import type { TransferStatus } from '../../../../base/transfer-statuses.ts';
import { badge, consoleTime, panel } from '../../../../pages/consoles/console.ts';
import {
  addressFact,
  factsPanel,
  operatorChainLinks,
  pathTo,
  shortLink,
  shownElsewhere,
} from '../../../../pages/consoles/entity-parts.ts';
import { figureRow } from '../../../../pages/consoles/figures.ts';
import { operatorPage } from '../../../../pages/consoles/operator-frame.ts';
import { attemptsTable } from '../../../../pages/consoles/payment-panels.ts';
import type { Service } from '../../../../service/service.ts';
import { PURPOSE_NAMES } from '../../../../views/inspection/purpose-names.ts';
import { KINDS } from '../../../../views/payments/payment-columns.ts';
import { copyable } from '../../../../web/copyable.ts';
import type { Page } from '../../../../web/layout.ts';
import type { Visitor } from '../../../../web/visitor.ts';
import type { InspectedTransfer } from '../../views/inspect-transfer.ts';
import { actionsOn } from '../actions/forms.ts';

export const TRANSFER_LOOKS = {
  ...{ approved: 'wait', submitted: 'wait', completed: 'good', failed: 'bad' },
} as const satisfies Record<TransferStatus, Parameters<typeof badge>[1]>;

/** A transfer with every transaction that has carried it. */
export function transferPage({ house, settings }: Service, visitor: Visitor, inspected: InspectedTransfer): Page {
  const { transfer, request, attempts, owners, purpose } = inspected;
  const { id, status, amount, createdAt, decidedBlock, cancelling, txHash } = transfer;
  const content = html`${figureRow([
    ['Amount', en.quarters(amount)],
    ['Status', html`${badge(status, TRANSFER_LOOKS[status])}`],
    ['Accepted', consoleTime(createdAt)],
  ])}
${cancelling && status !== 'failed' && html`<p class="notice">Its cancellation is on its way to the chain. Whichever of the two is mined first counts.</p>`}
${factsPanel('Details', [
  ['Transfer id', copyable(en, id, 'transfer id')],
  [
    'For',
    request
      ? html`${KINDS[request.source]} <a href="${pathTo('payment', request.id)}"><code>${request.id}</code></a>`
      : PURPOSE_NAMES[purpose],
  ],
  ['From', addressFact(transfer.from, owners)],
  ['To', addressFact(transfer.to, owners)],
  ['Transaction', shortLink('transaction', txHash)],
  ...shownElsewhere(house, 'transfer', id),
  ['Decided in block', decidedBlock !== null && en.number(decidedBlock)],
])}
${(status === 'approved' || status === 'submitted') && !cancelling && panel('Actions', actionsOn(visitor, `/operator/transfers/${id}`, { on: 'transfer', shown: transfer }))}
${panel('Transactions that carried it', attemptsTable(attempts, operatorChainLinks(settings.explorerUrl)))}`;
  return operatorPage(visitor, null, { title: 'Transfer', content });
}
