import { html } from 'hono/html';
import { csvPieces } from '../../../base/csv.ts';
import type { NamedNeverPaid } from '../../../views/economy/player-lists.ts';
import { gameName } from '../../../web/game-text.ts';
import type { Markup } from '../../../web/layout.ts';
import { words } from '../../../words/words.ts';
import { type ConsoleContent, consoleTime, panel } from '../../consoles/console.ts';
import { utcMoment } from '../../consoles/periods.ts';
import { dataTable, figureRow, pathTo } from '../entity-parts.ts';
import { backToEconomy, csvFile, MOST_ROWS, NEVER_PAID_PATH, onlyFirst } from './more-pages.ts';

const APP_COLUMNS = [
  { label: 'Guests of' },
  { label: 'Players', isNumber: true },
  { label: 'Quarters', isNumber: true },
] as const;
const PLAYER_COLUMNS = [
  { label: 'Player' },
  { label: 'Guest of' },
  { label: 'Since' },
  { label: 'Quarters', isNumber: true },
] as const;

/** Who has quarters and has never paid. Only for operators who have just confirmed who they are. */
export function neverPaidPage(found: NamedNeverPaid | null): ConsoleContent {
  const title = 'Got quarters, never paid';
  if (!found) return { title, content: html`<p>They are looked for once an hour, and were not yet.</p>` };
  const { at, apps, players, names } = found;
  const guestsOf = (appId: string | null): Markup | string =>
    appId === null
      ? 'Signed up directly'
      : html`<a href="${pathTo('app', appId)}"><bdi>${gameName(names.get(appId) ?? '')}</bdi></a>`;
  const sum = (name: 'players' | 'quarters') => apps.reduce((total, app) => total + BigInt(app[name]), 0n);
  const appRow = (app: (typeof apps)[number]) => [
    guestsOf(app.appId),
    words.number(BigInt(app.players)),
    words.number(app.quarters),
  ];
  const playerRow = ({ userId, isGuest, appId, since, quarters }: (typeof players)[number]) => [
    html`<a href="${pathTo('user', userId)}"><code>${userId}</code></a>${!isGuest && html` <span class="hint">full user</span>`}`,
    guestsOf(appId),
    consoleTime(since),
    words.number(quarters),
  ];
  const content = html`${figureRow([
    ['Players', words.number(sum('players'))],
    ['They have', words.number(sum('quarters'))],
  ])}
<p class="hint">Players who have quarters and have never paid an app, not even by a reward. They are looked for once an hour, the last time ${utcMoment(at)}.</p>
${panel('By app', apps.length > 0 ? dataTable('By app', APP_COLUMNS, apps.map(appRow), 'amounts') : html`<p>Everybody who has quarters has paid.</p>`)}
${
  players.length > 0 &&
  panel(
    'Those who have the most',
    html`${dataTable('Those who have the most', PLAYER_COLUMNS, players.slice(0, MOST_ROWS).map(playerRow))}${onlyFirst(players.length)}${csvFile(`${NEVER_PAID_PATH}.csv`)}`,
  )
}
<p>${backToEconomy}</p>`;
  return { title, content };
}

export function neverPaidLines(found: NamedNeverPaid | null): AsyncGenerator<string> {
  const columns = ['user id', 'kind', 'guest of (app id)', 'guest of', 'since', 'has (quarters)'];
  return csvPieces(columns, [found?.players ?? []], ({ userId, isGuest, appId, since, quarters }) => {
    const name = appId && (found?.names.get(appId) ?? null);
    return [userId, isGuest ? 'guest' : 'full', appId, name, since, quarters];
  });
}
