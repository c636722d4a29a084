import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { badge, consoleTime, sendConsolePage } from '../../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../../pages/consoles/console-table.ts';
import { appLink, pathTo } from '../../../../pages/consoles/entity-parts.ts';
import { type OperatorRoutes, operatorPage } from '../../../../pages/consoles/operator-frame.ts';
import { pager } from '../../../../pages/consoles/pager.ts';
import type { Service } from '../../../../service/service.ts';
import { gameText } from '../../../../web/game-text.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { Visitor } from '../../../../web/visitor.ts';
import {
  type ListedPlayer,
  listPlayers,
  MOST_LARGEST,
  PLAYER_ORDERS,
  type PlayerOrder,
  type PlayerPage,
} from '../../views/list-players.ts';

const PATH = '/operator/users';

const LABELS: Readonly<Record<PlayerOrder, string>> = { newest: 'Newest', largest: 'Largest', seen: 'Last seen' };

/** GET /operator/users lists players in one of three orders. It shows many names, so it asks who the operator is, and is recorded. */
export function playersRoute(operators: OperatorRoutes, service: Service): void {
  operators.get(PATH, { fresh: true }, async (request, reply, visitor) => {
    const asked = parameter(request.query, 'by');
    const order = PLAYER_ORDERS.find((known) => known === asked) ?? 'newest';
    const after = parameter(request.query, 'after') ?? '';
    const page = await listPlayers(service, order, after);
    return sendConsolePage(reply, playersPage(visitor, order, page, after === ''));
  });
}

function addressOf(order: PlayerOrder, after?: string): string {
  return `${PATH}?${new URLSearchParams({ by: order, ...(after !== undefined && { after }) })}`;
}

function playersPage(visitor: Visitor, order: PlayerOrder, page: PlayerPage, isFirst: boolean): Page {
  const { players, next } = page;
  const orders = PLAYER_ORDERS.map(
    (one) => html`<a href="${addressOf(one)}"${one === order && html` aria-current="true"`}>${LABELS[one]}</a>`,
  );
  const content = html`<section class="card">
<p class="chips">${orders}</p>
${about(order, page)}
${players.length === 0 ? html`<p>${NONE[order]}</p>` : dataTable(`Players, ${LABELS[order].toLowerCase()} first`, COLUMNS, players)}
${pager(!isFirst && addressOf(order), next !== null && addressOf(order, next), 'More')}
</section>`;
  return operatorPage(visitor, 'players', { title: 'Players', content });
}

const NONE: Readonly<Record<PlayerOrder, string>> = {
  newest: 'No players yet.',
  largest: 'Nobody has quarters yet.',
  seen: 'Nobody has been here yet.',
};

function about(order: PlayerOrder, { orderedAt }: PlayerPage): Markup | false {
  if (orderedAt) {
    return html`<p class="hint">The ${en.number(MOST_LARGEST)} largest balances. Counted: ${consoleTime(orderedAt)}.</p>`;
  }
  return (
    order === 'seen' &&
    html`<p class="hint">By the last day (UTC) on which a player used a page or a game with their own token.</p>`
  );
}

const COLUMNS: readonly ShownColumn<ListedPlayer>[] = [
  {
    label: 'Player',
    value: ({ user }) =>
      html`<a href="${pathTo('user', user.id)}"><bdi>${gameText(user.displayName, 80) ?? user.id}</bdi></a>`,
  },
  { label: 'Kind', value: ({ user }) => (user.kind === 'guest' ? badge('Guest') : badge('Full user', 'good')) },
  { label: 'First game', value: ({ guestOf }) => guestOf && appLink(guestOf.id, guestOf.name) },
  { label: 'Can spend', kind: 'number', value: ({ canSpend }) => canSpend },
  { label: 'Last seen', value: ({ seenOn }) => seenOn },
  { label: 'Created', value: ({ user }) => user.createdAt },
];
