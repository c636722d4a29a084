import { html } from 'hono/html';
import { en } from '../../../words/en.ts';
import { type Address, toChecksum } from '../../base/address.ts';
import type { House } from '../../service/house.ts';
import type { AddressOwner, Owners } from '../../views/inspection/address-owners.ts';
import type { HitTarget } from '../../views/inspection/search.ts';
import { copyable } from '../../web/copyable.ts';
import { gameName } from '../../web/game-text.ts';
import type { Markup } from '../../web/layout.ts';
import { panel } from './console.ts';
import { type ChainLinks, explorerLink } from './payment-panels.ts';
import type { PaymentPaths } from './payments-filter.ts';
import { inOrder, SHOWN_ELSEWHERE } from './sections.ts';

// What the pages of users, apps, payments and transactions share.

const PATHS: Readonly<Record<HitTarget['page'], string>> = {
  user: '/operator/users/',
  app: '/operator/apps/',
  payment: '/operator/payments/',
  transfer: '/operator/transfers/',
  transaction: '/operator/transactions/',
  address: '/operator/addresses/',
};

/** The address of the page about something. `id` may be unchecked. */
export function pathTo(page: HitTarget['page'], id: string): string {
  return PATHS[page] + encodeURIComponent(id);
}

/** Where this console shows an app's payments. */
export function operatorPaymentPaths(appId: string): PaymentPaths {
  return {
    list: `${pathTo('app', appId)}/payments`,
    one: (id) => pathTo('payment', id),
    player: (id) => pathTo('user', id),
  };
}

/** A link to the page of an app. */
export function appLink(id: string, name: string): Markup {
  return html`<a href="${pathTo('app', id)}"><bdi>${gameName(en, name)}</bdi></a>`;
}

/** A link to the page about something, which shows a part of its id. The whole id is its title. */
export function shortLink(page: HitTarget['page'], id: string): Markup {
  return html`<a href="${pathTo(page, id)}" title="${id}"><code>${id.length > 14 ? `${id.slice(0, 12)}…` : id}</code></a>`;
}

const OWNERS: Readonly<Record<Exclude<AddressOwner['kind'], 'user' | 'app'>, string>> = {
  treasury: 'Treasury',
  relayer: 'Relayer',
  contract: 'Our contract',
  source: 'Source of the supply',
  outside: 'Outside address',
};

/** Whose an address is, with a link to their page. */
export function ownerLink(owner: AddressOwner): Markup | string {
  if (owner.kind === 'user') return html`Player ${shortLink('user', owner.userId)}`;
  if (owner.kind === 'app') return html`App ${shortLink('app', owner.appId)}`;
  return OWNERS[owner.kind];
}

/** Links to what sections show of something. */
export function shownElsewhere(house: House, page: HitTarget['page'], id: string): FactRow[] {
  return inOrder(house, SHOWN_ELSEWHERE)
    .filter(({ of }) => of.includes(page))
    .map(({ label, text, path }) => [label, html`<a href="${path(id)}">${text}</a>`]);
}

/** An address in full, with its page. */
export function addressInFull(address: Address): Markup {
  return html`${copyable(en, toChecksum(address), 'address')}<a href="${pathTo('address', address)}">Address page</a>`;
}

/** An address in full, with its owner. */
export function addressFact(address: Address, owners: Owners): Markup {
  return html`${addressInFull(address)} <span class="hint">${ownerLink(owners.get(address)!)}</span>`;
}

/** An address in a table: its owner, and its page. */
export function addressCell(address: Address, owners: Owners): Markup {
  const owner = owners.get(address)!;
  if (owner.kind === 'user' || owner.kind === 'app') return html`${ownerLink(owner)}`;
  return html`<a href="${pathTo('address', address)}" title="${toChecksum(address)}">${OWNERS[owner.kind]}</a>`;
}

/** One line of a {@link factsPanel}. An empty value leaves it out. */
export type FactRow = readonly [label: string, value: Markup | string | number | null | false | undefined];

/** Facts about one thing. */
export function factsPanel(heading: string, facts: readonly FactRow[]): Markup {
  const rows = facts.flatMap(([label, value]) =>
    value === null || value === undefined || value === false || value === ''
      ? []
      : [html`<div><dt>${label}</dt><dd>${value}</dd></div>`],
  );
  return panel(heading, html`<dl class="facts">${rows}</dl>`);
}

/** Where this console shows what carries a payment. `explorerUrl`: the block explorer's address of a transaction, with `{tx}` for its hash. */
export function operatorChainLinks(explorerUrl: string | undefined): ChainLinks {
  return {
    transfer: (id) => html`<a href="${pathTo('transfer', id)}">Transfer page</a>`,
    transaction: (hash) =>
      html`<a href="${pathTo('transaction', hash)}">Transaction page</a> ${explorerLink(explorerUrl, hash)}`,
  };
}

/** Ether to the gwei, without zeros at the end: a fee is a small part of one. */
export function etherText(wei: bigint): string {
  const gwei = (wei / 10n ** 9n).toString().padStart(10, '0');
  return `${gwei.slice(0, -9)}.${gwei.slice(-9)}`.replace(/\.?0+$/, '');
}
