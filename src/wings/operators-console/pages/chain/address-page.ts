import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { toChecksum } from '../../../../base/address.ts';
import { formatEthers } from '../../../../base/quarters.ts';
import type { OutsidePosting } from '../../../../ledger/postings.ts';
import { consoleTime, panel } from '../../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../../pages/consoles/console-table.ts';
import { addressCell, addressInFull, factsPanel, ownerLink, pathTo } from '../../../../pages/consoles/entity-parts.ts';
import { operatorPage } from '../../../../pages/consoles/operator-frame.ts';
import { pager } from '../../../../pages/consoles/pager.ts';
import { copyable } from '../../../../web/copyable.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import type { Visitor } from '../../../../web/visitor.ts';
import type { InspectedAddress } from '../../views/inspect-address.ts';

/** An address: whose it is, what it has, and what moved without an app. */
export function addressPage(visitor: Visitor, inspected: InspectedAddress, isFirst: boolean): Page {
  const { address, owner, account, onChain, postings, next } = inspected;
  const path = pathTo('address', address);
  const older = next && `${path}?${new URLSearchParams({ before: `${next.block}.${next.logIndex}` })}`;
  const isOurs = owner.kind === 'user' || owner.kind === 'app' || owner.kind === 'treasury';
  const content = html`${factsPanel('Details', [
    ['Address', copyable(en, toChecksum(address), 'address')],
    [
      'Owner',
      html`${ownerLink(owner)}${!account && owner.kind === 'outside' && html`<p class="hint">No quarters came from it or went to it.</p>`}`,
    ],
    ['In the ledger', account && en.quarters(account.posted)],
    ['Held', account && account.held > 0n && en.quarters(account.held)],
    [
      'On the chain',
      onChain ? `${en.quarters(onChain.quarters)}, ${formatEthers(onChain.wei)} ether` : 'unknown: no node answers',
    ],
    ['Opened', account && isOurs && consoleTime(account.createdAt)],
    ['Closed', account?.closedAt && consoleTime(account.closedAt)],
    ['Merged into', account?.mergedInto && addressInFull(account.mergedInto)],
  ])}
${panel(
  'Moved without an app',
  html`${
    postings.length === 0 ? html`<p>Nothing.</p>` : html`${table(inspected)}${pager(!isFirst && path, older)}`
  }<p class="hint">Payments with apps are on the pages of players and apps.</p>`,
)}`;
  return operatorPage(visitor, null, { title: 'Address', content });
}

function table({ postings, owners }: InspectedAddress): Markup {
  const columns: ShownColumn<OutsidePosting>[] = [
    {
      label: 'Time',
      value: ({ at, txHash }) =>
        html`<a href="${pathTo('transaction', txHash)}">${at ? consoleTime(at) : 'Long ago'}</a>`,
    },
    { label: 'Direction', value: ({ direction }) => direction },
    { label: 'Other side', value: ({ otherAddress }) => addressCell(otherAddress, owners) },
    { label: 'Block', kind: 'number', value: ({ position }) => position.block },
    { label: 'Quarters', kind: 'number', value: ({ amount }) => amount },
  ];
  return dataTable('Transfers without an app on either side, newest first', columns, postings);
}
