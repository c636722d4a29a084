import { html } from 'hono/html';
import { type ConsoleContent, panel } from '../../../pages/consoles/console.ts';
import { CHART_LIBRARY, CHARTS_SCRIPT } from '../../../web/assets.ts';
import type { Markup } from '../../../web/layout.ts';
import type { Economy } from '../views/economy.ts';
import { appFlowsTable } from './app-flows-table.ts';
import { type AppOrder, appsTable } from './apps-table.ts';
import { balancesTable, notedHint } from './balances.ts';
import { comparedWith, countedNotice } from './counted-notice.ts';
import { economyCharts, shownSteps } from './economy-charts.ts';
import type { EconomyTable } from './economy-csv.ts';
import { periodFigures, stockFigures } from './economy-figures.ts';
import { flowTable, stockTable } from './flow-table.ts';
import { APPS_PATH, BALANCES_PATH, csvFile, ECONOMY_PATH, economyPages, FLOWS_PATH, TIME_PATH } from './more-pages.ts';
import { periodAddress, periodKinds, periodSteps } from './period-choice.ts';
import { shareFigures } from './shares.ts';

type Section = {
  readonly title: string;
  readonly show: (economy: Economy, asked: { readonly order: AppOrder; readonly now: Date }) => Markup;
  readonly scripts?: readonly string[];
};

/** What each address shows of the economy in a period. */
export const ECONOMY_SECTIONS = {
  [ECONOMY_PATH]: {
    title: 'Economy',
    show: (economy, { now }) => html`${stockFigures(economy, economy.period.until <= now)}
${periodFigures(economy)}
<p class="hint">${comparedWith(economy)}</p>
${shareFigures(economy)}
${notedHint(economy)}
${file(economy, 'shares')}`,
  },
  [FLOWS_PATH]: {
    title: 'Sources and sinks',
    show: (economy) => html`${panel('What moved', html`${flowTable(economy)}${file(economy, 'flows')}`)}
<p class="hint">${comparedWith(economy)}</p>
${panel('Who had, got and has what', html`${stockTable(economy)}${file(economy, 'stocks')}`)}
${panel('By app', html`${appFlowsTable(economy)}${file(economy, 'flows-by-app')}`)}`,
  },
  [TIME_PATH]: {
    title: 'Charts',
    show: (economy) =>
      shownSteps(economy).length === 0
        ? html`<p>Nothing is counted in this period.</p>`
        : html`${economyCharts(economy)}
${file(economy, 'steps', 'Download the data of all charts')}`,
    scripts: [CHART_LIBRARY.path, CHARTS_SCRIPT.path],
  },
  [APPS_PATH]: {
    title: 'Apps',
    show: (economy, { order }) =>
      panel('What each app got and gave', html`${appsTable(APPS_PATH, economy, order)}${file(economy, 'apps')}`),
  },
  [BALANCES_PATH]: {
    title: 'Players’ balances',
    show: (
      economy,
    ) => html`${panel('Players by their balance', html`${balancesTable(economy)}${file(economy, 'balances')}`)}
${notedHint(economy)}`,
  },
} as const satisfies Record<string, Section>;

export type EconomySection = keyof typeof ECONOMY_SECTIONS;

/** A part of the economy in a period. */
export function economyPage(path: EconomySection, economy: Economy, order: AppOrder, now = new Date()): ConsoleContent {
  const { period, counted } = economy;
  const { title, show, scripts }: Section = ECONOMY_SECTIONS[path];
  const content = html`${economyPages(path, period)}
${periodSteps(path, period, now)}
${countedNotice(counted)}
${show(economy, { order, now })}`;
  return { title, content, action: periodKinds(path, period, now), ...(scripts && { scripts }) };
}

function file({ period }: Economy, table: EconomyTable, label?: string): Markup {
  return csvFile(periodAddress(`/operator/economy/${table}.csv`, period), label);
}
