import { html } from 'hono/html';
import type { ConsoleContent } from '../../../pages/consoles/console.ts';
import { CHART_LIBRARY, CHARTS_SCRIPT } from '../../../web/assets.ts';
import type { Markup } from '../../../web/layout.ts';
import type { Economy } from '../views/economy.ts';
import { appFlowsTable } from './app-flows-table.ts';
import { type AppOrder, appsTable } from './apps-table.ts';
import { balancesTable } from './balances.ts';
import { comparedWith, countedNotice } from './counted-notice.ts';
import { economyCharts, shownSteps } from './economy-charts.ts';
import type { EconomyTable } from './economy-csv.ts';
import { periodFigures, stockFigures } from './economy-figures.ts';
import { flowTable, stockTable } from './flow-table.ts';
import { csvFile, morePages } from './more-pages.ts';
import { periodAddress, periodKinds, periodSteps } from './period-choice.ts';
import { shareFigures } from './shares.ts';

export const ECONOMY_PATH = '/operator';

/** The whole economy in a period. */
export function economyPage(economy: Economy, order: AppOrder, now = new Date()): ConsoleContent {
  const { period, counted } = economy;
  const hasCharts = shownSteps(economy).length > 0;
  const content = html`${periodSteps(ECONOMY_PATH, period, now)}
${countedNotice(counted)}
${stockFigures(economy, period.until <= now)}
${shareFigures(economy)}
${file(economy, 'shares')}
${periodFigures(economy)}
<p class="hint">${comparedWith(economy)}</p>
<nav class="chips" aria-label="On this page"><a href="#flows">Sources and sinks</a>${hasCharts && html`<a href="#charts">Charts</a>`}<a href="#apps">Apps</a><a href="#balances">Balances</a></nav>
${morePages(period)}
${section(
  'flows',
  'Sources and sinks',
  html`${flowTable(economy)}${file(economy, 'flows')}
<h3>Who had, got and has what</h3>
${stockTable(economy)}${file(economy, 'stocks')}`,
)}
${
  hasCharts &&
  html`<h2 id="charts" class="visually-hidden">Charts</h2>
${economyCharts(economy)}`
}
${file(economy, 'steps', 'Download the data of all charts')}
${section(
  'apps',
  'Apps',
  html`${appsTable(ECONOMY_PATH, economy, order)}${file(economy, 'apps')}
<h3>Sources and sinks by app</h3>
${appFlowsTable(economy)}${file(economy, 'flows-by-app')}`,
)}
${section('balances', 'Players’ balances', html`${balancesTable(economy)}${file(economy, 'balances')}`)}`;
  return {
    title: 'Economy',
    content,
    action: periodKinds(ECONOMY_PATH, period, now),
    scripts: hasCharts ? [CHART_LIBRARY.path, CHARTS_SCRIPT.path] : [],
  };
}

function section(id: string, heading: string, content: Markup): Markup {
  return html`<section class="card" id="${id}"><h2>${heading}</h2>
${content}
</section>`;
}

function file({ period }: Economy, table: EconomyTable, label?: string): Markup {
  return csvFile(periodAddress(`${ECONOMY_PATH}/economy/${table}.csv`, period), label);
}
