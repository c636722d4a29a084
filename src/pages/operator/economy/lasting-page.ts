import { html } from 'hono/html';
import { csvPieces } from '../../../base/csv.ts';
import { spokenDays } from '../../../diagnostics/health/relayer-checks.ts';
import type { Lasting, LastingQuarters } from '../../../views/economy/read-lasting.ts';
import { gameName } from '../../../web/game-text.ts';
import { words } from '../../../words/words.ts';
import { type ConsoleContent, panel } from '../../consoles/console.ts';
import { utcMoment } from '../../consoles/periods.ts';
import { dataTable, figureRow, pathTo } from '../entity-parts.ts';
import { countedNotice } from './counted-notice.ts';
import { backToEconomy, csvFile, LASTING_PATH, MOST_ROWS, onlyFirst } from './more-pages.ts';

const COLUMNS = [
  { label: 'App' },
  { label: 'Lasts' },
  { label: 'Has', isNumber: true },
  { label: 'Out in the week', isNumber: true },
  { label: 'In', isNumber: true },
] as const;

/** How long the treasury and each app last at the pace of the last week. */
export function lastingPage({ counted, from, until, treasury, apps }: LastingQuarters): ConsoleContent {
  const row = (app: Lasting) => [
    html`<a href="${pathTo('app', app.appId!)}"><bdi>${gameName(app.name ?? '')}</bdi></a>`,
    lastsWords(app),
    words.number(app.left),
    words.number(app.out),
    words.number(app.in),
  ];
  const table =
    apps.length === 0
      ? html`<p>No app has quarters.</p>`
      : html`${dataTable('Apps, the first to run out first', COLUMNS, apps.slice(0, MOST_ROWS).map(row), 'amounts')}${onlyFirst(apps.length)}`;
  const content = html`${countedNotice(counted)}
${figureRow([
  ['The treasury lasts', lastsWords(treasury)],
  ['Left in the treasury', words.number(treasury.left)],
  ['Out of it in the week', words.number(treasury.out)],
  ['Into it', words.number(treasury.in)],
])}
<p class="hint">If all goes on as from ${utcMoment(from)} to ${utcMoment(until)}. What is left in the treasury is without what is reserved. Mints do not count for the treasury, and what you issued does not count for apps.</p>
${panel('Apps', html`${table}${csvFile(`${LASTING_PATH}.csv`)}`)}
<p>${backToEconomy}</p>`;
  return { title: 'How long quarters last', content };
}

function lastsWords({ days }: Lasting): string {
  if (days === null) return 'Does not shrink';
  const said = spokenDays(days);
  return said[0]!.toUpperCase() + said.slice(1);
}

export function lastingLines({ treasury, apps }: LastingQuarters): AsyncGenerator<string> {
  const columns = ['app id', 'name', 'days left', 'has (quarters)', 'out in the week (quarters)', 'in (quarters)'];
  const rows = [{ ...treasury, name: 'Treasury' }, ...apps];
  return csvPieces(columns, [rows], ({ appId, name, days, left, out, in: came }) => [
    ...[appId, name, days === null ? null : Math.round(days * 10) / 10, left, out, came],
  ]);
}
