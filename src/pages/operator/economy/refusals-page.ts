import { html } from 'hono/html';
import { csvPieces } from '../../../base/csv.ts';
import type { RefusalReport } from '../../../views/economy/read-refusals.ts';
import { gameName } from '../../../web/game-text.ts';
import { words } from '../../../words/words.ts';
import { type ConsoleContent, panel } from '../../consoles/console.ts';
import { dataTable, figureRow, pathTo } from '../entity-parts.ts';
import { backToEconomy, csvFile, MOST_ROWS, onlyFirst, REFUSALS_PATH } from './more-pages.ts';
import { periodAddress, periodKinds, periodSteps } from './period-choice.ts';
import { REFUSED_KINDS, refusalReason } from './refusal-words.ts';

const COLUMNS = [{ label: 'App' }, { label: 'What' }, { label: 'Reason' }, { label: 'Times', isNumber: true }] as const;
/** Reasons that stand above the table. */
const MOST_REASONS = 3;

/** Which payments were refused in a period, by app and reason. */
export function refusalsPage({ period, rows, codes }: RefusalReport, now = new Date()): ConsoleContent {
  const row = ({ appId, name, kind, code, count }: RefusalReport['rows'][number]) => [
    html`<a href="${pathTo('app', appId)}"><bdi>${gameName(name)}</bdi></a>`,
    REFUSED_KINDS[kind],
    refusalReason(code),
    words.number(BigInt(count)),
  ];
  const table =
    rows.length === 0
      ? html`<p>No payment was refused in this period.</p>`
      : html`${dataTable('Refused payments, the most frequent first', COLUMNS, rows.slice(0, MOST_ROWS).map(row), 'amounts')}${onlyFirst(rows.length)}
${csvFile(periodAddress(`${REFUSALS_PATH}.csv`, period))}`;
  const all = codes.reduce((sum, { count }) => sum + count, 0);
  const content = html`${periodSteps(REFUSALS_PATH, period, now)}
${figureRow([
  ['Refused', words.number(BigInt(all))],
  ...codes.slice(0, MOST_REASONS).map(({ code, count }) => [code, words.number(BigInt(count))] as const),
])}
<p class="hint">Each try counts, so an app that tries again counts again. A player who sees that they have too little, and closes the page, does not count.</p>
${panel('By app and reason', table)}
<p>${backToEconomy}</p>`;
  return { title: 'Refused payments', content, action: periodKinds(REFUSALS_PATH, period, now) };
}

export function refusalLines({ rows }: RefusalReport): AsyncGenerator<string> {
  const columns = ['app id', 'app', 'what', 'reason', 'times'];
  return csvPieces(columns, [rows], ({ appId, name, kind, code, count }) => [appId, name, kind, code, count]);
}
