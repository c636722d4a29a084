import { html } from 'hono/html';
import { type FileColumn, numberColumn, textColumn } from '../../../base/columns.ts';
import { csvPieces } from '../../../base/csv.ts';
import { spokenDays } from '../../../diagnostics/health/relayer-checks.ts';
import { type ConsoleContent, panel } from '../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { appLink } from '../../../pages/consoles/entity-parts.ts';
import { figureRow } from '../../../pages/consoles/figures.ts';
import type { Lasting, LastingQuarters } from '../views/read-lasting.ts';
import { countedNotice } from './counted-notice.ts';
import { csvFile, economyPages, LASTING_PATH, MOST_ROWS, onlyFirst } from './more-pages.ts';
import { utcMoment } from './period-words.ts';

const COLUMNS = {
  appId: textColumn('app id', 'App id', ({ appId }) => appId),
  app: textColumn('name', 'App', ({ appId, name }) => (appId === null ? 'Treasury' : name)),
  lasts: textColumn('days left', 'Lasts', ({ days }) => (days === null ? null : Math.round(days * 10) / 10)),
  left: numberColumn('has (quarters)', 'Has', ({ left }) => left),
  out: numberColumn('out in the week (quarters)', 'Out in the week', ({ out }) => out),
  in: numberColumn('in (quarters)', 'In', (app) => app.in),
} satisfies Record<string, FileColumn<Lasting>>;

/** How long the treasury and each app last at the pace of the last week. */
export function lastingPage({ counted, from, until, treasury, apps }: LastingQuarters): ConsoleContent {
  const columns: ShownColumn<Lasting>[] = [
    { ...COLUMNS.app, value: (app) => appLink(app.appId!, app.name ?? '') },
    { ...COLUMNS.lasts, value: lastsWords },
    ...[COLUMNS.left, COLUMNS.out, COLUMNS.in],
  ];
  const table =
    apps.length === 0
      ? html`<p>No app has quarters.</p>`
      : html`${dataTable('Apps, the first to run out first', columns, apps.slice(0, MOST_ROWS), { kind: 'amounts' })}${onlyFirst(apps.length)}`;
  const content = html`${economyPages(LASTING_PATH, null)}
${countedNotice(counted)}
${figureRow([
  ['The treasury lasts', lastsWords(treasury)],
  ['Left in the treasury', treasury.left],
  ['Out of it in the week', treasury.out],
  ['Into it', treasury.in],
])}
<p class="hint">If all goes on as from ${utcMoment(from)} to ${utcMoment(until)}. What is left in the treasury is without what is reserved. Mints do not count for the treasury, and what you issued does not count for apps.</p>
${panel('Apps', html`${table}${csvFile(`${LASTING_PATH}.csv`)}`)}`;
  return { title: 'How long quarters last', content };
}

function lastsWords({ days }: Lasting): string {
  if (days === null) return 'Does not shrink';
  const said = spokenDays(days);
  return said[0]!.toUpperCase() + said.slice(1);
}

export function lastingLines({ treasury, apps }: LastingQuarters): AsyncGenerator<string> {
  return csvPieces(Object.values(COLUMNS), [[treasury, ...apps]]);
}
