import { html } from 'hono/html';
import { type FileColumn, numberColumn, textColumn } from '../../../base/columns.ts';
import { csvPieces } from '../../../base/csv.ts';
import type { AppId } from '../../../base/ids.ts';
import { type ConsoleContent, panel } from '../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { appLink, pathTo } from '../../../pages/consoles/entity-parts.ts';
import { figureRow } from '../../../pages/consoles/figures.ts';
import type { Markup } from '../../../web/layout.ts';
import type { NamedNeverPaid } from '../views/player-lists.ts';
import { csvFile, economyPages, MOST_ROWS, NEVER_PAID_PATH, onlyFirst } from './more-pages.ts';
import { utcMoment } from './period-words.ts';

type IdlePlayer = NamedNeverPaid['players'][number];

/** Who has quarters and has never paid. Only for operators who have just confirmed who they are. */
export function neverPaidPage(found: NamedNeverPaid | null): ConsoleContent {
  const title = 'Got quarters, never paid';
  const pages = economyPages(NEVER_PAID_PATH, null);
  if (!found) return { title, content: html`${pages}<p>They are looked for once an hour, and were not yet.</p>` };
  const { at, apps, players, names } = found;
  const guestsOf = ({ appId }: { readonly appId: AppId | null }): Markup | string =>
    appId === null ? 'Signed up directly' : appLink(appId, names.get(appId) ?? '');
  const sum = (name: 'players' | 'quarters') => apps.reduce((total, app) => total + BigInt(app[name]), 0n);
  const appColumns: ShownColumn<(typeof apps)[number]>[] = [
    { label: 'Guests of', value: guestsOf },
    { label: 'Players', kind: 'number', value: (app) => app.players },
    { label: 'Quarters', kind: 'number', value: (app) => app.quarters },
  ];
  const { player, app, since, quarters } = columnsOf(names);
  const playerColumns: ShownColumn<IdlePlayer>[] = [
    { ...player, value: playerLink },
    { ...app, value: guestsOf },
    since,
    quarters,
  ];
  const content = html`${pages}
${figureRow([
  ['Players', sum('players')],
  ['They have', sum('quarters')],
])}
<p class="hint">Players who have quarters and have never paid an app, not even by a reward. They are looked for once an hour, the last time ${utcMoment(at)}.</p>
${panel('By app', apps.length > 0 ? dataTable('By app', appColumns, apps, { kind: 'amounts' }) : html`<p>Everybody who has quarters has paid.</p>`)}
${
  players.length > 0 &&
  panel(
    'Those who have the most',
    html`${dataTable('Those who have the most', playerColumns, players.slice(0, MOST_ROWS))}${onlyFirst(players.length)}${csvFile(`${NEVER_PAID_PATH}.csv`)}`,
  )
}`;
  return { title, content };
}

function playerLink({ userId, isGuest }: IdlePlayer): Markup {
  return html`<a href="${pathTo('user', userId)}"><code>${userId}</code></a>${!isGuest && html` <span class="hint">full user</span>`}`;
}

const columnsOf = (names: ReadonlyMap<string, string>) =>
  ({
    player: textColumn('user id', 'Player', ({ userId }) => userId),
    kind: textColumn('kind', 'Kind', ({ isGuest }) => (isGuest ? 'guest' : 'full')),
    appId: textColumn('guest of (app id)', 'Guest of (app id)', ({ appId }) => appId),
    app: textColumn('guest of', 'Guest of', ({ appId }) => appId && (names.get(appId) ?? null)),
    since: textColumn('since', 'Since', (found) => found.since),
    quarters: numberColumn('has (quarters)', 'Quarters', (found) => found.quarters),
  }) satisfies Record<string, FileColumn<IdlePlayer>>;

export function neverPaidLines(found: NamedNeverPaid | null): AsyncGenerator<string> {
  return csvPieces(Object.values(columnsOf(found?.names ?? new Map())), [found?.players ?? []]);
}
