import { html } from 'hono/html';
import { type FileColumn, numberColumn, textColumn } from '../../../base/columns.ts';
import { csvPieces } from '../../../base/csv.ts';
import { type ConsoleContent, panel } from '../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { appLink } from '../../../pages/consoles/entity-parts.ts';
import { type Figure, figureRow } from '../../../pages/consoles/figures.ts';
import type { RefusalReport } from '../views/read-refusals.ts';
import { csvFile, economyPages, MOST_ROWS, onlyFirst, REFUSALS_PATH } from './more-pages.ts';
import { periodAddress, periodKinds, periodSteps } from './period-choice.ts';
import { REFUSED_KINDS, refusalReason } from './refusal-words.ts';

type Refusal = RefusalReport['rows'][number];

const COLUMNS = {
  appId: textColumn('app id', 'App id', ({ appId }) => appId),
  app: textColumn('app', 'App', ({ name }) => name),
  what: textColumn('what', 'What', ({ kind }) => kind),
  reason: textColumn('reason', 'Reason', ({ code }) => code),
  times: numberColumn('times', 'Times', ({ count }) => count),
} satisfies Record<string, FileColumn<Refusal>>;
/** Reasons that stand above the table. */
const MOST_REASONS = 3;

/** Which payments were refused in a period, by app and reason. */
export function refusalsPage({ period, rows, codes }: RefusalReport, now = new Date()): ConsoleContent {
  const columns: ShownColumn<Refusal>[] = [
    { ...COLUMNS.app, value: ({ appId, name }) => appLink(appId, name) },
    { ...COLUMNS.what, value: ({ kind }) => REFUSED_KINDS[kind] },
    { ...COLUMNS.reason, value: ({ code }) => refusalReason(code) },
    COLUMNS.times,
  ];
  const table =
    rows.length === 0
      ? html`<p>No payment was refused in this period.</p>`
      : html`${dataTable('Refused payments, the most frequent first', columns, rows.slice(0, MOST_ROWS), { kind: 'amounts' })}${onlyFirst(rows.length)}
${csvFile(periodAddress(`${REFUSALS_PATH}.csv`, period))}`;
  const all = codes.reduce((sum, { count }) => sum + count, 0);
  const content = html`${economyPages(REFUSALS_PATH, period)}
${periodSteps(REFUSALS_PATH, period, now)}
${figureRow([['Refused', all], ...codes.slice(0, MOST_REASONS).map(({ code, count }): Figure => [code, count])])}
<p class="hint">Each try counts, so an app that tries again counts again. A player who sees that they have too little, and closes the page, does not count.</p>
${panel('By app and reason', table)}`;
  return { title: 'Refused payments', content, action: periodKinds(REFUSALS_PATH, period, now) };
}

export function refusalLines({ rows }: RefusalReport): AsyncGenerator<string> {
  return csvPieces(Object.values(COLUMNS), [rows]);
}
