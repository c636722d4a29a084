import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { available } from '../../../../ledger/accounts.ts';
import { PLAYER_PANELS } from '../../../../pages/additions.ts';
import { badge, consoleTime, panel, sendConsolePage } from '../../../../pages/consoles/console.ts';
import { addressInFull, factsPanel, pathTo, shownElsewhere } from '../../../../pages/consoles/entity-parts.ts';
import { figureRow } from '../../../../pages/consoles/figures.ts';
import { type OperatorRoutes, operatorPage } from '../../../../pages/consoles/operator-frame.ts';
import { archivedHint, pager } from '../../../../pages/consoles/pager.ts';
import type { House } from '../../../../service/house.ts';
import { loadAll } from '../../../../service/house.ts';
import type { Service } from '../../../../service/service.ts';
import { type InspectedUser, inspectUser } from '../../../../views/inspection/inspect-user.ts';
import { activityCursor, activityCursorText } from '../../../../web/activity-cursor.ts';
import { copyable } from '../../../../web/copyable.ts';
import { gameName } from '../../../../web/game-text.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { Visitor } from '../../../../web/visitor.ts';
import { actionsOn } from '../actions/forms.ts';
import { activityTable, gamesPanel, reportsPanel, rewardsPanel, signInPanel, withdrawalsPanel } from './user-panels.ts';

/** GET /operator/users/{id}: a player's whole life. It opens somebody's data, so it asks who the operator is, and is recorded. */
export function userRoutes(operators: OperatorRoutes, service: Service): void {
  operators.get('/operator/users/:id', { fresh: true }, async (request, reply, visitor) => {
    const { id } = request.params as { id: string };
    const before = parameter(request.query, 'before');
    const inspected = await inspectUser(service, id, before === undefined ? undefined : activityCursor(before));
    const adding = await loadAll(service.house, PLAYER_PANELS);
    const panels = await Promise.all(adding.map((add) => add(service, inspected.user.id)));
    return sendConsolePage(reply, userPage(service, visitor, inspected, panels, before === undefined));
  });
}

/** A player, a guest, or what is left of a closed account. `panels`: what wings know of them. `isFirst`: their newest activity is shown. */
function userPage(
  { house, readiness }: Service,
  visitor: Visitor,
  inspected: InspectedUser,
  panels: readonly (Markup | false)[],
  isFirst: boolean,
): Page {
  const { user, account, rewardsLeft, activity, withdrawalAddresses } = inspected;
  const path = pathTo('user', user.id);
  // There may be accounts that were found on the chain.
  const wasRestored = readiness.recovered !== null;
  const hasAddresses = withdrawalAddresses.some(({ state }) => state !== 'stopped');
  const shown = { ...user, isFrozen: account?.frozenAt != null, hasAddresses, wasRestored };
  const next = activity.next && `${path}?${new URLSearchParams({ before: activityCursorText(activity.next) })}`;
  const content = html`${
    account &&
    figureRow([
      ['Can spend', en.quarters(available(account))],
      ['Held', en.quarters(account.held)],
      ['Rewards left', en.quarters(rewardsLeft)],
    ])
  }
${profile(house, inspected)}
${user.kind !== 'closed' && panel('Actions', actionsOn(visitor, path, { on: 'user', shown }))}
${panel('Activity', html`${activityTable(activity.activities)}${pager(!isFirst && path, next)}${activity.archived && user.createdAt < activity.archived && archivedHint(activity.archived)}`)}
${panels}
${gamesPanel(inspected)}
${user.kind === 'full' && signInPanel(inspected)}
${withdrawalsPanel(inspected)}
${rewardsPanel(inspected)}
${reportsPanel(inspected)}`;
  return operatorPage(visitor, 'players', {
    title: user.kind === 'closed' ? 'Closed account' : user.displayName,
    content,
  });
}

const KINDS = {
  guest: badge('Guest', 'plain'),
  full: badge('Full user', 'good'),
  closed: badge('Closed', 'plain'),
} as const;

function profile(house: House, { user, milestones, seenOn, guestOf, account }: InspectedUser): Markup {
  const { becameFullAt, closedAt } = milestones;
  return factsPanel('Profile', [
    ['Kind', html`${KINDS[user.kind]}${account?.frozenAt && badge('Frozen', 'bad')}`],
    ['Frozen', account?.frozenAt && consoleTime(account.frozenAt)],
    ['User id', copyable(en, user.id, 'user id')],
    [
      'E-mail',
      user.email !== '' &&
        html`${copyable(en, user.email, 'e-mail address')}${!user.emailVerified && badge('not verified', 'wait')}`,
    ],
    ['Account', account && addressInFull(account.address)],
    [
      user.kind === 'guest' ? 'Guest of' : 'Was a guest of',
      guestOf && html`<a href="${pathTo('app', guestOf.id)}"><bdi>${gameName(en, guestOf.name)}</bdi></a>`,
    ],
    ...shownElsewhere(house, 'user', user.id),
    ['Created', consoleTime(user.createdAt)],
    ['Last seen', seenOn],
    ['Full user since', becameFullAt && consoleTime(becameFullAt)],
    [
      'Closed',
      closedAt &&
        html`${consoleTime(closedAt)}${
          !account?.mergedInto &&
          html` <p class="hint">Name, e-mail address and sign-ins are erased. Payments and the account’s address stay.</p>`
        }`,
    ],
    ['Merged into', account?.mergedInto && addressInFull(account.mergedInto)],
  ]);
}
