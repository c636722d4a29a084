import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { badge, panel } from '../../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../../pages/consoles/console-table.ts';
import {
  addressCell,
  addressFact,
  etherText,
  factsPanel,
  operatorChainLinks,
  shortLink,
} from '../../../../pages/consoles/entity-parts.ts';
import { operatorPage } from '../../../../pages/consoles/operator-frame.ts';
import { attemptsTable, explorerLink } from '../../../../pages/consoles/payment-panels.ts';
import { TRANSFER_FACTS } from '../../../../views/transfers/transfer-columns.ts';
import { copyable } from '../../../../web/copyable.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import type { Visitor } from '../../../../web/visitor.ts';
import type { InspectedTransaction } from '../../views/inspect-transaction.ts';
import { TRANSFER_LOOKS } from './transfer-page.ts';

/** An Ethereum transaction: what it carries, its attempts, and what the chain says about it. */
export function transactionPage(
  visitor: Visitor,
  inspected: InspectedTransaction,
  explorerUrl: string | undefined,
): Page {
  const { hash, sender, attempts, cost, owners } = inspected;
  const own = attempts.find((attempt) => attempt.hash === hash);
  const content = html`${stateNotice(inspected)}
${factsPanel('Details', [
  ['Hash', html`${copyable(en, hash, 'transaction')}${explorerLink(explorerUrl, hash)}`],
  ['State', own ? own.status : cost ? 'mined' : 'not mined yet'],
  ['Sender', addressFact(sender.address, owners)],
  ['Nonce', en.number(sender.nonce)],
  ['Block', (own?.minedBlock ?? cost?.block) !== undefined && en.number((own?.minedBlock ?? cost?.block)!)],
  ['Confirmations', own?.confirmations != null && en.number(own.confirmations)],
  ['Gas used', cost && en.number(cost.gasUsed)],
  ['Fee paid', cost && `${etherText(cost.feePaid)} ether`],
  ['Result', cost?.isReverted && badge('reverted', 'bad')],
])}
${carried(inspected)}
${moved(inspected)}
${attempts.length > 0 && panel('Attempts at this nonce', attemptsTable(attempts, operatorChainLinks(explorerUrl)))}`;
  return operatorPage(visitor, null, { title: 'Transaction', content });
}

function stateNotice({ hash, attempts, cost, postings }: InspectedTransaction): Markup | false {
  const own = attempts.find((attempt) => attempt.hash === hash);
  if (own?.status === 'replaced')
    return html`<p class="notice">Another transaction used its nonce, so it can never be mined.</p>`;
  if (!own && postings.length === 0 && cost) {
    return html`<p class="notice">It is not one of ours, and moved no quarters that the ledger knows.</p>`;
  }
  return !own && html`<p class="notice">It is not one of ours.</p>`;
}

function carried({ transfers, owners, attempts }: InspectedTransaction): Markup | false {
  if (attempts.length === 0) return false;
  if (transfers.length === 0)
    return panel('What it carries', html`<p>No transfer: it deploys a contract or cancels a payment.</p>`);
  const { id: transfer, from, to, status, quarters } = TRANSFER_FACTS;
  const columns: ShownColumn<InspectedTransaction['transfers'][number]>[] = [
    { ...transfer, value: ({ id }) => shortLink('transfer', id) },
    { ...from, value: (row) => addressCell(row.from, owners) },
    { ...to, value: (row) => addressCell(row.to, owners) },
    { ...status, value: (row) => badge(row.status, TRANSFER_LOOKS[row.status]) },
    quarters,
  ];
  return panel('What it carries', dataTable('The transfers in this transaction', columns, transfers));
}

function moved({ postings, owners }: InspectedTransaction): Markup | false {
  if (postings.length === 0) return false;
  const columns: ShownColumn<InspectedTransaction['postings'][number]>[] = [
    { label: 'Log', kind: 'number', value: ({ logIndex }) => logIndex },
    { label: 'From', value: ({ from }) => addressCell(from, owners) },
    { label: 'To', value: ({ to }) => addressCell(to, owners) },
    { label: 'Quarters', kind: 'number', value: ({ amount }) => amount },
  ];
  return panel('What it moved', dataTable('The postings of this transaction in the ledger', columns, postings));
}
